"""Margins of several sites as one: the law of a row that is drawn from a site by how much that counts.

A site says itself how many rows it has. So where sites count by rows, none counts for more than
`MOST_MEDIANS` times what the site in the middle does: whoever claims all rows does not decide alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median_low

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import Floats, LevelMargin, Margin, QuantityMargin
from understudy.errors import InputError

__all__ = ["MOST_MEDIANS", "evened", "law_of", "mixed"]

MOST_KNOTS = 2_048
MOST_MEDIANS = 10.0  # sites differ in size, and honest ones seldom by more


def evened(rows: Mapping[str, float], most: float = np.inf) -> dict[str, float]:
    """Return how many rows each site counts for: those that it told; `most` and ten medians at most.

    >>> evened({"a": 100.0, "b": 1e300, "c": 300.0})
    {'a': 100.0, 'b': 3000.0, 'c': 300.0}
    """
    cut = {name: min(told, most) for name, told in rows.items()}
    cap = MOST_MEDIANS * median_low(cut.values())
    return {name: min(told, cap) for name, told in cut.items()}


def mixed(margins: Sequence[Margin], rows: Sequence[float]) -> Margin:
    """Return the mixture of the margins of one column, by numbers of rows; post-processing of both.

    >>> one, two = (LevelMargin.fit(np.array(codes, np.int32), 2) for codes in ([0, 0], [0, 1]))
    >>> mixed([one, two], [1.0, 1.0]).upper.tolist()
    [0.75, 1.0, 1.0]
    """
    if any(type(margin) is not type(margins[0]) for margin in margins):
        raise InputError("domain: sites tell margins of different kinds for one column.")
    weights = np.maximum(np.asarray(rows, np.float64), 1e-9)
    levels = [margin for margin in margins if isinstance(margin, LevelMargin)]
    if levels:
        return _mixed_levels(levels, weights / weights.sum())
    return _mixed_quantities([m for m in margins if isinstance(m, QuantityMargin)], weights / weights.sum())


def _mixed_levels(margins: Sequence[LevelMargin], weights: Floats) -> LevelMargin:
    codes = np.append(np.arange(len(margins[0].codes) - 1), -1).astype(np.int32)
    if any(not np.array_equal(np.sort(margin.codes), np.sort(codes)) for margin in margins):
        raise InputError("domain: sites tell different levels for one column.")
    mass = np.zeros(len(codes))
    for weight, margin in zip(weights, margins, strict=True):
        # Each may have its levels in an order of its own; the last place is that of the code -1.
        mass[margin.codes] += weight * (margin.upper - margin.lower)
    return LevelMargin(codes, np.minimum(np.cumsum(mass), 1.0))


def _mixed_quantities(margins: Sequence[QuantityMargin], weights: Floats) -> QuantityMargin:
    missing = float(weights @ [margin.missing for margin in margins])
    there = np.array(
        [w * (1 - m.missing) * bool(len(m.values)) for w, m in zip(weights, margins, strict=True)]
    )
    if not there.sum() > 0:  # nobody has a value, as far as noise tells: the widest law will do
        widest = max(margins, key=lambda margin: len(margin.values))
        return QuantityMargin(widest.values, widest.lower, widest.upper, missing)
    share = there / there.sum()
    held = [(w, margin) for w, margin in zip(share, margins, strict=True) if w > 0]
    # The ends of all sites stay: bounds are those of the schema that all of them share.
    values = np.unique(np.concatenate([margin.values for margin in margins if len(margin.values)]))
    lower = sum((w * law_of(margin, values)[0] for w, margin in held), start=np.zeros(len(values)))
    upper = sum((w * law_of(margin, values)[1] for w, margin in held), start=np.zeros(len(values)))
    kept = _kept(lower, upper)
    return QuantityMargin(values[kept], lower[kept], np.maximum(upper, lower)[kept], missing)


def law_of(margin: QuantityMargin, at: npt.NDArray[np.generic]) -> tuple[Floats, Floats]:
    """Return the distribution of one margin just below and at each of these values."""
    knots, x = margin.values.astype(np.float64), at.astype(np.float64)
    place = np.clip(np.searchsorted(margin.values, at, side="left"), 0, len(knots) - 1)
    known = margin.values[place] == at
    left = np.clip(np.searchsorted(margin.values, at, side="right") - 1, 0, len(knots) - 1)
    right = np.minimum(left + 1, len(knots) - 1)
    # Halves: the difference of two far floats may overflow. Past the last knot there is no line.
    gap = knots[right] / 2 - knots[left] / 2
    share = np.divide(x / 2 - knots[left] / 2, gap, out=np.zeros(len(x)), where=gap > 0).clip(0.0, 1.0)
    line = margin.upper[left] + share * np.maximum(margin.lower[right] - margin.upper[left], 0.0)
    line = np.where(at < margin.values[0], 0.0, np.where(at > margin.values[-1], margin.upper[-1], line))
    return np.where(known, margin.lower[place], line), np.where(known, margin.upper[place], line)


def _kept(lower: Floats, upper: Floats) -> npt.NDArray[np.bool_]:
    """Choose the knots that stay: both ends, heavy values, and evenly spaced ones of the rest."""
    if len(upper) <= MOST_KNOTS:
        return np.ones(len(upper), dtype=bool)
    heavy = upper - lower > 1 / MOST_KNOTS
    kept = heavy.copy()
    even = np.searchsorted(upper, np.linspace(0, 1, MOST_KNOTS // 2)).clip(0, len(upper) - 1)
    kept[even] = True
    kept[:-1] |= heavy[1:]  # both neighbours: a line beside a heavy value ends there
    kept[1:] |= heavy[:-1]
    kept[[0, -1]] = True
    return kept
