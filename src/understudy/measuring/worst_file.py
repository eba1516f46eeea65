"""The records at risk in a file of their own, for those who may see the rows."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path

from understudy.errors import WriteError
from understudy.measuring.at_risk import RecordAtRisk

__all__ = ["write_records"]


def write_records(records: Iterable[RecordAtRisk], path: Path) -> int:
    """Write a line per record, and return how many there were; the file is for its owner alone.

    Places count from 0 in the training table as it was given. No cell is written, but whoever has the table
    finds the rows: the file is as confidential as the table.
    """
    lines = [(record.id, record.place, f"{record.rank:.6f}", " ".join(record.attacks)) for record in records]
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", newline="", encoding="utf-8") as file:
            path.chmod(0o600)  # a file that was there before may have been open to others
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("id", "place", "rank", "attacks"))
            writer.writerows(lines)
    except OSError as error:
        raise WriteError(f"worst records: cannot write {path}: {error.strerror}.") from error
    return len(lines)
