"""Levels as points: every code of every column has a place in space, where Gaussian noise can move it.

All points are rows of one flat table, those of a column one after the other, and nothing here loops over
columns. Three ways to place them:

    random   standard normal and fixed, as FinDiff and DP-FinDiff do: of many levels some fall together
    spread   fixed, level k of K at the angles 2 pi j k / K for j = 1, 2, ..: a circle in two dimensions, all
             equally far from each other as soon as there is room for that; levels in order have neighbours
    learned  moved by the loss, on a sphere: what tells levels apart pushes them apart, and no farther
"""

from __future__ import annotations

import math
from typing import Literal, final

import torch
from torch import Tensor, nn

from understudy.engines.nets.segments import Segments
from understudy.engines.nets.undrawn import Undrawn
from understudy.errors import ParameterError

__all__ = ["LevelPoints", "Placing", "spread_points"]

Placing = Literal["random", "spread", "learned"]

_TINY = 1e-12


@final
class LevelPoints(nn.Module):
    """The points of all levels, `width` coordinates each, of variance about 1.

    >>> points = LevelPoints([4, 2], 2, "spread", torch.Generator())
    >>> points.nearest(points(torch.tensor([[3, 1]])))
    tensor([[3, 1]])
    """

    def __init__(
        self, sizes: tuple[int, ...] | list[int], width: int, placing: Placing, generator: torch.Generator
    ) -> None:
        nn.Module.__init__(self)
        if width < 1 or placing not in ("random", "spread", "learned"):
            raise ParameterError("LevelPoints: width must be 1 or more, placing random, spread or learned.")
        self.segments, self.width, self.placing = Segments(sizes), width, placing
        parts = [spread_points(size, width) for size in sizes] if placing == "spread" else []
        drawn = torch.randn(sum(sizes), width, generator=generator)
        with Undrawn():
            self.table = nn.Embedding(sum(sizes), width)
        with torch.no_grad():
            self.table.weight.copy_(torch.cat(parts) if parts else drawn)
        self.table.requires_grad_(placing == "learned")

    @property
    def points(self) -> Tensor:
        """All points: (total, width)."""
        return self._placed(self.table.weight)

    def forward(self, codes: Tensor) -> Tensor:
        """Return (..., m width): the points of the codes (..., m), side by side."""
        return self._placed(self.table(codes + self.segments.starts)).flatten(-2)

    def mean(self, logits: Tensor) -> Tensor:
        """Return (..., m width): the mean point of each column under softmax(logits)."""
        chances = self.segments.log_softmax(logits).exp()
        members = self.segments.members[:, : len(self.segments.sizes)]  # without the empty columns
        own = members[:, :, None] * self.points[:, None]  # (total, m, width)
        return chances @ own.flatten(1)

    def nearest(self, places: Tensor) -> Tensor:
        """Return (..., m): the code of each column whose point is nearest to its place."""
        points, split = self.points, places.view(*places.shape[:-1], len(self.segments.sizes), self.width)
        # |x - p|^2 = |x|^2 - 2 (x p - |p|^2 / 2), and |x| is the same for all levels of a column
        score = -points.square().sum(-1) / 2
        for place, axis in zip(split.unbind(-1), points.T, strict=True):
            score = score + self.segments.spread(place) * axis
        return self.segments.argmax(score)

    def _placed(self, points: Tensor) -> Tensor:
        if self.placing != "learned":
            return points
        length = points.square().sum(-1, keepdim=True).clamp(min=_TINY).sqrt()
        return math.sqrt(self.width) * points / length


def spread_points(levels: int, width: int) -> Tensor:
    """Return (levels, width): cosines and sines of 2 pi j k / levels, each pair of length sqrt(2).

    Beyond j = levels / 2 they would repeat mirrored; the first ones are taken again instead.

    >>> spread_points(4, 2).round().abs().tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    half = max(levels // 2, 1)
    waves = 1 + torch.arange((width + 1) // 2, dtype=torch.float64) % half
    angles = 2 * math.pi / levels * torch.arange(levels, dtype=torch.float64)[:, None] * waves
    both = torch.stack([angles.cos(), angles.sin()], -1).flatten(1)[:, :width]
    return (math.sqrt(2) * both).float()
