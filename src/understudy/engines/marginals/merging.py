"""Merging: fewer cells where there are few rows, so that noise does not drown what a table says.

Domain compression of MST (McKenna, Miklau, Sheldon 2021), and its like for quantities: neighbouring bins are
joined until each holds enough. What was merged is told apart again by its own share when rows are drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["merge_levels", "merge_neighbours"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]


def merge_levels(counts: Floats, least: float) -> Places:
    """Return the merged cell of every cell: those with fewer rows than `least` share one, the last.

    >>> merge_levels(np.array([50.0, 1.0, 40.0, 2.0]), least=10.0).tolist()
    [0, 2, 1, 2]
    """
    small = counts < least
    if small.sum() < 2:
        return np.arange(len(counts), dtype=np.int32)
    places = np.cumsum(~small) - 1
    return np.where(small, int((~small).sum()), places).astype(np.int32)


def merge_neighbours(counts: Floats, least: float, most: int) -> Places:
    """Return the merged cell of every bin: neighbours are joined until each has `least` rows, `most` in all.

    >>> merge_neighbours(np.array([5.0, 6.0, 30.0, 2.0, 3.0]), least=10.0, most=8).tolist()
    [0, 0, 1, 1, 1]
    """
    enough = max(least, float(counts.sum()) / most, 1e-300)
    places = np.zeros(len(counts), dtype=np.int32)
    place, held = 0, 0.0
    for at, count in enumerate(counts):
        # A bin that is full by itself starts anew, so that a heavy value is not blurred by its neighbours.
        if held >= enough or (held > 0 and count >= enough and held >= least):
            place, held = place + 1, 0.0
        places[at] = place
        held += float(count)
    if held < least and place > 0:
        places[places == place] = place - 1
    return places
