"""Monotone rational-quadratic splines: a bijection of the line with a derivative (Durkan et al. 2019).

Between knots (x_k, y_k) with slopes d_k, and s_k the slope of the chord (section 3.1 of the paper):

    y = y_k + h_k (s_k t^2 + d_k t (1 - t)) / (s_k + (d_k+1 + d_k - 2 s_k) t (1 - t)),   t = (x - x_k) / w_k

Beyond `reach` it is the identity. Of K bins K widths, K heights and K - 1 inner slopes are told; told only
zeros, the spline is the identity everywhere.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["Spline", "parameters"]

_LEAST = 1e-3  # of all bins that a bin takes at least, and of 1 that a slope has at least
_ONE = math.log(math.expm1(1 - _LEAST))  # softplus of this is a slope of 1, less the least one


def parameters(bins: int) -> int:
    """Return how many numbers tell a spline.

    >>> parameters(8)
    23
    """
    return 3 * bins - 1


@final
class Spline(NamedTuple):
    """Knots (..., K + 1) of x and y and slopes at them, one spline for each leading place."""

    xs: Tensor
    ys: Tensor
    slopes: Tensor

    @classmethod
    def told(cls, parts: Tensor, reach: float) -> Spline:
        """Return the splines that (..., 3 K - 1) real numbers tell."""
        bins = (parts.shape[-1] + 1) // 3
        widths, heights, inner = torch.split(parts, [bins, bins, bins - 1], -1)
        slopes = functional.pad(_LEAST + functional.softplus(inner + _ONE), (1, 1), value=1.0)
        return cls(_knots(widths, reach), _knots(heights, reach), slopes)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return y, and the logarithm of the derivative of y, at x of the leading shape."""
        inside = (x > self.xs[..., 0]) & (x < self.xs[..., -1])
        x_in = torch.where(inside, x, 0.0)
        x0, width, y0, height, d0, d1 = self._bin(self.xs, x_in)
        t, chord = (x_in - x0) / width, height / width
        mixed, bend = t * (1 - t), d0 + d1 - 2 * chord
        below = chord + bend * mixed
        y = y0 + height * (chord * t.square() + d0 * mixed) / below
        rise = d1 * t.square() + 2 * chord * mixed + d0 * (1 - t).square()
        log_slope = 2 * torch.log(chord / below) + torch.log(rise)
        return torch.where(inside, y, x), torch.where(inside, log_slope, 0.0)

    def inverse(self, y: Tensor) -> Tensor:
        """Return the x that `forward` takes to y (eq. 6 to 8 of the paper)."""
        inside = (y > self.ys[..., 0]) & (y < self.ys[..., -1])
        y_in = torch.where(inside, y, 0.0)
        x0, width, y0, height, d0, d1 = self._bin(self.ys, y_in)
        chord, up = height / width, y_in - y0
        bend = up * (d0 + d1 - 2 * chord)
        a, b, c = height * (chord - d0) + bend, height * d0 - bend, -chord * up
        root = torch.sqrt((b.square() - 4 * a * c).clamp(min=0.0))
        t = (2 * c / (-b - root)).clamp(0.0, 1.0)
        return torch.where(inside, x0 + t * width, y)

    def _bin(self, knots: Tensor, at: Tensor) -> tuple[Tensor, ...]:
        """Return left end and width, bottom and height, and both slopes of the bin of each place."""
        inner = knots[..., 1:-1]
        place = (at[..., None] >= inner).sum(-1, keepdim=True)  # (..., 1)
        x0, x1, y0, y1, d0, d1 = (
            part.gather(-1, place + end)[..., 0] for part in (self.xs, self.ys, self.slopes) for end in (0, 1)
        )
        return x0, x1 - x0, y0, y1 - y0, d0, d1


def _knots(parts: Tensor, reach: float) -> Tensor:
    """Return (..., K + 1): knots from -reach to reach, as far apart as a softmax says, and never too near."""
    bins = parts.shape[-1]
    shares = _LEAST + (1 - _LEAST * bins) * torch.softmax(parts, -1)
    inner = reach * (2 * shares.cumsum(-1)[..., :-1] - 1)
    return functional.pad(functional.pad(inner, (1, 0), value=-reach), (0, 1), value=reach)
