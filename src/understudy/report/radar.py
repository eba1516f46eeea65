"""A radar of average ranks: one axis for each question, the best at the rim (paper 004, Figure 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from understudy.report.dossier import Candidate
from understudy.report.ranking import average_ranks
from understudy.report.svg import joined, picture, tag, text
from understudy.report.words import brief, figure

__all__ = ["radar"]

_WIDTH, _HEIGHT, _RADIUS = 480.0, 400.0, 130.0
_MIDDLE = (_WIDTH / 2, 176.0)


def radar(candidates: Sequence[Candidate]) -> Markup:
    """Return the picture; empty where fewer than two candidates or three questions can be compared."""
    ranks = average_ranks(candidates)
    if len(candidates) < 2 or len(ranks) < 3:
        return Markup("")
    shapes = [_shape(ranks, at, candidate.name, len(candidates)) for at, candidate in enumerate(candidates)]
    told = "; ".join(
        f"{brief(candidate.name)}: "
        + ", ".join(f"{question} {figure(of[at])}" for question, of in ranks.items())
        for at, candidate in enumerate(candidates)
    )
    inside = [_web(list(ranks), len(candidates)), *shapes, _legend(candidates)]
    return picture((_WIDTH, _HEIGHT), "Average ranks, the best at the rim", told, inside, "square")


def _place(at: int, of: int, share: float) -> tuple[float, float]:
    turn = 2 * math.pi * at / of - math.pi / 2
    return _MIDDLE[0] + _RADIUS * share * math.cos(turn), _MIDDLE[1] + _RADIUS * share * math.sin(turn)


def _share(rank: float, worst: int) -> float:
    """Return how far from the middle a rank lies: 1 at the rim, a fifth for the worst."""
    return 1 - 0.8 * (rank - 1) / max(1, worst - 1)


def _web(questions: list[str], worst: int) -> Markup:
    parts = []
    for ring in range(1, worst + 1):
        corners = [_place(at, len(questions), _share(ring, worst)) for at in range(len(questions))]
        parts.append(_closed(corners, "grid"))
    for at, question in enumerate(questions):
        x, y = _place(at, len(questions), 1.0)
        parts.append(tag("path", cls="grid", d=f"M{_MIDDLE[0]} {_MIDDLE[1]}L{x:.1f} {y:.1f}"))
        x, y = _place(at, len(questions), 1.12)
        anchor = "middle" if abs(x - _MIDDLE[0]) < 8 else "start" if x > _MIDDLE[0] else "end"
        parts.append(text(question, x, y + 4, cls="label", text_anchor=anchor))
    return joined(parts)


def _shape(ranks: dict[str, tuple[float, ...]], at: int, name: str, worst: int) -> Markup:
    corners = [_place(place, len(ranks), _share(of[at], worst)) for place, of in enumerate(ranks.values())]
    dots = [
        tag("circle", cls=f"point s{at % 6}", cx=x, cy=y, r=4,
            data_tip=f"{brief(name)}: average rank {figure(ranks[question][at])} in {question}")
        for question, (x, y) in zip(ranks, corners, strict=True)
    ]  # fmt: skip
    return joined([_closed(corners, f"curve s{at % 6}"), *dots])


def _closed(corners: list[tuple[float, float]], kind: str) -> Markup:
    return tag("path", cls=kind, d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z")


def _legend(candidates: Sequence[Candidate]) -> Markup:
    return joined(
        [
            tag("path", cls=f"curve s{at % 6}", d=f"M{20 + 230 * (at % 2)} {352 + 20 * (at // 2)}h26")
            + text(brief(candidate.name, 26), 54 + 230 * (at % 2), 356 + 20 * (at // 2), cls="tick")
            for at, candidate in enumerate(candidates[:6])
        ]
    )
