"""Small multiples: one small picture for each column, synthetic bars, and a real outline where allowed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from understudy.report.dossier import Histogram
from understudy.report.svg import joined, picture, tag, text
from understudy.report.words import brief

__all__ = ["MOST", "hidden", "histogram", "unseen"]

MOST = 40  # pictures on a page
_WIDTH, _HEIGHT = 240.0, 150.0
_FEW = 10  # rows; a cell of fewer has no bar
_LEVELS = 7
_LEFT, _PLOT = 100.0, 100.0


def unseen(histograms: Sequence[Histogram]) -> tuple[str, ...]:
    """Return the names of columns that have no picture because there are too many."""
    return tuple(each.column for each in histograms[MOST:])


def hidden(shares: Histogram, rows: int) -> str:
    """Return what is said of rows without a bar; not how many, where that would be the size of a cell.

    >>> hidden(Histogram("a", (), (), hidden=0.0121), 1_000)
    'at most 2 % of rows are in cells of fewer than ten'
    """
    if not shares.hidden:
        return ""
    if round(shares.hidden * rows) < _FEW:
        return "some rows are in cells of fewer than ten"
    return f"at most {math.ceil(100 * shares.hidden)} % of rows are in cells of fewer than ten"


def histogram(shares: Histogram) -> Markup:
    """Return the picture of one column: bars upwards along a quantity, bars sideways for levels."""
    inside = _upwards(shares) if shares.numeric else _sideways(shares)
    told = "; ".join(
        f"{brief(label)} {share:.1%}"
        for label, share in list(zip(shares.labels, shares.synthetic, strict=True))[:12]
    )
    return picture((_WIDTH, _HEIGHT), f"Shares of {brief(shares.column)}", told, inside, "small")


def _tip(shares: Histogram, at: int) -> str:
    real = f", real {shares.real[at]:.1%}" if shares.real is not None else ""
    return f"{brief(shares.labels[at], 60)}: synthetic {shares.synthetic[at]:.1%}{real}"


def _upwards(shares: Histogram) -> list[Markup]:
    base, top = _HEIGHT - 22, 8.0
    most = max([*shares.synthetic, *(shares.real or ()), 1e-9])
    wide = _WIDTH / max(1, len(shares.labels))
    high = [(base - top) * share / most for share in shares.synthetic]
    bars = [
        tag("rect", cls="bar mark", x=at * wide + 0.5, y=base - each, width=max(wide - 1, 0.5), height=each,
            data_tip=_tip(shares, at))
        for at, each in enumerate(high)
    ]  # fmt: skip
    ends = [
        text(brief(shares.labels[0], 16), 0, _HEIGHT - 6, cls="tick"),
        text(brief(shares.labels[-1], 16), _WIDTH, _HEIGHT - 6, cls="tick", text_anchor="end"),
    ] if shares.labels else []  # fmt: skip
    line = tag("path", cls="base", d=f"M0 {base}H{_WIDTH}")
    return [*bars, line, *_outline(shares.real, base, wide, (base - top) / most), *ends]


def _outline(real: tuple[float, ...] | None, base: float, wide: float, factor: float) -> list[Markup]:
    """Return the steps of the real shares; an outline, so that it reads without colour."""
    if real is None:
        return []
    steps = "".join(f"V{base - share * factor:.1f}h{wide:.2f}" for share in real)
    return [tag("path", cls="real", d=f"M0 {base}{steps}V{base}")]


def _sideways(shares: Histogram) -> list[Markup]:
    order = sorted(range(len(shares.labels)), key=lambda at: -max(shares.synthetic[at], _real(shares, at)))
    kept = order[:_LEVELS] if len(order) > _LEVELS + 1 else order
    rest = order[len(kept) :]
    most = max([*(max(shares.synthetic[at], _real(shares, at)) for at in kept), 1e-9])
    rows = [_level(shares, at, 2 + 18 * place, _PLOT / most) for place, at in enumerate(kept)]
    if rest:
        more = sum(shares.synthetic[at] for at in rest)
        rows.append(text(f"{len(rest)} more: {more:.1%}", 0, 2 + 18 * len(kept) + 12, cls="tick"))
    return rows


def _real(shares: Histogram, at: int) -> float:
    return shares.real[at] if shares.real is not None else 0.0


def _level(shares: Histogram, at: int, y: float, factor: float) -> Markup:
    share = shares.synthetic[at]
    parts = [
        text(brief(shares.labels[at], 15), 0, y + 11, cls="tick"),
        tag("rect", cls="bar", x=_LEFT, y=y + 1, width=share * factor, height=13),
        text(_percent(share), _WIDTH, y + 11, cls="tick", text_anchor="end"),
    ]
    if shares.real is not None:
        wide = shares.real[at] * factor
        parts.append(tag("rect", cls="real", x=_LEFT, y=y + 1, width=wide, height=13))
    return joined([tag("g", *parts, cls="mark", data_tip=_tip(shares, at))])


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"
