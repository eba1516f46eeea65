"""How a score stands beside what real rows against other real rows would score."""

from __future__ import annotations

import math
from typing import Literal

from understudy.result import Result

__all__ = ["Verdict", "verdict"]

Verdict = Literal["worse", "even", "better", "unlike", "unknown"]


def verdict(result: Result) -> Verdict:
    """Compare the whole interval with the null.

    worse    all of it lies on the bad side: this table is worse than a table of fresh real rows
    even     the null is inside
    better   all of it lies on the good side: closer than fresh real rows would be, as copies are
    unlike   the null is the best score there is, and is not inside
    unknown  the score, its interval or its null is undefined

    >>> verdict(Result("fidelity.toy", 0.3, 0.2, 0.4, null=0.1, better="lower", saw_real_rows=True))
    'worse'
    """
    if any(math.isnan(each) for each in (result.value, result.low, result.high, result.null)):
        return "unknown"
    if result.low <= result.null <= result.high:
        return "even"
    if result.better == "null":
        return "unlike"
    return "better" if (result.high < result.null) is (result.better == "lower") else "worse"
