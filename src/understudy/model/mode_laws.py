"""The laws of the distances from each mode of a column, as they were learned from.

A mode of a mixture is called normal, and is not: it may be a value that most rows share, half of an
exponential, or all that is left over. What rows have at each rank within it is kept, as of columns that are
learned as ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.codec.modes import WIDTH
from understudy.codec.quantile import Quantile
from understudy.engines.even_ranks import Law, even_within
from understudy.engines.mixture import FEW

__all__ = ["ModeLaws"]

_KNOTS = 500  # of a mode, about
_PARTS = ("values", "lower", "upper")


@final
@dataclass(frozen=True, eq=False)
class ModeLaws:
    """The ranks of what was seen in each mode; one with a few rows remembers none of them, and is normal.

    >>> laws = ModeLaws.seen(np.array([0.0] * 20), np.array([1] * 20))
    >>> laws.even(np.array([0.1, 0.2], np.float32), np.array([1, 1]), np.random.default_rng(0)).tolist()
    [0.0, 0.0]
    """

    ranks: dict[int, Quantile]

    @classmethod
    def seen(cls, distances: npt.NDArray[Any], modes: npt.NDArray[np.int64]) -> Self:
        """Keep the ranks of the distances in each mode."""
        values = distances.astype(np.float64)
        found = {mode: values[modes == mode] for mode in np.unique(modes).tolist()}
        many = {mode: own for mode, own in found.items() if len(own) >= FEW}
        return cls({mode: Quantile.fit(own, _KNOTS, normal=False) for mode, own in many.items()})

    def even(
        self, distances: npt.NDArray[np.float32], modes: npt.NDArray[np.int64], rng: np.random.Generator
    ) -> npt.NDArray[np.float32]:
        """Return distances of the same ranks within each mode, that are there as often as they were seen."""
        return even_within(
            distances, modes, {mode: self.law(mode) for mode in np.unique(modes).tolist()}, rng
        )

    def law(self, mode: int) -> Law:
        """Return what a mode has at each rank."""
        return partial(_at, self.ranks[mode]) if mode in self.ranks else _normally

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], list[int]]:
        """Return tensors, and which modes there are."""
        parts = [(mode, part, getattr(own, part)) for mode, own in self.ranks.items() for part in _PARTS]
        return {f"{mode}.{part}": values for mode, part, values in parts}, list(self.ranks)

    @classmethod
    def restore(cls, tensors: Mapping[str, npt.NDArray[Any]], modes: list[int]) -> Self:
        """Return what `state` wrote down."""
        found = {}
        for mode in modes:
            values, lower, upper = (tensors[f"{mode}.{part}"] for part in _PARTS)
            found[mode] = Quantile(values, lower, upper, normal=False)
        return cls(found)


def _normally(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(ndtri(places) / WIDTH)


def _at(ranks: Quantile, places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(ranks.decode(2 * places[:, None] - 1), dtype=np.float64)
