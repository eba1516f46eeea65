"""The one encoder: a coded table as a matrix of floats, in the terms of the real training rows.

docs/explanation/encoder-and-distance.md states the contract: what is fitted on which rows, and what becomes
of missing cells and of levels that no real row has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt
from scipy import special

from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["Encoder", "Matrix", "Scaling", "scaler"]

Matrix = npt.NDArray[np.float64]
_AT_ONCE = 16_384  # rows that are encoded together
Scaling = Literal["range", "standard", "normal"]

_FURTHEST = 1e6  # deviations or ranges: beyond it all is equally far, and squares stay numbers


class _Block(ABC):
    """One column's share of the matrix."""

    labels: tuple[str, ...]

    @abstractmethod
    def write(self, values: npt.NDArray[Any], out: Matrix) -> None:
        """Fill (rows, len(labels)) zeros with the encoding of these cells."""


@final
@dataclass(frozen=True)
class Encoder:
    """Levels one-hot, quantities scaled, missing cells marked.

    >>> age = CodedColumn("age", quantity=True, low=0.0, high=10.0)
    >>> table = CodedTable((age,), {"age": np.array([0.0, 5.0, 10.0])})
    >>> Encoder.fit(table, scaling="range").matrix(table).ravel().tolist()
    [0.0, 0.5, 1.0]
    """

    blocks: tuple[tuple[str, _Block], ...]

    @classmethod
    def fit(
        cls, table: CodedTable, scaling: Scaling = "standard", leave_out: Collection[str] = ()
    ) -> Encoder:
        """Return the encoder of these training rows."""
        kept = [column for column in table.domain if column.name not in leave_out]
        return cls(tuple((c.name, _block(c, table[c.name], scaling)) for c in kept))

    @property
    def labels(self) -> tuple[str, ...]:
        """What each column of the matrix is: `age`, `sex=1` (a code), `age missing`."""
        return tuple(label for _, block in self.blocks for label in block.labels)

    def matrix(self, table: CodedTable) -> Matrix:
        """Return the encoding of a table of the same domain: (rows, len(labels))."""
        out = np.empty((len(table), len(self.labels)))
        # Columns are quick to write where they lie together; a second whole matrix would be dear.
        for begin in range(0, len(table), _AT_ONCE):
            rows = slice(begin, begin + _AT_ONCE)
            part = np.zeros(out[rows].shape, order="F")
            start = 0
            for name, block in self.blocks:
                block.write(table[name][rows], part[:, start : start + len(block.labels)])
                start += len(block.labels)
            out[rows] = part
        return out


@final
@dataclass(frozen=True)
class _Levels(_Block):
    known: int
    missing: int
    unseen: int
    labels: tuple[str, ...]

    def write(self, values: npt.NDArray[Any], out: Matrix) -> None:
        """One column per known level, one for missing cells, one for all levels that no real row has."""
        places = np.where(values < 0, self.missing, np.where(values < self.known, values, self.unseen))
        marked = np.flatnonzero(places >= 0)
        out[marked, places[marked]] = 1.0


@final
@dataclass(frozen=True)
class _Quantity(_Block):
    scale: Scaler
    labels: tuple[str, ...]

    def write(self, values: npt.NDArray[Any], out: Matrix) -> None:
        """The scaled value, the training median for a missing one, and a mark for it."""
        missing = np.isnan(values)
        out[:, 0] = self.scale(np.where(missing, self.scale.middle, values))
        if out.shape[1] > 1:
            out[:, 1] = missing


@final
@dataclass(frozen=True)
class Scaler:
    """A rising map of the values of one quantity, and the training median."""

    middle: float
    shift: float
    width: float
    limit: float = _FURTHEST
    knots: tuple[Matrix, Matrix] | None = None

    def __call__(self, values: npt.NDArray[np.float64]) -> Matrix:
        """Return scaled values; the normal scaling ends where training values end, the others go on."""
        if self.knots is None:
            with np.errstate(over="ignore"):
                return np.clip((values - self.shift) / self.width, -self.limit, self.limit)
        # A value on a run of equal knots takes the middle of the run, from both sides.
        places, scores = self.knots
        rising = np.interp(values, places, scores)
        falling = -np.interp(-values, -places[::-1], -scores[::-1])
        return np.asarray((rising + falling) / 2)


def scaler(values: npt.NDArray[np.float64], column: CodedColumn, scaling: Scaling) -> Scaler:
    """Return the scaling of a quantity, fitted on these training values.

    range     (x - low) / span of the domain's training range
    standard  (x - mean) / deviation
    normal    quantiles to those of the standard normal law, at max(min(rows / 30, 1000), 10) knots

    Where the range or the deviation is nothing, a value is -1, 0 or 1: below, equal, above. Where no value is
    known, every value is 0. So no scaling depends on the unit.
    """
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return Scaler(0.0, 0.0, np.inf)
    middle = float(np.median(present))
    if scaling == "normal":
        knots = int(max(min(len(present) / 30, 1000), 10))
        shares = np.linspace(0, 1, knots)
        scores = special.ndtri(np.clip(shares, 1e-7, 1 - 1e-7))
        return Scaler(middle, 0.0, 1.0, knots=(np.quantile(present, shares), scores))
    low, high = (column.low, column.high) if scaling == "range" else (present.min(), present.max())
    if not high > low:
        # The mean of equal floats may miss them by a bit, which would then be all the deviation there is.
        return Scaler(middle, middle, float(np.finfo(np.float64).tiny), limit=1.0)
    if scaling == "range":
        return Scaler(middle, float(low), float(high - low))
    # Moments of shares of the range: squares of the values themselves could be too large for a float.
    shares = (present - low) / (high - low)
    width, mean = float(high - low), float(shares.mean())
    return Scaler(middle, float(low) + mean * width, float(shares.std()) * width)


def _block(column: CodedColumn, values: npt.NDArray[Any], scaling: Scaling) -> _Block:
    missing = (f"{column.name} missing",) if column.has_missing else ()
    if column.quantity:
        return _Quantity(scaler(values, column, scaling), (column.name, *missing))
    unseen = (f"{column.name} unseen",) if column.levels > column.known else ()
    labels = (*(f"{column.name}={code}" for code in range(column.known)), *missing, *unseen)
    return _Levels(column.known, column.known if missing else -1, len(labels) - 1 if unseen else -1, labels)
