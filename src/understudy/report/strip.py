"""One score as a small strip beside its figures: the interval, the value, and what real rows would give."""

from __future__ import annotations

import math

from markupsafe import Markup

from understudy.report.svg import Scale, picture, tag
from understudy.report.words import against, figure, span, spoken
from understudy.result import Result

__all__ = ["strip"]

_WIDTH, _HEIGHT = 150.0, 22.0


def strip(result: Result) -> Markup:
    """Return the picture; its ends are those of what it shows, so strips of two scores do not compare."""
    known = [each for each in (result.value, result.low, result.high, result.null) if math.isfinite(each)]
    if math.isnan(result.value) or not known:
        return Markup("")
    room = (max(known) - min(known)) * 0.12 or abs(result.value) * 0.1 or 0.1
    scale, y = Scale((min(known) - room, max(known) + room), (4.0, _WIDTH - 4)), _HEIGHT / 2
    bad = against(result) in {"worse", "unlike"}
    parts = [tag("path", cls="grid", d=f"M2 {y}H{_WIDTH - 2}")]
    if math.isfinite(result.low) and math.isfinite(result.high):
        ends = scale(result.low), max(scale(result.high), scale(result.low) + 0.1)
        parts.append(tag("path", cls="reach", d=f"M{ends[0]:.1f} {y}H{ends[1]:.1f}"))
    if math.isfinite(result.null):
        parts.append(tag("path", cls="null", d=f"M{scale(result.null):.1f} {y - 8}V{y + 8}"))
    x = scale(result.value)
    if bad:
        parts.append(tag("rect", cls="dot", x=x - 4, y=y - 4, width=8, height=8))
    else:
        parts.append(tag("circle", cls="dot", cx=x, cy=y, r=4))
    told = f"{figure(result.value)}, interval {span(result.low, result.high)}, null {figure(result.null)}"
    inside = [tag("g", *parts, cls="low" if bad else "good")]
    return picture((_WIDTH, _HEIGHT), spoken(result), told, inside, "strip")
