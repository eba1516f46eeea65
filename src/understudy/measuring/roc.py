"""What a ROC curve says where few are accused, without points that no threshold reaches."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.errors import ParameterError
from understudy.measuring.interval import clopper_pearson

__all__ = ["Curve", "advantage", "counted_apart", "curve", "epsilon_at_least", "sure_point", "tpr_at"]

Floats = npt.NDArray[np.float64]
Count = tuple[int, int]  # accused, all


@final
class Curve(NamedTuple):
    """How many others and how many members lie at or above each distinct score, the highest first."""

    thresholds: Floats
    others: npt.NDArray[np.int64]
    members: npt.NDArray[np.int64]


def curve(members: Floats, others: Floats) -> Curve:
    """Count both groups at every threshold; equal scores are accused together or not at all.

    >>> curve(np.array([2.0, 1.0]), np.array([1.0]))
    Curve(thresholds=array([2., 1.]), others=array([0, 1]), members=array([1, 2]))
    """
    if len(members) == 0 or len(others) == 0 or np.isnan(members).any() or np.isnan(others).any():
        raise ParameterError("roc: both groups need scores, and none of them NaN.")
    thresholds = np.unique(np.concatenate([members, others]))[::-1]
    counts = [
        len(group) - np.searchsorted(np.sort(group), thresholds, side="left") for group in (others, members)
    ]
    return Curve(thresholds, counts[0].astype(np.int64), counts[1].astype(np.int64))


def tpr_at(members: Floats, others: Floats, fpr: float) -> float:
    """Return the largest share of members above a threshold that at most `fpr` of the others reach.

    >>> tied = np.zeros(50)
    >>> tpr_at(tied, tied, 0.01)
    0.0
    """
    found = curve(members, others)
    allowed = found.others <= math.floor(fpr * len(others) + 1e-9)
    return float(found.members[allowed].max(initial=0)) / len(members)


def advantage(members: Floats, others: Floats) -> float:
    """Return TPR - FPR at the threshold that is best on the even places, judged on the odd ones.

    The best threshold of the same scores would flatter: of pure chance it makes an advantage.
    """
    if min(len(members), len(others)) < 2:
        return math.nan
    found = curve(members[::2], others[::2])
    gain = found.members / len(members[::2]) - found.others / len(others[::2])
    threshold = found.thresholds[int(gain.argmax())]
    return float((members[1::2] >= threshold).mean() - (others[1::2] >= threshold).mean())


def epsilon_at_least(
    members: tuple[int, int], others: tuple[int, int], delta: float = 0.0, confidence: float = 0.95
) -> float:
    """Return a lower bound on epsilon from (accused, all) of both groups, at one threshold chosen before.

    The ends of both shares are exact (Clopper and Pearson), and hold together at the confidence asked for.
    The bound is that of accusations or of acquittals, whichever is larger, and never below 0.

    >>> round(epsilon_at_least((90, 100), (10, 100)), 4), round(epsilon_at_least((50, 1000), (0, 1000)), 4)
    (1.4645, 2.1013)
    """
    each = 1 - (1 - confidence) / 2
    tpr, fpr = clopper_pearson(*members, each), clopper_pearson(*others, each)
    pairs = ((tpr[0] - delta, fpr[1]), (1 - fpr[1] - delta, 1 - tpr[0]))
    return max((0.0, *(math.log(high / low) for high, low in pairs if high > 0 and low > 0)))


def sure_point(members: Floats, others: Floats, confidence: float) -> tuple[float, float]:
    """Return a rate of hits that is reached at least, at a rate of false alarms that is kept, both surely.

    The threshold is the one that parts both groups best on the even places, where the two rates are as far
    apart on the normal scale as can be shown; the odd places give the rates, exact at this confidence
    together, if each target was in the training table by the throw of a coin of its own. Then whoever claims
    that no attacker has such a point is wrong. (0, 1) says nothing.

    >>> low, high = sure_point(np.arange(100, 300.0), np.arange(200.0), 0.95)
    >>> bool(0.3 < low < 0.6 and 0 < high < 0.1)
    True
    """
    if min(len(members), len(others)) < 4:
        return 0.0, 1.0

    def apart(hits: Count, alarms: Count) -> float:
        low, high = _sure(hits, alarms, confidence)
        return float(ndtri(low) - ndtri(high))

    return _sure(*counted_apart(members, others, apart), confidence)


def counted_apart(
    members: Floats, others: Floats, merit: Callable[[Count, Count], float]
) -> tuple[Count, Count]:
    """Count (accused, all) of both groups on the odd places, at the threshold of most merit on the even ones.

    Of very many thresholds two hundred are tried.
    """
    found = curve(members[::2], others[::2])
    some = np.unique(np.linspace(0, len(found.thresholds) - 1, 200).astype(int))
    sizes = len(members[::2]), len(others[::2])
    merits = [merit((int(found.members[i]), sizes[0]), (int(found.others[i]), sizes[1])) for i in some]
    threshold = found.thresholds[some[int(np.argmax(merits))]]
    first, second = ((int((group[1::2] >= threshold).sum()), len(group[1::2])) for group in (members, others))
    return first, second


def _sure(members: tuple[int, int], others: tuple[int, int], confidence: float) -> tuple[float, float]:
    # Of either interval one end is used: half of the doubt each, so that both hold together.
    return clopper_pearson(*members, confidence)[0], clopper_pearson(*others, confidence)[1]
