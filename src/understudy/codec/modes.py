"""Mode-specific normalisation (Xu et al. 2019, Modeling Tabular Data using Conditional GAN, section 4.2).

A quantity becomes its distance from one mode of a Gaussian mixture, in units of four standard
deviations, and a one-hot, or a code, that says which mode. With an rng the mode is drawn with the
probability that the value came from it, as in the paper; without one the likeliest is taken.
Decoding gives the same value either way. The distance is not clipped: an outlier beyond four
standard deviations comes back too, and a method with a bounded output clips for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.codec.encoder import NumberEncoder, Rng
from understudy.codec.layout import Part
from understudy.codec.ruler import between, shares
from understudy.engines.mixture import Mixture, fit_mixture
from understudy.missing import is_missing

__all__ = ["Modes"]

Floats = npt.NDArray[np.float64]

WIDTH = 4.0  # standard deviations from 0 to 1
_ROUNDED = 2.0**-23  # what a single float may be off by, of itself; its square is what doubles may
_HEAVY = 0.005  # of the rows have one float: a tie, which has to come back as it was


@final
@dataclass(frozen=True, eq=False)
class Modes(NumberEncoder):
    """The modes of a column, on the range [low, high] scaled to [0, 1].

    >>> coder = Modes.fit(np.array([1.0, 1.0, 9.0, 9.0] * 20), 10, np.random.default_rng(0))
    >>> coder.encode(np.array([1.0, 9.0]), None)[:, 1:].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    low: int | float
    high: int | float
    weights: Floats
    means: Floats
    deviations: Floats
    ties: Floats
    onehot: bool = True

    @classmethod
    def fit(cls, present: npt.NDArray[Any], modes: int, rng: Rng, *, onehot: bool = True) -> Modes:
        """Learn the mixture from the entries that are there."""
        low, high = present.min().item(), present.max().item()
        mixture = fit_mixture(shares(present, low, high), modes, rng)
        return cls(low, high, mixture.weights, mixture.means, mixture.deviations, _ties(present), onehot)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The distance, then the mode: its one-hot, or its code."""
        count = len(self.weights)
        return Part("number", 1), Part("modes", count) if self.onehot else Part("code", 1, count)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Steps where the range is in whole numbers, else floats."""
        return np.dtype(np.int64 if isinstance(self.low, int) else np.float64)

    def encode(self, values: npt.NDArray[Any], rng: Rng | None) -> npt.NDArray[np.float32]:
        """Return distance and mode of each entry; a missing one stands at a mode's centre, or near one."""
        gone = is_missing(values)
        share = shares(np.where(gone, self.low, np.clip(values, self.low, self.high)), self.low, self.high)
        mode = self._mixture.likeliest(share) if rng is None else self._mixture.drawn(share, rng)
        distance = (share - self.means[mode]) / (WIDTH * self.deviations[mode])
        mode[gone], distance[gone] = self._filled(int(gone.sum()), rng)
        if not self.onehot:
            return np.stack([distance, mode], axis=1).astype(np.float32)
        block = np.zeros((len(values), 1 + len(self.weights)), dtype=np.float32)
        block[:, 0] = distance
        block[np.arange(len(values)), 1 + mode] = 1.0
        return block

    def decode(self, block: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the entry at each distance from the mode whose coordinate is largest, or nearest."""
        mode = block[:, 1:].argmax(axis=1) if self.onehot else self._nearest(block[:, 1])
        distance = block[:, 0].astype(np.float64)
        share = self.means[mode] + distance * WIDTH * self.deviations[mode]
        values = between(self.low, self.high, share)
        return self._tied(values, share, np.abs(distance) * WIDTH * self.deviations[mode] * _ROUNDED)

    def _tied(self, values: npt.NDArray[Any], share: Floats, near: Floats) -> npt.NDArray[Any]:
        """Return the values, those that are a tie's but for rounding as the tie itself: 0 and not 1e-9."""
        if not len(self.ties):
            return values
        places = shares(self.ties, self.low, self.high)
        above = np.searchsorted(places, share).clip(0, len(places) - 1)
        below = np.maximum(above - 1, 0)
        nearest = np.where(share - places[below] < places[above] - share, below, above)
        return np.where(np.abs(places[nearest] - share) <= near + _ROUNDED**2, self.ties[nearest], values)

    def _nearest(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        return np.asarray(np.rint(np.clip(codes, 0, len(self.weights) - 1)), dtype=np.int64)

    @property
    def _mixture(self) -> Mixture:
        return Mixture(self.weights, self.means, self.deviations)

    def _filled(self, count: int, rng: Rng | None) -> tuple[npt.NDArray[np.int64], Floats]:
        if rng is None:
            return np.full(count, self.weights.argmax()), np.zeros(count)
        mode = rng.choice(len(self.weights), size=count, p=self.weights)
        return mode, rng.standard_normal(count) / WIDTH


def _ties(present: npt.NDArray[Any]) -> Floats:
    """Return the floats that many rows share, in rising order; steps come back as they were anyway."""
    if present.dtype.kind != "f":
        return np.zeros(0)
    values, counts = np.unique(present, return_counts=True)
    return np.asarray(values[(counts > 1) & (counts >= _HEAVY * len(present))])
