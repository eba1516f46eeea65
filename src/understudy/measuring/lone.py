"""How often predicates match exactly one row of a table, had the table another number of rows.

A control table that is smaller than the training table is singled out less or more often for that reason
alone. A predicate that a random row matches with chance u matches exactly one of n rows with the chance
n u (1 - u)^(n - 1). How the chances are spread over the predicates is estimated from how many rows of the
control each of them matches: a mixture of binomial laws over a fixed grid of chances (Kiefer and Wolfowitz
1956), by rounds of expectation and maximization from an even start, until no other mixture is more likely by
an amount that counts. For a larger table it leans on the even start, the more the larger that is: predicates
that match none of 300 rows may match one of 20,000 often or never, and the 300 rows do not say. So the
deviation is that of all mixtures under which what was counted is no surprise, the least and the most that any
of them says: a linear program. With one density that is even from 0 to some width, as
Giomi et al. (2023) have it, a fresh table of Adult seems to be at risk. Successes are scaled, never queries.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.optimize import linprog

from understudy.measuring.interval import wilson

__all__ = ["Growth", "growth", "lone"]

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
_CHANCES = 120
_ROUNDS = 5_000
_GAIN = 2.0  # of log-likelihood: less is noise
_GROUPS = 10
_UP_TO = (0, 1, 2, 4, 8, 16, 32)  # matches that are counted together
_Z = 1.959963984540054


@final
class Growth(NamedTuple):
    """How many times as often a table of another size is singled out, and how far off that may be."""

    factor: float
    deviation: float


def lone(rows: int, chances: Floats) -> Floats:
    """Return the chance that exactly one of so many rows matches.

    >>> lone(2, np.array([0.0, 0.5, 1.0])).tolist()
    [0.0, 0.5, 0.0]
    """
    return np.exp(_log_binomial(np.ones(1), rows, chances))


def growth(matches: Whole, rows: int, size: int) -> Growth:
    """Return how many times as many queries match one row of a table of `size` as of this one of `rows`.

    The deviation is that of leaving out every tenth of the queries in turn (the jackknife). For a larger
    table it reaches at least as far as the mixtures do that fit, in Wilson's centres.

    >>> growth(np.array([1] * 20 + [0] * 80), 100, 100)
    Growth(factor=1.0, deviation=0.0)
    """
    if size == rows or len(matches) == 0:
        return Growth(1.0, 0.0)
    alone = int((matches == 1).sum())
    found = Growth(1.0, 0.0) if alone == 0 else _likeliest(matches, rows, size)
    if size < rows:
        return found
    centre, _ = wilson(alone, len(matches))
    reach = max(abs(end - found.factor * centre) for end in _ends(matches, rows, size))
    return Growth(found.factor, max(found.deviation, reach / (_Z * centre)))


def _likeliest(matches: Whole, rows: int, size: int) -> Growth:
    groups = min(_GROUPS, len(matches))
    kept = [np.arange(len(matches)) % groups != place for place in range(groups)]
    factors = np.array([_factor(matches[some], rows, size) for some in kept if (matches[some] == 1).any()])
    spread = (groups - 1) / groups * ((factors - factors.mean()) ** 2).sum() if len(factors) else 0.0
    return Growth(_factor(matches, rows, size), float(np.sqrt(spread)))


def _ends(matches: Whole, rows: int, size: int) -> tuple[float, float]:
    """Return the least and the most that mixtures say who fit: each count is within its Wilson interval."""
    chances = np.append(0.0, np.geomspace(0.02 / size, 1.0, _CHANCES))
    likeliest, aim = _mixture(matches, rows, chances), lone(size, chances)
    laws, below, above = [], [], []
    for first, last in zip((-1, *_UP_TO), _UP_TO, strict=False):
        counts = np.arange(first + 1, min(last, rows) + 1, dtype=np.float64)
        if len(counts):
            laws.append(np.exp(_log_binomial(counts[:, None], rows, chances)).sum(axis=0))
            _, (low, high) = wilson(int(((matches > first) & (matches <= last)).sum()), len(matches))
            # The likeliest mixture fits by definition, so that there always is one.
            fitted = float(laws[-1] @ likeliest)
            below.append(min(low, fitted) - 1e-9)
            above.append(max(high, fitted) + 1e-9)
    limits = np.concatenate([above, -np.array(below)])
    found = [
        linprog(sign * aim, np.vstack([laws, -np.array(laws)]), limits, np.ones((1, len(aim))), [1.0])
        for sign in (1, -1)
    ]
    if any(each.status != 0 for each in found):
        return 0.0, 1.0  # whatever a rate can be
    return float(found[0].fun), float(-found[1].fun)


def _factor(matches: Whole, rows: int, size: int) -> float:
    chances = np.append(0.0, np.geomspace(0.02 / rows, 1.0, _CHANCES))
    shares = _mixture(matches, rows, chances)
    here, there = (float(lone(n, chances) @ shares) for n in (rows, size))
    return there / here


def _mixture(matches: Whole, rows: int, chances: Floats) -> Floats:
    """Return the share of each chance among the queries."""
    counts, often = np.unique(matches, return_counts=True)
    likely = np.exp(_log_binomial(counts[:, None].astype(np.float64), rows, chances))  # (counts, chances)
    shares = np.full(len(chances), 1 / len(chances))
    for _ in range(_ROUNDS):
        # How many times larger a share is made; no mixture is more than e^(n (most - 1)) times as likely.
        larger = (often / len(matches) / (likely @ shares)) @ likely
        if len(matches) * (larger.max() - 1) < _GAIN:
            break
        shares = shares * larger
    return np.asarray(shares)


def _log_binomial(count: Floats, rows: int, chances: Floats) -> Floats:
    ways = special.gammaln(rows + 1) - special.gammaln(count + 1) - special.gammaln(rows - count + 1)
    return np.asarray(ways + special.xlogy(count, chances) + special.xlog1py(rows - count, -chances))
