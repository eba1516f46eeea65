"""Cliques: sets of attributes, written as rising tuples of their places, and arrays over them.

An array over a clique has one axis per attribute, in the clique's order. As the order is always rising, a
smaller clique's array lines up with a larger one's by adding axes of length 1: no axis is ever moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Clique", "Floats", "Sizes", "cells", "clique", "lined_up", "log_sum", "shape_of", "summed"]

Clique = tuple[int, ...]
Sizes = Sequence[int]
Floats = npt.NDArray[np.float64]


def clique(attributes: Iterable[int]) -> Clique:
    """Return the attributes as a clique.

    >>> clique([3, 1])
    (1, 3)
    """
    return tuple(sorted(set(attributes)))


def shape_of(of: Clique, sizes: Sizes) -> tuple[int, ...]:
    """Return the shape of an array over a clique."""
    return tuple(sizes[attribute] for attribute in of)


def cells(of: Clique, sizes: Sizes) -> int:
    """Return the number of cells of a clique."""
    return math.prod(sizes[attribute] for attribute in of)


def lined_up(values: Floats, of: Clique, within: Clique) -> Floats:
    """Return an array over a clique as one that broadcasts over a larger clique."""
    sizes = iter(values.shape)
    return values.reshape([next(sizes) if attribute in of else 1 for attribute in within])


def summed(values: Floats, of: Clique, onto: Clique) -> Floats:
    """Return the marginal of an array on a smaller clique.

    >>> summed(np.ones((2, 3)), (0, 4), (4,)).tolist()
    [2.0, 2.0, 2.0]
    """
    gone = tuple(place for place, attribute in enumerate(of) if attribute not in onto)
    return np.asarray(values.sum(axis=gone)) if gone else values


def log_sum(values: Floats, of: Clique, onto: Clique) -> Floats:
    """Return the marginal of logarithms, as logarithms."""
    gone = tuple(place for place, attribute in enumerate(of) if attribute not in onto)
    if not gone:
        return values
    top = values.max(axis=gone, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)  # a cell that is ruled out in every way stays ruled out
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(values - top).sum(axis=gone))
    return np.asarray(total + top.reshape(total.shape))
