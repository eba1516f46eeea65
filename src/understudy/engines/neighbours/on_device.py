"""The shortest straight way to any candidate, on a device: the search of `vectors` for all queries at once.

Bounds are products in float32, less what they may be off by; the candidate of the least bound is measured in
float64, and so are all that may be as near by theirs. What comes out is exact, as on a processor.
"""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor

from understudy.engines.neighbours.points import GRAIN, Floats
from understudy.engines.training.precision import computing
from understudy.errors import ParameterError

__all__ = ["ShortestOnDevice", "has_device"]

_BOUNDS = 2**28  # at a time: 1 GiB
_COORDINATES = 2**24  # of pairs that are measured at a time


def has_device() -> bool:
    """Say whether there is a device."""
    return torch.cuda.is_available()


@final
class ShortestOnDevice:
    """Queries on a device, which sets of candidates are held before one after another.

    >>> find = ShortestOnDevice(np.array([[0.0, 0.0]]), "cpu")
    >>> find(np.array([[3.0, 4.0], [6.0, 8.0]])).tolist()
    [5.0]
    """

    def __init__(self, queries: Floats, device: str | torch.device = "cuda") -> None:
        self._queries = torch.from_numpy(np.ascontiguousarray(queries)).to(device)
        self._centre = self._queries.mean(0) if len(queries) else self._queries.new_zeros(queries.shape[1])
        # As in `vectors`: the product of n float32 terms is off by at most n 2^-24 of the sum of their sizes.
        self._kept = 1 - (queries.shape[1] + 16) * 2.0**-22
        asked = self._queries - self._centre
        ones = torch.ones(len(asked), 1, device=asked.device, dtype=asked.dtype)
        self._asked = torch.cat([-2 * asked, ones, self._kept * _squares(asked)[:, None]], 1).float()

    def __call__(self, candidates: Floats) -> Floats:
        """Return the distance of each query to the nearest candidate."""
        if not len(candidates) or candidates.shape[1] != self._queries.shape[1]:
            raise ParameterError("neighbours: expected candidates with the columns of the queries.")
        known = torch.from_numpy(np.ascontiguousarray(candidates)).to(self._queries.device)
        moved = known - self._centre
        ones = torch.ones(len(known), 1, device=known.device, dtype=known.dtype)
        sides = torch.cat([moved, self._kept * _squares(moved)[:, None], ones], 1).float().T
        step = max(1, _BOUNDS // len(known))
        with torch.no_grad(), computing("float32", known.device):
            starts = range(0, len(self._queries), step)
            parts = [self._block(slice(start, start + step), known, sides) for start in starts]
        found: Floats = torch.cat(parts).sqrt().cpu().numpy() if parts else np.empty(0)
        return found

    def _block(self, rows: slice, known: Tensor, sides: Tensor) -> Tensor:
        queries, bounds = self._queries[rows], self._asked[rows] @ sides
        lengths = _on_grid(_squares(known[bounds.argmin(1)] - queries))
        limits = torch.nextafter((lengths + 2 * GRAIN).float(), lengths.new_tensor(torch.inf).float())
        asked, places = (bounds <= limits[:, None]).nonzero(as_tuple=True)
        step = max(1, _COORDINATES // max(1, known.shape[1]))
        for start in range(0, len(asked), step):
            one, other = asked[start : start + step], places[start : start + step]
            near = _on_grid(_squares(known[other] - queries[one]))
            lengths.scatter_reduce_(0, one, near, "amin")
        return lengths


def _squares(rows: Tensor) -> Tensor:
    return rows.square().sum(1)


def _on_grid(values: Tensor) -> Tensor:
    return (values / GRAIN).round() * GRAIN
