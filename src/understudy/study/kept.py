"""Results that were found before, in a folder for their owner alone: an audit that was cut short goes on.

A result is known by the measure with all its settings and the seed, the version of this package, and the
cells of every table that it saw. It holds scores of single records, so it is as confidential as they are.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import final, get_args

import pyarrow as pa

from understudy.measuring.job import answer, answered, job
from understudy.measuring.measure import Measure
from understudy.result import Result
from understudy.table.atomic import write_bytes
from understudy.table.evidence import Evidence, Role
from understudy.version import TOOL

__all__ = ["Kept", "table_digest"]

_OWNER = 0o700


@final
class Kept:
    """A folder of results about one evidence; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, evidence: Evidence) -> None:
        self._folder = folder
        self._tables = "" if folder is None else _digest_of(evidence)

    def find(self, measure: Measure, seed: int) -> Result | None:
        """Return what was found before; None if nothing was, or it cannot be read any more."""
        if self._folder is None:
            return None
        try:
            return answered((self._folder / self._name(measure, seed)).read_text(encoding="ascii"))
        except (OSError, ValueError, KeyError, TypeError):  # a leftover that is measured again
            return None

    def put(self, measure: Measure, seed: int, result: Result) -> None:
        """Keep a result; one that failed is tried again the next time."""
        if self._folder is None or any(note.startswith("not measured: ") for note in result.notes):
            return
        self._folder.mkdir(mode=_OWNER, parents=True, exist_ok=True)
        path = self._folder / self._name(measure, seed)
        write_bytes(path, answer(result).encode("ascii"), mode=0o600)

    def _name(self, measure: Measure, seed: int) -> str:
        line = f"{TOOL}\n{self._tables}\n{job(measure, seed)}"
        return f"{measure.title()}-{hashlib.sha256(line.encode()).hexdigest()[:24]}.json"


def table_digest(table: pa.Table) -> str:
    """Return a SHA-256 of names, types and cells; the same whatever chunks the rows come in.

    >>> one, other = pa.table({"x": [1, 2]}), pa.concat_tables([pa.table({"x": [1]}), pa.table({"x": [2]})])
    >>> table_digest(one) == table_digest(other)
    True
    """
    into = _Digested()
    whole = table.combine_chunks().replace_schema_metadata(None)
    with pa.ipc.new_stream(pa.PythonFile(into, "w"), whole.schema) as writer:
        writer.write_table(whole)
    return into.digest.hexdigest()


@final
class _Digested:
    """A file that only its digest remembers."""

    closed = False

    def __init__(self) -> None:
        self.digest, self._size = hashlib.sha256(), 0

    def write(self, data: bytes) -> int:
        """Take bytes in."""
        self.digest.update(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes came."""
        return self._size

    def flush(self) -> None:
        """Do nothing: nothing waits."""

    def close(self) -> None:
        """Do nothing: there is no file."""


def _digest_of(evidence: Evidence) -> str:
    roles = [role for role in get_args(Role) if evidence.has(role)]
    told = [f"{role}={table_digest(evidence.table(role).to_arrow())}" for role in roles]
    target = evidence.target if evidence.chose_target else ""
    return "\n".join([*told, f"target={target}", evidence.schema.model_dump_json()])
