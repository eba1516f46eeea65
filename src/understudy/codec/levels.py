"""Levels as codes, with rare ones sharing a code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.codec.encoder import CodeEncoder, Rng
from understudy.errors import InputError
from understudy.missing import is_missing

__all__ = ["Grouped"]


@final
@dataclass(frozen=True, eq=False)
class Grouped(CodeEncoder):
    """The code of every level, and the weight with which a shared code is read as that level.

    >>> few = Grouped.fit(np.array([0, 0, 0, 1, 2, 2], dtype=np.int32), 3, rare=3, can_be_missing=False)
    >>> few.codes.tolist(), few.weights.tolist()
    ([0, 1, 1], [3.0, 1.0, 2.0])
    """

    codes: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    can_be_missing: bool

    @classmethod
    def all(cls, levels: int, *, can_be_missing: bool) -> Grouped:
        """Give every level a code of its own: nothing is learned."""
        return cls(np.arange(levels), np.ones(levels), can_be_missing)

    @classmethod
    def fit(cls, values: npt.NDArray[np.int32], levels: int, *, rare: int, can_be_missing: bool) -> Grouped:
        """Let the levels with fewer than `rare` rows share the last code."""
        counts = np.bincount(values[values >= 0], minlength=levels)
        common = counts >= rare
        codes = np.where(common, np.cumsum(common) - 1, common.sum()).astype(np.int64)
        # Levels that no row has are never drawn, unless the group holds nothing else.
        weights = counts if counts[~common].any() else np.maximum(counts, 1)
        return cls(codes, weights.astype(np.float64), can_be_missing)

    @property
    def count(self) -> int:
        """The codes of levels, and one more when the column can be missing."""
        return int(self.codes.max()) + 1 + self.can_be_missing

    @property
    def dtype(self) -> np.dtype[Any]:
        """Level codes."""
        return np.dtype(np.int32)

    def encode(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the code of each level."""
        if values.max(initial=-1) >= len(self.codes):
            raise InputError(
                f"codec: codes below {len(self.codes):,} are expected; use the schema it was planned from."
            )
        gone = is_missing(values)
        return np.where(gone, int(self.codes.max()) + 1, self.codes[np.where(gone, 0, values)])

    def decode(self, codes: npt.NDArray[np.int64], rng: Rng) -> npt.NDArray[np.int32]:
        """Return the level of each code, drawn by weight where several share it."""
        members = np.argsort(self.codes, kind="stable")  # levels, those of one code side by side
        sizes = np.bincount(self.codes)
        first = np.cumsum(sizes) - sizes
        gone = codes >= len(sizes)
        place = np.where(gone, 0, codes)
        spot = first[place]
        shared = np.flatnonzero(sizes[place] > 1)
        ends = np.cumsum(self.weights[members])
        begin = ends - self.weights[members]
        start, stop = begin[spot[shared]], ends[spot[shared] + sizes[place[shared]] - 1]
        aim = start + (stop - start) * rng.random(len(shared))
        drawn = np.searchsorted(ends, aim, side="right")
        # Rounding may carry the aim over the group's last end.
        spot[shared] = np.minimum(drawn, spot[shared] + sizes[place[shared]] - 1)
        return np.where(gone, -1, members[spot]).astype(np.int32)
