"""Ranks of a mixture within a range: where a column that is learned as distances from modes is even."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from understudy.codec.modes import Modes
from understudy.codec.ruler import shares

__all__ = ["ModeRanks"]

Floats = npt.NDArray[np.float64]

_LEAST = 1e-300  # of a range that no mode reaches
_KNOTS, _OF_A_MODE = 1_025, np.linspace(-4.0, 4.0, 33)  # where ranks are told; in between they are even
_NARROW = 0.01  # of a column: a mode of this width at a tie is the tie
_FLAT = 1e-9  # of the ranks is even, so that every value has one of its own


@final
@dataclass(frozen=True, eq=False)
class ModeRanks:
    """Places within a range, from 0 to 1 and half a step beyond, and the mixture's ranks there."""

    knots: Floats
    ranks: Floats

    @classmethod
    def within(cls, encoder: Modes, ends: npt.NDArray[Any], half: float) -> Self:
        """Rank what lies between the ends; `half` is half a step, as a share of the range."""
        low, high = shares(ends, encoder.low, encoder.high)
        own = ~_are_ties(encoder)
        weights, means, deviations = encoder.weights[own], encoder.means[own], encoder.deviations[own]
        # Modes may be far narrower than what lies between two even knots.
        near = ((means[:, None] + deviations[:, None] * _OF_A_MODE).ravel() - low) / max(high - low, _LEAST)
        even = np.linspace(-half, 1 + half, _KNOTS)
        knots = np.unique(np.concatenate([even, near[(near > even[0]) & (near < even[-1])]]))
        below = (weights * ndtr(((low + (high - low) * knots)[:, None] - means) / deviations)).sum(1)
        ranks = _from_0_to_1(_from_0_to_1(below) + _FLAT * _from_0_to_1(knots))
        return cls(knots, ranks)

    def of(self, places: Floats) -> Floats:
        """Return the rank at each place."""
        return np.asarray(np.interp(places, self.knots, self.ranks), dtype=np.float64)

    def at(self, ranks: Floats) -> Floats:
        """Return the place of each rank."""
        return np.asarray(np.interp(ranks, self.ranks, self.knots), dtype=np.float64)


def _from_0_to_1(rising: Floats) -> Floats:
    return np.asarray((rising - rising[0]) / max(float(rising[-1] - rising[0]), _LEAST))


def _are_ties(encoder: Modes) -> npt.NDArray[np.bool_]:
    """Return which modes are one value that many rows share: no other value comes from there."""
    if not len(encoder.ties):
        return np.zeros(len(encoder.means), dtype=np.bool_)
    off = np.abs(encoder.means[:, None] - shares(encoder.ties, encoder.low, encoder.high))
    return np.asarray((off.min(1) <= encoder.deviations) & (encoder.deviations < _NARROW))
