"""The data plagiarism index of every training row (paper 001): for those only who may see the rows."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from understudy.report.svg import Scale, picture, tag, text
from understudy.result import Result

__all__ = ["plagiarism"]

_WIDTH, _HEIGHT = 720.0, 220.0
_BINS, _ENDS = 21, (-0.025, 1.025)  # around multiples of 1/20: with 20 neighbours there are no others
_LEFT, _BASE, _TOP = 44.0, 176.0, 12.0


def plagiarism(result: Result) -> Markup:
    """Return the histogram of the index; empty where there is no score per record."""
    scores = np.asarray(result.per_record or (), np.float64)
    scores = scores[np.isfinite(scores)]
    if not len(scores):
        return Markup("")
    counts, edges = np.histogram(np.clip(scores, 0, 1), _BINS, _ENDS)
    across, up = Scale(_ENDS, (_LEFT, _WIDTH - 8)), Scale((0.0, float(counts.max())), (_BASE, _TOP))
    bars = [
        tag("rect", cls="bar mark", x=across(low) + 0.5, y=up(count), width=across(high) - across(low) - 1,
            height=_BASE - up(count), data_tip=f"index {low:.2f} to {high:.2f}: {count:,} training rows")
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]  # fmt: skip
    even = tag("path", cls="null", d=f"M{across(0.5):.1f} {_TOP}V{_BASE}")
    above = float((scores > 0.5).mean())
    told = f"{above:.1%} of {len(scores):,} rows are nearer to synthetic than to reference rows."
    return picture(
        (_WIDTH, _HEIGHT), "Data plagiarism index", told, [*_axes(across, up), *bars, even], "wide"
    )


def _axes(across: Scale, up: Scale) -> list[Markup]:
    ticks = [
        text(f"{at:g}", across(at), _BASE + 16, cls="tick", text_anchor="middle") for at in across.ticks()
    ]
    lines = [
        tag("path", cls="grid", d=f"M{_LEFT} {up(at):.1f}H{_WIDTH - 8}")
        + text(f"{at:,.0f}", _LEFT - 6, up(at) + 4, cls="tick", text_anchor="end")
        for at in up.ticks(4)
    ]
    said = "share of synthetic rows among the nearest; one half where nothing was copied"
    return [*lines, *ticks, text(said, (_LEFT + _WIDTH) / 2, _BASE + 36, cls="axis", text_anchor="middle")]
