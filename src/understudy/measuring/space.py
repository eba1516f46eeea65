"""A space in which densities exist: the few directions in which the rows of an adversary vary.

One-hot blocks and constant columns make a covariance singular, and a kernel of full covariance impossible.
Principal axes of the encoded known rows leave out what does not vary, and at most so many are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.engines.density import principal_axes
from understudy.measuring.encoder import Matrix
from understudy.measuring.view import View
from understudy.table.coded import CodedTable

__all__ = ["Space"]


@final
@dataclass(frozen=True, eq=False)
class Space:
    """Coordinates of rows along the principal axes of what is known; `scale` is their largest variance."""

    view: View
    axes: Matrix
    scale: float

    @classmethod
    def of(cls, view: View, most: int) -> Space:
        """Return the space of the rows that the adversary knows, of at most so many dimensions."""
        known = view.matrix(view.known)
        axes = principal_axes(known, most)
        return cls(view, axes, float(np.var(known @ axes, axis=0).max(initial=0.0)) or 1.0)

    def __call__(self, table: CodedTable) -> Matrix:
        """Return the coordinates of rows that are told in the terms of the view."""
        return np.asarray(self.view.matrix(table) @ self.axes)
