"""The attackers' ROC curves, under the ceiling that the certificate puts above every attacker.

Two views of the same points: both axes even, and both by powers of ten, where few are accused and an attack
hurts most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from understudy.privacy.certificate import Certificate
from understudy.report.catalogue import known
from understudy.report.svg import Scale, joined, picture, polyline, tag, text
from understudy.report.words import brief, figure
from understudy.result import Result

__all__ = ["curve_of", "roc", "strongest"]

_AT = "tpr_at_fpr_"
_LEAST = 0.001
_NAMED = 4  # curves with a name and a colour; the others are thin lines
_SIDE, _TOP = 270.0, 26.0


def curve_of(result: Result) -> list[tuple[float, float]]:
    """Return the points (false, true positive rate) that a result tells of, by false positive rate.

    >>> curve_of(Result("privacy.toy", 0.5, 0, 1, 0.5, "lower", True, {"tpr_at_fpr_0.1": 0.2, "auroc": 0.5}))
    [(0.1, 0.2)]
    """
    told = [(key.removeprefix(_AT), value) for key, value in result.parts.items() if key.startswith(_AT)]
    return sorted((float(fpr), value) for fpr, value in told if _is_rate(fpr) and not math.isnan(value))


def strongest(results: Sequence[Result]) -> list[Result]:
    """Return the attacks that have a curve, the one that tells members best first."""
    having = [each for each in results if curve_of(each) and not math.isnan(each.value)]
    return sorted(having, key=lambda each: (-_area(each), each.name))


def roc(results: Sequence[Result], certificate: Certificate | None) -> Markup:
    """Return both views, with a name for the strongest attacks; empty where no attack has a curve."""
    attacks = strongest(results)
    if not attacks:
        return Markup("")
    ceiling = _ceiling(certificate)
    views = [
        tag("g", *_view(attacks, ceiling, log=log), transform=f"translate({left} 0)")
        for log, left in ((False, 50), (True, 410))
    ]
    best = attacks[0]
    told = f"Strongest: {known(best.name).label}, area {figure(_area(best))}. " + (
        "The certificate's ceiling is drawn above."
        if ceiling
        else "No certificate puts a ceiling above them."
    )
    entries = _entries(attacks, bounded=bool(ceiling))
    high = _TOP + _SIDE + 56 + 20 * ((len(entries) + 1) // 2)
    return picture((720, high), "Attackers' ROC curves", told, [*views, _legend(entries)], "wide")


def _is_rate(written: str) -> bool:
    return written.replace(".", "", 1).isdigit() and float(written) <= 1


def _area(result: Result) -> float:
    return result.parts.get("auroc", result.value)


def _ceiling(certificate: Certificate | None) -> list[tuple[float, float]]:
    """Return the largest true positive rate at each false positive rate; none where nothing bounds it."""
    if certificate is None or certificate.status not in {"sound", "conditional"}:
        return []
    rates = np.unique(np.concatenate([np.geomspace(_LEAST, 1, 25), np.linspace(0, 1, 21)]))
    return [(float(fpr), certificate.tradeoff(float(fpr))) for fpr in rates]


def _view(attacks: list[Result], ceiling: list[tuple[float, float]], *, log: bool) -> list[Markup]:
    domain = (_LEAST, 1.0) if log else (0.0, 1.0)
    across, up = Scale(domain, (0.0, _SIDE), log), Scale(domain, (_TOP + _SIDE, _TOP), log)

    def placed(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(across(fpr), up(tpr)) for fpr, tpr in points]

    parts = [_axes(across, up, "by powers of ten" if log else "even axes")]
    if ceiling:
        parts.append(polyline([*placed(ceiling), (0.0, _TOP)], cls="beyond"))
        parts.append(polyline(placed(ceiling), cls="ceiling"))
    parts.append(polyline(placed([(_LEAST if log else 0.0,) * 2, (1.0, 1.0)]), cls="chance"))
    for at, attack in reversed(list(enumerate(attacks))):
        points = placed([*(() if log else ((0.0, 0.0),)), *curve_of(attack), (1.0, 1.0)])
        name = f"curve s{at}" if at < _NAMED else "curve rest"
        parts.append(tag("g", polyline(points, cls=name), *_dots(attack, across, up, at)))
    return parts


def _dots(attack: Result, across: Scale, up: Scale, at: int) -> list[Markup]:
    """Return marks to point at, for the attacks that have a name."""
    if at >= _NAMED:
        return []
    return [
        tag(
            "circle", cls=f"point s{at}", cx=across(fpr), cy=up(tpr), r=3,
            data_tip=f"{known(attack.name).label}: finds {tpr:.1%} of members at {fpr:.1%} false alarms",
        )
        for fpr, tpr in curve_of(attack)
    ]  # fmt: skip


def _axes(across: Scale, up: Scale, said: str) -> Markup:
    parts = [text(said, 0, 14, cls="head")]
    for at in across.ticks():
        x, y = across(at), up(at)
        parts += [
            tag("path", cls="grid", d=f"M{x:.1f} {_TOP}V{_TOP + _SIDE}M0 {y:.1f}H{_SIDE}"),
            text(f"{at:g}", x, _TOP + _SIDE + 16, cls="tick", text_anchor="middle"),
            text(f"{at:g}", -6, y + 4, cls="tick", text_anchor="end"),
        ]
    below = text("false positive rate", _SIDE / 2, _TOP + _SIDE + 34, cls="axis", text_anchor="middle")
    beside = text(
        "true positive rate", 0, 0, cls="axis", text_anchor="middle",
        transform=f"translate(-38 {_TOP + _SIDE / 2}) rotate(-90)",
    )  # fmt: skip
    return joined([*parts, below, beside])


def _entries(attacks: list[Result], *, bounded: bool) -> list[tuple[str, str]]:
    """Return the kind of each line, and what it stands for."""
    entries = [
        (f"curve s{at}", f"{brief(known(each.name).label, 34)} {figure(_area(each))}")
        for at, each in enumerate(attacks[:_NAMED])
    ]
    if len(attacks) > _NAMED:
        entries.append(("curve rest", f"{len(attacks) - _NAMED} weaker attacks"))
    entries.append(("chance", "guessing"))
    return [*entries, ("ceiling", "no attacker above, if certified truly")] if bounded else entries


def _legend(entries: list[tuple[str, str]]) -> Markup:
    """Return a line and a word for each kind of curve, in two columns."""
    places = [(50 + 360 * (at % 2), _TOP + _SIDE + 60 + 20 * (at // 2)) for at in range(len(entries))]
    return joined(
        [
            tag("path", cls=kind, d=f"M{x} {y}h26") + text(said, x + 34, y + 4, cls="tick")
            for (kind, said), (x, y) in zip(entries, places, strict=True)
        ]
    )
