"""The records at risk in a file of their own, for those who may see the rows."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from understudy.errors import ParameterError, WriteError
from understudy.measuring.at_risk import RecordAtRisk
from understudy.table.atomic import write_bytes

__all__ = ["refuse_place", "write_records"]

_OWNER = 0o600


def refuse_place(path: Path, inputs: Iterable[str | Path | None]) -> None:
    """Refuse a place where no file can be written, or that is one of the inputs: before hours of work."""
    if path.exists() and not path.is_file():
        raise WriteError(f"worst records: {str(path)!r} is a folder or a device; name a file.")
    if not path.parent.is_dir():
        raise WriteError(f"worst records: there is no folder {str(path.parent)!r}; make it first.")
    for each in inputs:
        if each is not None and path.exists() and Path(each).exists() and os.path.samefile(path, each):
            raise ParameterError(f"worst records: {str(path)!r} is one of the inputs; name another file.")


def write_records(records: Iterable[RecordAtRisk], path: Path) -> int:
    """Write a line per record, and return how many there were; the file is for its owner alone.

    Places count from 0 in the training table as it was given. No cell is written, but whoever has the table
    finds the rows: the file is as confidential as the table.
    """
    lines = [(record.id, record.place, f"{record.rank:.6f}", " ".join(record.attacks)) for record in records]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("id", "place", "rank", "attacks"), *lines])
    if path.is_file():
        path.chmod(_OWNER)  # what is replaced keeps its permissions, and may have been open to others
    write_bytes(path, text.getvalue().encode(), mode=_OWNER)
    return len(lines)
