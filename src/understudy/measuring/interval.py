"""Intervals: of shares, of areas under a curve, of whatever can be drawn again. All at 95 %."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from understudy.errors import ParameterError

__all__ = ["Interval", "around", "clopper_pearson", "delong", "wilson"]

Interval = tuple[float, float]
Floats = npt.NDArray[np.float64]
_Z = 1.959963984540054  # the 97.5 % point of the normal law


def around(value: float, draws: Sequence[float], bounds: Interval = (-math.inf, math.inf)) -> Interval:
    """Return value +- Student's t times the deviation of its draws, within what the value can be at all.

    Student's t and not 1.96, for the deviation is estimated from few draws. And not the quantiles of the
    draws: distances of redrawn tables lie above the distance itself, so that these would miss it.

    >>> around(0.5, [0.4, 0.6])[0] < 0.5
    True
    """
    known = [draw for draw in draws if not math.isnan(draw)]
    if math.isnan(value) or len(known) < 2:
        return math.nan, math.nan
    reach = float(special.stdtrit(len(known) - 1, 0.975)) * float(np.std(known, ddof=1))
    return min(value, max(bounds[0], value - reach)), max(value, min(bounds[1], value + reach))


def wilson(successes: int, trials: int) -> tuple[float, Interval]:
    """Return the Wilson centre of a share and its interval (Wilson 1927).

    >>> centre, (low, high) = wilson(50, 500)
    >>> round(centre, 6), round(high - centre, 6)
    (0.10305, 0.026372)
    """
    _refuse_impossible(successes, trials)
    centre = (successes + _Z**2 / 2) / (trials + _Z**2)
    spread = successes * (trials - successes) / trials + _Z**2 / 4
    reach = _Z / (trials + _Z**2) * math.sqrt(spread)
    return centre, (max(0.0, centre - reach), min(1.0, centre + reach))


def clopper_pearson(successes: float, trials: int, confidence: float = 0.95) -> Interval:
    """Return the exact interval of a share: it covers at least as often as it says (Clopper, Pearson 1934).

    Successes may be parts of one, where trials are shares themselves; these vary less than coins do.

    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    _refuse_impossible(successes, trials)
    if not 0 < confidence < 1:
        raise ParameterError(f"clopper_pearson: confidence must be between 0 and 1; got {confidence!r}.")
    rest = (1 - confidence) / 2
    low = special.betaincinv(successes, trials - successes + 1, rest) if successes else 0.0
    high = special.betaincinv(successes + 1, trials - successes, 1 - rest) if successes < trials else 1.0
    return float(low), float(high)


def delong(positive: Floats, negative: Floats) -> tuple[float, Interval]:
    """Return the area under the ROC curve and its interval (DeLong et al. 1988; ties count half).

    The interval is taken on the scale of log-odds, where it covers as it says near 0 and 1 too. Scores that
    separate the groups without an error have no spread, and the method would be certain of them however few
    there are. Then the interval is the exact one of as many successes as the smaller group has members. A
    group of one has no spread either: with errors, its interval is NaN.

    >>> value, (low, high) = delong(np.array([0.9, 0.8, 0.7, 0.1]), np.array([0.85, 0.3, 0.2, 0.05]))
    >>> value
    0.6875
    """
    if len(positive) == 0 or len(negative) == 0:
        raise ParameterError("delong: both groups need at least one score.")
    if np.isnan(positive).any() or np.isnan(negative).any():
        raise ParameterError("delong: scores must be numbers; got NaN.")
    ranks = stats.rankdata(np.concatenate([positive, negative]))
    above = (ranks[: len(positive)] - stats.rankdata(positive)) / len(negative)
    below = 1 - (ranks[len(positive) :] - stats.rankdata(negative)) / len(positive)
    value = float(above.mean())
    fewest = min(len(positive), len(negative))
    if value in {0.0, 1.0}:
        return value, clopper_pearson(int(value) * fewest, fewest)
    if fewest < 2:
        return value, (math.nan, math.nan)
    square = sum(float(part.var(ddof=1)) / len(part) for part in (above, below))
    middle, reach = special.logit(value), _Z * math.sqrt(square) / (value * (1 - value))
    return value, (float(special.expit(middle - reach)), float(special.expit(middle + reach)))


def _refuse_impossible(successes: float, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise ParameterError(f"interval: {successes} successes of {trials} trials are impossible.")
