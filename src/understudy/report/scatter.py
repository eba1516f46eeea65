"""A cloud of points as inline SVG: a plain one, with those that matter on top of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.markup import spelled

__all__ = ["Cloud", "scatter"]

_WIDTH, _HEIGHT, _EDGE, _FOOT = 640, 480, 16, 40


@final
@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one kind: what they are called, their colour and size, how much they cover, dots or rings."""

    label: str
    points: npt.NDArray[np.float64]  # (points, 2)
    colour: str
    radius: float = 2.0
    opacity: float = 1.0
    hollow: bool = False


def scatter(clouds: Sequence[Cloud], title: str) -> str:
    """Return a picture of all clouds on one scale, the last on top, with a legend; `title` is its alt text.

    >>> picture = scatter([Cloud("rows", np.array([[0.0, 0.0], [1.0, 2.0]]), "#456")], "two rows")
    >>> picture.count("<circle"), "<title>two rows</title>" in picture
    (3, True)
    """
    if not clouds:
        raise ParameterError("scatter: at least one cloud of points is needed; got none.")
    scale = _Scale.of(np.concatenate([cloud.points for cloud in clouds]))
    dots = "".join(_dots(cloud, scale(cloud.points)) for cloud in clouds)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="14">'
        f"<title>{escape(spelled(title))}</title><desc>{escape(_told(clouds))}</desc>{dots}{_legend(clouds)}</svg>"
    )


@final
@dataclass(frozen=True, eq=False)
class _Scale:
    """Where a point lies on the picture; both axes keep their proportions."""

    middle: npt.NDArray[np.float64]
    factor: float

    @classmethod
    def of(cls, points: npt.NDArray[np.float64]) -> _Scale:
        """Fit all points that are finite into the picture."""
        known = points[np.isfinite(points).all(1)]
        if not len(known):
            return cls(np.zeros(2), 1.0)
        low, high = known.min(0), known.max(0)
        room = np.array([_WIDTH - 2 * _EDGE, _HEIGHT - _EDGE - _FOOT])
        spread = np.maximum(high - low, 1e-12 * np.maximum(1.0, np.abs(known).max()))
        return cls((low + high) / 2, float((room / spread).min()))

    def __call__(self, points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return pixels, y downwards; points that are nowhere are left out."""
        known = points[np.isfinite(points).all(1)]
        centre = np.array([_WIDTH / 2, (_HEIGHT + _EDGE - _FOOT) / 2])
        return np.asarray(centre + (known - self.middle) * self.factor * np.array([1.0, -1.0]))


def _dots(cloud: Cloud, pixels: npt.NDArray[np.float64]) -> str:
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{cloud.radius:g}"/>' for x, y in pixels)
    return f"<g {_paint(cloud)}>{marks}</g>"


def _paint(cloud: Cloud) -> str:
    """Return how the marks of a cloud are painted: rings and dots are told apart without colour."""
    colour = escape(cloud.colour)
    if cloud.hollow:
        return f'fill="none" stroke="{colour}" stroke-opacity="{cloud.opacity:g}"'
    return f'fill="{colour}" fill-opacity="{cloud.opacity:g}"'


def _told(clouds: Sequence[Cloud]) -> str:
    return "; ".join(f"{len(cloud.points):,} points: {spelled(cloud.label)}" for cloud in clouds)


def _legend(clouds: Sequence[Cloud]) -> str:
    """Return a line below the picture: a dot and a word for each cloud, evenly spaced."""
    step = (_WIDTH - 2 * _EDGE) / len(clouds)
    line = _HEIGHT - _FOOT / 3
    return "".join(_entry(cloud, _EDGE + at * step, line) for at, cloud in enumerate(clouds))


def _entry(cloud: Cloud, left: float, line: float) -> str:
    dot = f'<circle cx="{left + 6:.1f}" cy="{line - 5:.1f}" r="5" {_paint(cloud)}/>'
    label = escape(spelled(cloud.label))
    return f'{dot}<text x="{left + 18:.1f}" y="{line:.1f}" fill="currentColor">{label}</text>'
