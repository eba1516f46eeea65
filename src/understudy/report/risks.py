"""Every risk on one axis: its value, its interval, what chance gives, and the control (a forest plot)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from markupsafe import Markup

from understudy.report.catalogue import QUESTIONS, known, under
from understudy.report.svg import Scale, joined, picture, tag, text
from understudy.report.words import against, brief, figure, span, spoken
from understudy.result import Result

__all__ = ["forest", "on_one_axis"]

_WIDTH, _LEFT, _RIGHT = 720.0, 250.0, 640.0
_MARK, _LETTER = 40.0, 6.1  # pixels of the legend: a mark with room around it, a letter
_ROW, _HEAD, _TOP, _FOOT = 24.0, 30.0, 8.0, 54.0


def on_one_axis(results: Sequence[Result]) -> tuple[tuple[Result, ...], tuple[Result, ...]]:
    """Return the risks that lie between 0 and 1, and those that were measured on another scale."""
    measured = [each for each in results if not math.isnan(each.value)]
    fits = [each.name != "privacy.epsilon_audit" and 0 <= each.value <= 1 for each in measured]
    one = tuple(each for each, fit in zip(measured, fits, strict=True) if fit)
    return one, tuple(each for each, fit in zip(measured, fits, strict=True) if not fit)


def forest(results: tuple[Result, ...], top: float = 1.0) -> Markup:
    """Return the picture of risks from 0 to `top`, under the questions that they answer."""
    scale = Scale((0.0, top), (_LEFT, _RIGHT))
    groups = [(question, under(question, results)) for question in QUESTIONS]
    rows, line = [], _TOP
    for question, group in groups:
        if group:
            rows.append(text(question, 0, line + 19, cls="head"))
            line += _HEAD
        for result in group:
            rows.append(_row(result, scale, line + _ROW / 2))
            line += _ROW
    told = "; ".join(f"{known(each.name).label} {figure(each.value)}" for each in results)
    inside = [_grid(scale, line), *rows, _legend(line + 40)]
    return picture((_WIDTH, line + _FOOT), "Risks beside what chance gives", told, inside, "wide")


def _grid(scale: Scale, bottom: float) -> Markup:
    lines = [
        tag("path", cls="grid", d=f"M{scale(at):.1f} {_TOP}V{bottom:.1f}")
        + text(f"{at:g}", scale(at), bottom + 14, cls="tick", text_anchor="middle")
        for at in scale.ticks()
    ]
    return joined(lines)


def _row(result: Result, scale: Scale, y: float) -> Markup:
    worse = against(result) in {"worse", "unlike"}
    parts = [text(brief(known(result.name).label, 36), 12, y + 4, cls="label")]
    if not (math.isnan(result.low) or math.isnan(result.high)):
        ends = (scale(result.low), scale(result.high))
        parts.append(tag("path", cls="reach", d=f"M{ends[0]:.1f} {y}H{max(ends[1], ends[0] + 0.1):.1f}"))
    parts.append(_null(scale(result.null), y) if not math.isnan(result.null) else Markup(""))
    parts.extend(_diamond(scale(value), y) for value in _controls(result))
    parts.append(_mark(scale(result.value), y, worse=worse))
    parts.append(text(figure(result.value), _WIDTH, y + 4, cls="value", text_anchor="end"))
    return tag("g", *parts, cls="mark bad" if worse else "mark", data_tip=_tip(result))


def _controls(result: Result) -> list[float]:
    """Return what else belongs on the axis: the control's own rate, or what is claimed."""
    found = [result.parts.get(name, math.nan) for name in ("control", "allowed")]
    return [value for value in found if math.isfinite(value)]


def _mark(x: float, y: float, *, worse: bool) -> Markup:
    """Return a square where a risk is above chance, else a dot: the shape says it without colour."""
    if worse:
        return tag("rect", cls="dot", x=x - 5, y=y - 5, width=10, height=10)
    return tag("circle", cls="dot", cx=x, cy=y, r=5)


def _null(x: float, y: float) -> Markup:
    return tag("path", cls="null", d=f"M{x:.1f} {y - 9}V{y + 9}")


def _diamond(x: float, y: float) -> Markup:
    return tag("path", cls="control", d=f"M{x:.1f} {y - 6}l6 6l-6 6l-6 -6z")


def _tip(result: Result) -> str:
    controls = "".join(f"; control or claim {figure(value)}" for value in _controls(result))
    return (
        f"{known(result.name).label}: {figure(result.value)}, interval {span(result.low, result.high)}; "
        f"chance gives {figure(result.null)}{controls}: {spoken(result)}"
    )


def _legend(y: float) -> Markup:
    marks = [
        (_mark(6, y, worse=False), "no worse than chance"),
        (tag("g", _mark(6, y, worse=True), cls="bad"), "worse, or unlike"),
        (_null(6, y), "what chance gives"),
        (_diamond(6, y), "control or claim"),
        (tag("path", cls="reach", d=f"M-12 {y}h22"), "95 % interval"),
    ]
    ends = accumulate((_MARK + _LETTER * len(said) for _, said in marks), initial=12.0)
    return joined(
        [
            tag("g", mark, text(said, 20, y + 4, cls="tick"), transform=f"translate({at:.1f} 0)")
            for at, (mark, said) in zip(ends, marks, strict=False)  # the last end is nobody's start
        ]
    )
