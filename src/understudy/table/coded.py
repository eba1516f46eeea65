"""Coded tables: what judges and adversaries compute on. Codes for levels, floats for quantities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError

__all__ = ["CodedColumn", "CodedTable"]

Rows = npt.NDArray[np.int64]
Array = npt.NDArray[Any]


@final
@dataclass(frozen=True)
class CodedColumn:
    """What a code or a number of one column means.

    A column of levels has `known` codes that real rows have or the schema states, and `levels` codes in all;
    those behind the known ones were met in the synthetic table alone. A quantity has neither (both 0), and
    the range of the training rows: `low` to `high`, NaN where they have no value at all.
    """

    name: str
    quantity: bool = False
    levels: int = 0
    known: int = 0
    low: float = np.nan
    high: float = np.nan
    has_missing: bool = False
    ordered: bool = False

    @property
    def span(self) -> float:
        """The width of the training range; 1 where it has none, so that one can divide by it."""
        width = self.high - self.low
        return float(width) if np.isfinite(width) and width > 0 else 1.0


@final
@dataclass(frozen=True, eq=False)
class CodedTable:
    """Columns of equal length: int32 codes (-1 missing) or float64 (NaN missing), by name.

    >>> sex = CodedColumn("sex", levels=2, known=2)
    >>> table = CodedTable((sex,), {"sex": np.array([0, 1, 1, -1], dtype=np.int32)})
    >>> len(table), len(table.take(np.array([0, 2])))
    (4, 2)
    """

    domain: tuple[CodedColumn, ...]
    arrays: dict[str, Array]

    def __post_init__(self) -> None:
        if {column.name for column in self.domain} != set(self.arrays):
            raise ParameterError("coded table: the domain and the arrays name different columns.")
        if len({len(array) for array in self.arrays.values()}) > 1:
            raise ParameterError("coded table: its columns are of different lengths.")

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values()))) if self.arrays else 0

    def __getitem__(self, name: str) -> Array:
        return self.arrays[name]

    def column(self, name: str) -> CodedColumn:
        """Return what a column means."""
        for column in self.domain:
            if column.name == name:
                return column
        raise ParameterError(f"coded table: there is no column {name!r}.")

    @cached_property
    def quantities(self) -> tuple[CodedColumn, ...]:
        """The columns that count or measure."""
        return tuple(column for column in self.domain if column.quantity)

    @cached_property
    def categories(self) -> tuple[CodedColumn, ...]:
        """The columns of levels."""
        return tuple(column for column in self.domain if not column.quantity)

    def pairs(self) -> Iterator[tuple[CodedColumn, CodedColumn]]:
        """Yield every two columns once, in their order."""
        for place, first in enumerate(self.domain):
            for second in self.domain[place + 1 :]:
                yield first, second

    def take(self, rows: Rows) -> CodedTable:
        """Return the given rows, in the given order."""
        return CodedTable(self.domain, {name: array[rows] for name, array in self.arrays.items()})

    def draw(self, rows: int, rng: np.random.Generator) -> CodedTable:
        """Return so many rows, each at most once; all of them in their order if there are no more."""
        if rows >= len(self):
            return self
        return self.take(np.sort(rng.choice(len(self), rows, replace=False)))

    def redraw(self, rows: int, rng: np.random.Generator) -> CodedTable:
        """Return so many rows drawn with replacement: a fresh table of the law that these rows make up."""
        return self.take(rng.integers(len(self), size=rows))

    def split(self, first: int, rng: np.random.Generator) -> tuple[CodedTable, CodedTable]:
        """Return two tables without a row in common, the first of so many rows."""
        order = rng.permutation(len(self))
        return self.take(np.sort(order[:first])), self.take(np.sort(order[first:]))

    def joined(self, other: CodedTable) -> CodedTable:
        """Return the rows of both, of the same domain."""
        return CodedTable(
            self.domain, {name: np.concatenate([array, other[name]]) for name, array in self.arrays.items()}
        )
