"""The design of a regression: the columns of a table as a statistician would write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.measuring.encoder import Matrix, Scaler, scaler
from understudy.missing import is_missing
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["Design"]


@final
@dataclass(frozen=True)
class _Term:
    """One column: a scaled quantity, or one mark for each level that is named here; the others are `rest`.

    `base` is the level without a mark, -2 for a quantity.
    """

    column: CodedColumn
    scale: Scaler | None
    base: int
    marked: tuple[int, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """What each column of the matrix is; codes, never values."""
        name = self.column.name
        if self.scale is not None:
            return (name, f"{name} missing")
        return (*(f"{name}={code}" for code in self.marked), f"{name} rest", f"{name} missing")

    def write(self, values: npt.NDArray[Any]) -> Matrix:
        """Return (rows, labels); a missing quantity stands at the median of the real rows, and is marked."""
        missing = is_missing(values)
        if self.scale is not None:
            return np.column_stack([self.scale(np.where(missing, self.scale.middle, values)), missing])
        marks = [(values == code).astype(np.float64) for code in self.marked]
        rest = ~np.isin(values, (self.base, *self.marked)) & ~missing
        return np.column_stack([*marks, rest, missing]).astype(np.float64)


@final
@dataclass(frozen=True)
class Design:
    """The terms of a regression, as the real rows have them.

    Quantities are in deviations of the real rows; levels stand against the most frequent one; those rarer
    than a share, and those of the synthetic table alone, are one level; missing cells are marked.

    >>> columns = (CodedColumn("sex", levels=2, known=2), CodedColumn("age", quantity=True))
    >>> arrays = {"sex": np.array([0, 1, 1], dtype=np.int32), "age": np.array([1.0, 2.0, 3.0])}
    >>> design = Design.fit(CodedTable(columns, arrays), "age", rare=0.0)
    >>> design.labels, design.matrix(CodedTable(columns, arrays))[:, 0].tolist()
    (('sex=0', 'sex rest', 'sex missing'), [1.0, 0.0, 0.0])
    """

    terms: tuple[_Term, ...]
    target: CodedColumn
    scale: Scaler | None
    most: int

    @classmethod
    def fit(cls, table: CodedTable, target: str, rare: float) -> Design:
        """Return the design of these real rows, in the order of names: the first of two twins is kept."""
        columns = sorted(table.domain, key=lambda column: column.name)
        terms = tuple(_term(c, table[c.name], rare) for c in columns if c.name != target)
        response = _term(table.column(target), table[target], 0.0)
        return cls(terms, response.column, response.scale, response.base)

    @property
    def labels(self) -> tuple[str, ...]:
        """What each column of the matrix is."""
        return tuple(label for term in self.terms for label in term.labels)

    def matrix(self, table: CodedTable) -> Matrix:
        """Return the columns other than the target: (rows, len(labels))."""
        blocks = [term.write(table[term.column.name]) for term in self.terms]
        return np.column_stack(blocks) if blocks else np.empty((len(table), 0))

    def response(self, table: CodedTable) -> Matrix:
        """Return the target: in deviations of the real rows, or 1 where it is their most frequent level."""
        values = table[self.target.name]
        return self.scale(values) if self.scale is not None else (values == self.most).astype(np.float64)


def _term(column: CodedColumn, values: npt.NDArray[Any], rare: float) -> _Term:
    if column.quantity:
        return _Term(column, scaler(values, column, "standard"), -2, ())
    counts = np.bincount(values[values >= 0], minlength=max(1, column.levels))
    base = int(counts.argmax())
    named = np.flatnonzero((counts > 0) & (counts >= rare * counts.sum()))
    # By frequency, not by code: which of two twins is kept must not hang on how levels are called.
    order = named[np.argsort(-counts[named], kind="stable")]
    return _Term(column, None, base, tuple(int(code) for code in order if code != base))
