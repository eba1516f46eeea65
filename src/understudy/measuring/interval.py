"""Intervals: of shares, of areas under a curve, of whatever can be drawn again. All at 95 %."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import special, stats

from understudy.errors import ParameterError

__all__ = ["Interval", "around", "clopper_pearson", "delong", "delong_of_folds", "wilson"]

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
    places = _places(positive, negative)
    value = float(places[0].mean())
    fewest = min(len(positive), len(negative))
    square = sum(float(part.var(ddof=1)) / len(part) for part in places) if fewest > 1 else math.nan
    return value, _on_log_odds(value, square, fewest)


def delong_of_folds(folds: Sequence[tuple[Floats, Floats]]) -> tuple[float, Interval]:
    """Return the area of cross-validated scores, (positive, negative) of each fold, and its interval.

    Only rows of one fold are compared. Of two rows in different folds, each was learned from by the model
    that judged the other, so that across folds the area of two equal groups is below 1/2; within folds it
    is 1/2 in the mean, exactly, for no model met a row that it judges.

    The square of the reach is twice DeLong's, for folds are not independent: any two rows of different folds
    meet twice, either being judged by a model that learned from the other. Where a score adds up what each
    row learned from says, the variance is that of independent folds if the two times say nothing of each
    other, and twice it if they say the same. Boosted trees on two groups of one law come to 1.5 to 1.9
    times. Without a fold that holds rows of both groups the area is NaN.

    >>> value, (low, high) = delong_of_folds([(np.array([0.9, 0.2]), np.array([0.5, 0.1]))] * 20)
    >>> value, round(low, 2), round(high, 2)
    (0.75, 0.57, 0.87)
    """
    both = [(positive, negative) for positive, negative in folds if len(positive) and len(negative)]
    if not both:
        return math.nan, (math.nan, math.nan)
    places = [_places(positive, negative) for positive, negative in both]
    above = np.concatenate([part for part, _ in places])
    below = np.concatenate([part for _, part in places])
    weights = (
        np.concatenate([np.full(len(positive), len(negative)) for positive, negative in both]),
        np.concatenate([np.full(len(negative), len(positive)) for positive, negative in both]),
    )
    value = float(np.average(above, weights=weights[0]))
    fewest = min(len(above), len(below))
    squares = [_square(part, value, weight) for part, weight in zip((above, below), weights, strict=True)]
    return value, _on_log_odds(value, 2 * sum(squares), fewest)


def _places(positive: Floats, negative: Floats) -> tuple[Floats, Floats]:
    """Return the share of negatives below each positive, and of positives above each negative."""
    ranks = stats.rankdata(np.concatenate([positive, negative]))
    above = (ranks[: len(positive)] - stats.rankdata(positive)) / len(negative)
    return above, 1 - (ranks[len(positive) :] - stats.rankdata(negative)) / len(positive)


def _square(places: Floats, mean: float, weights: npt.NDArray[np.int64]) -> float:
    """Return the square of the deviation of a weighted mean of independent places."""
    if len(places) < 2:
        return math.nan
    spread = float(np.sum((weights * (places - mean)) ** 2)) / float(weights.sum()) ** 2
    return spread * len(places) / (len(places) - 1)


def _on_log_odds(value: float, square: float, fewest: int) -> Interval:
    if value in {0.0, 1.0}:
        return clopper_pearson(int(value) * fewest, fewest)
    if math.isnan(square):
        return math.nan, math.nan
    middle, reach = special.logit(value), _Z * math.sqrt(square) / (value * (1 - value))
    return float(special.expit(middle - reach)), float(special.expit(middle + reach))


def _refuse_impossible(successes: float, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise ParameterError(f"interval: {successes} successes of {trials} trials are impossible.")
