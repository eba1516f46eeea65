"""How the tables of a judgement are read: private files as their owner says, stand-ins as they are written.

A stand-in that was written as CSV has apostrophes before what a spreadsheet would run (`csv_guard`); judged
with them, an exact copy would be like no real row. A private file is its owner's: an apostrophe in it belongs
to its cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from understudy.errors import CsvError, EncodingError
from understudy.table.read import is_csv, read
from understudy.table.table import Table

__all__ = ["Reading"]


@final
@dataclass(frozen=True)
class Reading:
    """What private CSV files do differently: the separator, the encoding, the spellings of missing cells."""

    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()

    def private(self, source: object) -> Table:
        """Read a private table; what is said here is for CSV files, other sources say it themselves.

        >>> import pyarrow as pa
        >>> Reading(delimiter=";").private(pa.table({"age": [31]})).names
        ['age']
        """
        return read(source, **(self._said() if is_csv(source) else {}))

    def stand_in(self, source: object) -> Table:
        """Read a stand-in as this package writes it; one that cannot be read so, as the private files are.

        >>> import pyarrow as pa
        >>> Reading().stand_in(pa.table({"code": ["'-"]})).to_arrow()["code"].to_pylist()
        ["'-"]
        """
        if not is_csv(source):
            return read(source)
        try:
            return read(source, guarded=True)
        except (CsvError, EncodingError):
            if not self._said():
                raise
        return read(source, guarded=True, **self._said())

    def _said(self) -> dict[str, Any]:
        said = {"delimiter": self.delimiter, "encoding": self.encoding, "missing": self.missing}
        return {name: value for name, value in said.items() if value}
