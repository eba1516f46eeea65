"""Pictures as text: elements with escaped content, a frame with a title, and scales with round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from markupsafe import Markup

from understudy.markup import safe

__all__ = ["Scale", "joined", "number", "picture", "polyline", "tag", "text"]


def number(value: float) -> str:
    """Return a coordinate, to a tenth.

    >>> number(12.04), number(-0.01), number(3)
    ('12', '0', '3')
    """
    rounded = f"{value:.1f}".removesuffix(".0")
    return "0" if rounded == "-0" else rounded


def tag(name: str, *inside: str, **attributes: float | str) -> Markup:
    """Return an element; whatever is not marked as markup is escaped, and `cls` is the class.

    >>> tag("text", "<b>", cls="name", x=1.0)
    Markup('<text class="name" x="1">&lt;b&gt;</text>')
    """
    given = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{_written(value)}"'
        for key, value in attributes.items()
    )
    if not inside:
        return Markup(f"<{name}{given}/>")  # noqa: S704 - everything in it was escaped above
    return Markup(f"<{name}{given}>{joined(inside)}</{name}>")  # noqa: S704 - and below


def _written(value: float | str) -> str:
    return safe(value) if isinstance(value, str) else number(value)


def joined(parts: Sequence[str]) -> Markup:
    """Return elements one after the other; what is plain text is escaped."""
    return Markup("".join(part if isinstance(part, Markup) else safe(part) for part in parts))  # noqa: S704


def text(said: str, x: float, y: float, **attributes: float | str) -> Markup:
    """Return words at a place."""
    return tag("text", said, x=x, y=y, **attributes)


def polyline(points: Sequence[tuple[float, float]], **attributes: float | str) -> Markup:
    """Return a line through points."""
    return tag("path", d="M" + "L".join(f"{number(x)} {number(y)}" for x, y in points), **attributes)


def picture(
    size: tuple[float, float], title: str, told: str, inside: Sequence[str], kind: str = ""
) -> Markup:
    """Return a whole picture: `title` names it, and `told` says what there is to see for those who cannot.

    >>> print(picture((9, 9), "nothing", "a square", []))
    <svg class="plot" viewBox="0 0 9 9" role="img"><title>nothing</title><desc>a square</desc></svg>
    """
    box = f"0 0 {number(size[0])} {number(size[1])}"
    return tag(
        "svg",
        tag("title", title),
        tag("desc", told),
        joined(inside),
        cls=f"plot {kind}".strip(),
        viewBox=box,
        role="img",
    )


@final
@dataclass(frozen=True)
class Scale:
    """From values to pixels; what lies outside is put on the edge.

    >>> Scale((0.0, 1.0), (0.0, 200.0))(0.25)
    50.0
    >>> Scale((0.001, 1.0), (0.0, 300.0), log=True)(0.01)
    100.0
    """

    domain: tuple[float, float]
    pixels: tuple[float, float]
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high = self.domain
        kept = min(high, max(low, value))
        if self.log:
            low, high, kept = math.log10(low), math.log10(high), math.log10(kept)
        share = (kept - low) / (high - low) if high > low else 0.5
        return round(self.pixels[0] + share * (self.pixels[1] - self.pixels[0]), 6)

    def ticks(self, most: int = 6) -> list[float]:
        """Return round values inside the domain.

        >>> Scale((0.0, 1.0), (0, 1)).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        >>> Scale((0.001, 1.0), (0, 1), log=True).ticks()
        [0.001, 0.01, 0.1, 1.0]
        """
        low, high = self.domain
        if self.log:
            powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
            return [10.0**power for power in powers]
        if high <= low:
            return [low]
        step = _round_step((high - low) / max(1, most - 1))
        first = math.ceil(low / step - 1e-9)
        return [round(at * step, 10) for at in range(first, math.floor(high / step + 1e-9) + 1)]


def _round_step(least: float) -> float:
    """Return the next of 1, 2, 2.5 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * by for by in (1, 2, 2.5, 5, 10) if power * by >= least * (1 - 1e-9))
