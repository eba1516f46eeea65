"""Several candidates on the plane of likeness, use and risk, each with its intervals, and the frontier.

The frontier goes through the candidates that no other one beats in both directions at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from understudy.report.catalogue import known
from understudy.report.dossier import Candidate
from understudy.report.ranking import first_common
from understudy.report.svg import Scale, joined, picture, polyline, tag, text
from understudy.report.words import brief, figure, span
from understudy.result import Result

__all__ = ["frontier", "unbeaten"]

_RISK = ("mia", "domias", "gan_leaks_calibrated", "dpi", "gan_leaks", "closest_distance_l2", "singling_out")
_FIDELITY = ("resemblance", "shape_trend", "column_row", "wasserstein", "marginal_wasserstein")
_UTILITY = ("tstr_auroc", "five_classifiers", "all_columns", "mla", "query_error")
_SIDE, _TOP = 270.0, 26.0


def frontier(candidates: Sequence[Candidate]) -> Markup:
    """Return risk against likeness and risk against use, good at the top right; empty without figures."""
    risk = first_common(candidates, [f"privacy.{name}" for name in _RISK])
    against = [
        first_common(candidates, [f"{room}.{name}" for name in names])
        for room, names in (("fidelity", _FIDELITY), ("utility", _UTILITY))
    ]
    drawn = [each for each in against if each]
    if len(candidates) < 2 or not risk or not drawn:
        return Markup("")
    names = [candidate.name for candidate in candidates]
    views = [
        tag("g", *_view(names, results, risk), transform=f"translate({62 + 360 * at} 0)")
        for at, results in enumerate(drawn)
    ]
    told = "; ".join(
        f"{brief(name)}: risk {figure(risk[at].value)}, "
        + ", ".join(f"{known(each[at].name).label} {figure(each[at].value)}" for each in drawn)
        for at, name in enumerate(names)
    )
    size = (720 if len(drawn) == 2 else 370, _TOP + _SIDE + 88)
    return picture(size, "Likeness, use and risk of each candidate", told, [*views, _legend(names)], "wide")


def unbeaten(points: Sequence[tuple[float, float]]) -> list[int]:
    """Return the places of points that no other point exceeds in one direction without losing in the other.

    >>> unbeaten([(1.0, 0.0), (0.5, 0.5), (0.4, 0.4), (0.0, 1.0)])
    [3, 1, 0]
    """

    def beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
        return one[0] >= other[0] and one[1] >= other[1] and one != other

    kept = [at for at, point in enumerate(points) if not any(beats(other, point) for other in points)]
    return sorted(kept, key=lambda at: points[at])


def _view(names: Sequence[str], across: tuple[Result, ...], up: tuple[Result, ...]) -> list[Markup]:
    x, y = _scale(across, (0.0, _SIDE)), _scale(up, (_TOP + _SIDE, _TOP))
    places = [(x(a.value), y(b.value)) for a, b in zip(across, up, strict=True)]
    edge = unbeaten([(left, -above) for left, above in places])
    parts = [_axes(x, y, across[0], up[0])]
    parts.append(polyline([places[at] for at in edge], cls="ceiling") if len(edge) > 1 else Markup(""))
    for at, name in enumerate(names):
        parts.append(_cross((across[at], up[at]), (x, y), at, name))
    return parts


def _scale(results: tuple[Result, ...], pixels: tuple[float, float]) -> Scale:
    """Return an axis on which better lies farther: it is turned where a low score is the better one."""
    ends = [
        end for each in results for end in (each.low, each.high, each.value, each.null) if math.isfinite(end)
    ]
    room = (max(ends) - min(ends)) * 0.08 or 0.05
    domain = (min(ends) - room, max(ends) + room)
    return Scale(domain, pixels[::-1] if results[0].better == "lower" else pixels)


def _cross(results: tuple[Result, Result], scales: tuple[Scale, Scale], at: int, name: str) -> Markup:
    (across, up), (x, y) = results, scales
    left, above = x(across.value), y(up.value)
    bars = [
        polyline([(x(end), above) for end in (across.low, across.high)], cls=f"whisker s{at % 6}")
    ] * _whole(across)
    bars += [polyline([(left, y(end)) for end in (up.low, up.high)], cls=f"whisker s{at % 6}")] * _whole(up)
    tip = f"{brief(name)}: {_told(across)}, {_told(up)}"
    dot = tag("circle", cls=f"point s{at % 6}", cx=left, cy=above, r=5.5)
    return tag("g", *bars, dot, text(str(at + 1), left + 9, above - 8, cls="label"), cls="mark", data_tip=tip)


def _told(result: Result) -> str:
    return f"{known(result.name).label} {figure(result.value)} ({span(result.low, result.high)})"


def _whole(result: Result) -> bool:
    return math.isfinite(result.low) and math.isfinite(result.high)


def _axes(x: Scale, y: Scale, across: Result, up: Result) -> Markup:
    parts = [tag("path", cls="base", d=f"M0 {_TOP}V{_TOP + _SIDE}H{_SIDE}")]
    parts += [
        tag("path", cls="grid", d=f"M{x(at):.1f} {_TOP}V{_TOP + _SIDE}")
        + text(f"{at:g}", x(at), _TOP + _SIDE + 16, cls="tick", text_anchor="middle")
        for at in x.ticks(5)
    ]
    parts += [
        tag("path", cls="grid", d=f"M0 {y(at):.1f}H{_SIDE}")
        + text(f"{at:g}", -6, y(at) + 4, cls="tick", text_anchor="end")
        for at in y.ticks(5)
    ]
    if math.isfinite(up.null):
        parts.append(tag("path", cls="chance", d=f"M0 {y(up.null):.1f}H{_SIDE}"))
    if math.isfinite(across.null):
        parts.append(tag("path", cls="chance", d=f"M{x(across.null):.1f} {_TOP}V{_TOP + _SIDE}"))
    below = text(
        f"{known(across.name).label} → better", _SIDE / 2, _TOP + _SIDE + 36, cls="axis", text_anchor="middle"
    )
    beside = text(
        f"{known(up.name).label} → safer", 0, 0, cls="axis", text_anchor="middle",
        transform=f"translate(-48 {_TOP + _SIDE / 2}) rotate(-90)",
    )  # fmt: skip
    return joined([*parts, below, beside])


def _legend(names: Sequence[str]) -> Markup:
    line = _TOP + _SIDE + 66
    entries = [
        tag("circle", cls=f"point s{at % 6}", cx=68 + 150 * at, cy=line, r=5)
        + text(f"{at + 1} {brief(name, 17)}", 80 + 150 * at, line + 4, cls="tick")
        for at, name in enumerate(names[:4])
    ]
    return joined(entries)
