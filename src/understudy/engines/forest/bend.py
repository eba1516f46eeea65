"""A line bent so that the numbers of one column lie evenly on it: normal laws then fit skewed columns too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.engines.forest.axis import Floats

__all__ = ["Bend"]

MOST_KNOTS = 500
ROWS_PER_KNOT = 10  # so that no row has a knot to itself


@final
@dataclass(frozen=True, eq=False)
class Bend:
    """Straight pieces from `knots` to `heights`, both from -1 to 1 and ascending."""

    knots: Floats
    heights: Floats

    @classmethod
    def straight(cls) -> Bend:
        """Return the line as it is."""
        return cls(np.array([-1.0, 1.0]), np.array([-1.0, 1.0]))

    @classmethod
    def of(cls, places: Floats) -> Bend:
        """Put as many of the places between each two knots; of few places the line stays straight.

        >>> Bend.of(np.linspace(-1, 1, 1_000) ** 3).line(np.array([0.125])).round(1).tolist()
        [0.5]
        """
        pieces = min(len(places) // ROWS_PER_KNOT, MOST_KNOTS)
        if pieces < 2:
            return cls.straight()
        shares = np.linspace(0.0, 1.0, pieces + 1)
        knots = np.quantile(places, shares)
        knots[0], knots[-1] = -1.0, 1.0
        kept = np.append(
            np.diff(knots) > 1e-12, True
        )  # of knots in one place the last: all below it is there
        kept[0] = True
        kept[:-1] &= knots[:-1] < 1.0 - 1e-12
        kept[1:] &= knots[1:] > -1.0 + 1e-12
        return cls(knots[kept], (2 * shares - 1)[kept])

    def line(self, places: Floats) -> Floats:
        """Return the heights of places."""
        return np.asarray(np.interp(places, self.knots, self.heights))

    def back(self, heights: Floats) -> Floats:
        """Return the places of heights."""
        return np.asarray(np.interp(heights, self.heights, self.knots))

    def slope(self, places: Floats) -> Floats:
        """Return how steep the line is at places."""
        slopes = np.diff(self.heights) / np.diff(self.knots)
        piece = np.searchsorted(self.knots, places, side="right") - 1
        return np.asarray(slopes[np.clip(piece, 0, len(slopes) - 1)])
