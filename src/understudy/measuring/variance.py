"""Where the spread of a score comes from: training, sampling and evaluation, kept apart.

A method is fitted several times, and several tables are drawn from every fit; one measure judges them all
against the same real rows. The score of table j of fit i is

    score[i, j] = mean + fit[i] + draw[i, j] + evaluation

training     the deviation of `fit`: what another fit of the same method would change
sampling     the deviation of `draw`: what another table of the same fit would change
evaluation   the deviation that each result states by its interval: what other rows to judge with would change

The first two follow from a one-way random-effects analysis (Searle, Casella, McCulloch 1992, ch. 3). The
evaluation is the same in all scores, for the real rows are, so that no number of repeats averages it out.
Where a result's interval counts the rows of both tables, as half tables do, a part of the sampling is in the
evaluation too: the total is then wider than it need be, never narrower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy import special

from understudy.errors import ParameterError
from understudy.result import Result

__all__ = ["Variance", "components"]

Floats = npt.NDArray[np.float64]
_Z = 1.959963984540054  # the 97.5 % point of the normal law


@final
@dataclass(frozen=True)
class Variance:
    """The mean score of a method, with an interval for it, and the deviations that make it up.

    A deviation that the repeats cannot tell (of one fit, or of one table per fit) is NaN. `total` is the
    deviation of a single score, as somebody sees it who fits once, draws once and judges once.
    """

    name: str
    value: float
    low: float
    high: float
    training: float
    sampling: float
    evaluation: float
    total: float
    fits: int
    scores: int
    notes: tuple[str, ...] = ()


def components(results: Sequence[Sequence[Result]]) -> Variance:
    """Return the variance components of one measure: a list per fit, with a result for each of its tables.

    >>> def score(value):
    ...     return Result("fidelity.toy", value, value - 0.1, value + 0.1, 0.0, "lower", saw_real_rows=True)
    >>> found = components([[score(1.0), score(1.2)], [score(2.0), score(2.2)]])
    >>> round(found.value, 3), round(found.training, 3), round(found.sampling, 3)
    (1.6, 0.7, 0.141)
    """
    name = _name(results)
    known = [[r for r in fit if not math.isnan(r.value)] for fit in results]
    scores = [np.array([result.value for result in fit]) for fit in known if fit]
    if not scores:
        nan = math.nan
        return Variance(name, nan, nan, nan, nan, nan, nan, nan, 0, 0, ("no score is defined",))
    within, training = _split(scores)
    evaluation = math.sqrt(np.mean([_squared_deviation(result) for fit in known for result in fit]))
    low, high = _interval(scores, within, evaluation)
    squares = [part**2 for part in (training, math.sqrt(within), evaluation) if not math.isnan(part)]
    return Variance(
        name,
        value=_mean(scores),
        low=low,
        high=high,
        training=training,
        sampling=math.sqrt(within),
        evaluation=evaluation,
        total=math.sqrt(sum(squares)),
        fits=len(scores),
        scores=sum(map(len, scores)),
        notes=_said(results, scores),
    )


def _name(results: Sequence[Sequence[Result]]) -> str:
    names = {result.name for fit in results for result in fit}
    if len(names) != 1:
        raise ParameterError(
            f"variance: expected the results of one measure, a list per fit; got {len(names)} measures."
        )
    return names.pop()


def _mean(scores: Sequence[Floats]) -> float:
    """Every fit counts the same, however many tables were drawn from it."""
    return float(np.mean([fit.mean() for fit in scores]))


def _split(scores: Sequence[Floats]) -> tuple[float, float]:
    """Return the variance within fits and the deviation between them; NaN for what cannot be told."""
    fits, count = len(scores), sum(map(len, scores))
    inside = sum(float(((fit - fit.mean()) ** 2).sum()) for fit in scores)
    within = inside / (count - fits) if count > fits else math.nan
    if fits < 2:
        return within, math.nan
    if math.isnan(within):
        return within, float(np.std(np.concatenate(scores), ddof=1))
    middle = np.concatenate(scores).mean()
    between = sum(len(fit) * float((fit.mean() - middle) ** 2) for fit in scores) / (fits - 1)
    effective = (count - sum(len(fit) ** 2 for fit in scores) / count) / (fits - 1)
    return within, math.sqrt(max(0.0, (between - within) / effective))


def _squared_deviation(result: Result) -> float:
    """An interval that is cut off where the score ends shows its width on the longer side."""
    reach = max(result.high - result.value, result.value - result.low)
    return 0.0 if math.isnan(reach) else (reach / _Z) ** 2


def _interval(scores: Sequence[Floats], within: float, evaluation: float) -> tuple[float, float]:
    """Return the mean +- Student's t of its deviation, with Satterthwaite's degrees of freedom."""
    if len(scores) > 1:
        square = float(np.var([fit.mean() for fit in scores], ddof=1)) / len(scores)
        freedom = len(scores) - 1
    else:
        square, freedom = within / len(scores[0]), len(scores[0]) - 1
    if math.isnan(square):
        square, freedom = 0.0, 1
    whole = square + evaluation**2
    if whole == 0:
        return _mean(scores), _mean(scores)
    effective = freedom * (whole / square) ** 2 if square else math.inf
    reach = float(special.stdtrit(min(effective, 1e9), 0.975)) * math.sqrt(whole)
    return _mean(scores) - reach, _mean(scores) + reach


def _said(results: Sequence[Sequence[Result]], scores: Sequence[Floats]) -> tuple[str, ...]:
    said = []
    given, count = sum(map(len, results)), sum(map(len, scores))
    if count < given:
        said.append(f"{given - count} of {given} scores are undefined and left out")
    if len(scores) < 2:
        said.append("one fit: training variance cannot be told, and is not in the interval")
    if count == len(scores):
        said.append("one table per fit: sampling variance cannot be told apart from training variance")
    return tuple(said)
