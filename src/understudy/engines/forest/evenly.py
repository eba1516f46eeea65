"""Uniform numbers that are spread evenly over rows which stand side by side."""

from __future__ import annotations

import numpy as np

from understudy.engines.forest.axis import Floats

__all__ = ["evenly"]

BLOCK = 32


def evenly(rows: int, rng: np.random.Generator) -> Floats:
    """Return a uniform number per row; every block of rows has one in each of as many equal parts of [0, 1).

    Each number by itself is uniform. Rows of neighbouring leaves have almost one law, so that together they
    come closer to it than independent numbers would.

    >>> sorted((evenly(32, np.random.default_rng(0)) * 32).astype(int)) == list(range(32))
    True
    """
    parts = np.tile(np.arange(BLOCK), (-(-rows // BLOCK), 1))
    parts = rng.permuted(parts, axis=1)
    return np.asarray(((parts + rng.random(parts.shape)) / BLOCK).ravel()[:rows])
