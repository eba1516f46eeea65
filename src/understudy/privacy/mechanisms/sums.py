"""Sums of clipped vectors with Gaussian noise, on a grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.privacy.events import Gaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.on_grid import from_grid, grid_below, rounded_gaussian, rows_to_grid
from understudy.privacy.stream import Stream

__all__ = ["ClippedSums"]

CELLS = 4_000_000  # numbers held at a time
FINENESS = 2**20  # grid cells in one clip length: rounding is far below the noise, sums stay below 2^62
FINEST_NOISE = 2.0**39  # grid cells in one sigma: beyond it the noise could not reach every cell


@final
@dataclass(frozen=True)
class ClippedSums(Mechanism):
    """The sum over rows of a vector per row, each clipped to length `clip`, with Gaussian noise.

    Guarantee. `vectors` turns each row into one vector by a rule that looks at no other row. Each
    vector is scaled to a length of at most `clip` and moved towards nought onto the grid, which makes
    it no longer, so adding or removing a row moves the sum by at most `clip`; sums are whole numbers
    of grid steps and add without error. Noise of noise * clip, rounded to the same grid, is
    post-processing of the Gaussian mechanism: the event Gaussian(noise). A vector that is not finite
    counts as nought. Outputs are whole multiples of the grid, whatever the rows are.
    """

    vectors: Callable[[Columns], npt.NDArray[np.float64]]
    columns: tuple[str, ...]
    width: int
    clip: float
    price: Gaussian

    def __post_init__(self) -> None:
        if not 0 < self.clip < math.inf or self.price.count != 1 or self.width < 1:
            raise ParameterError("ClippedSums: needs a finite clip > 0, a width, and the price of one sum.")

    @property
    def grid(self) -> float:
        """The step of the grid, a power of two."""
        return grid_below(self.clip * max(1 / FINENESS, self.price.noise / FINEST_NOISE))

    @property
    def event(self) -> Gaussian:
        """What this read costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row moves the sum, counted in grid steps, by at most the clip."""
        return Sensitivity(
            "l2", self.clip / self.grid, "each row's vector is clipped and then rounded to the grid"
        )

    def statistic(self, columns: Columns) -> npt.NDArray[np.int64]:
        """Return the exact sum in whole grid steps."""
        rows = len(next(iter(columns.values()), ()))
        total = np.zeros(self.width, dtype=np.int64)
        block = max(256, CELLS // self.width)
        for start in range(0, rows, block):
            part = {name: values[start : start + block] for name, values in columns.items()}
            total += self._steps(self.vectors(part)).sum(axis=0)
        return total

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> npt.NDArray[np.float64]:
        """Return the noisy sum, in the units of the vectors."""
        return from_grid(
            rounded_gaussian(stream, statistic, self.price.noise * self.clip, self.grid), self.grid
        )

    def _steps(self, vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        finite = np.asarray(np.isfinite(vectors).all(axis=1))
        vectors = np.where(finite[:, None], vectors, 0.0)
        with np.errstate(over="ignore", under="ignore"):  # a boundless length leaves nothing of its vector
            length = np.sqrt((vectors**2).sum(axis=1))
        # A hair below the clip: dividing and multiplying may round the length up by a few last bits.
        longest = self.clip * (1 - 1e-12)
        return rows_to_grid(vectors * (longest / np.maximum(length, longest))[:, None], self.grid)
