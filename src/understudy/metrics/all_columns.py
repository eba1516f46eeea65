"""Every column as a target: how much of what real rows teach do synthetic rows (paper 000, utility)?

For each column a booster predicts it from all others, once learned from real and once from synthetic rows,
three models each (3-fold: each without a third of its rows), and both are tried on real rows: macro F1 for
levels, D2 of absolute errors clipped to [0, 1] for quantities. The paper takes the 90th percentile over the
columns, which hides every badly modelled column; it is the value here, as printed, with the median, the
mean and the worst columns beside it. The value is the ratio synthetic / real, at most 1 as the paper's
scores are.

A column that is the same in all test rows, or that has more levels than `levels`, cannot be predicted or
not in time; of one that real rows teach nothing about (0), there is nothing to lose. Both are undefined, and
`coverage` is the share of the others. A column that the synthetic table
leaves empty teaches nothing: 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.measuring.booster import booster_name
from understudy.measuring.column_trials import ColumnTrial, Settings, column_trials
from understudy.measuring.finding import Finding, Score
from understudy.measuring.grades import Weights
from understudy.measuring.interval import Interval, around
from understudy.measuring.measure import Measure
from understudy.measuring.trials import resampled, undefined
from understudy.measuring.trio import Trio
from understudy.table.evidence import Evidence

__all__ = ["AllColumns"]

_WORST = 5


@final
@dataclass(frozen=True)
class AllColumns(Measure):
    """Ratio of the 90th percentiles over columns: learned from synthetic / learned from real rows; 1 is best.

    rows     of larger tables so many rows are drawn
    rounds   of boosting
    folds    models per column and table, each without its share of rows; with 1, one model of all rows
    levels   columns of more levels are not predicted
    draws    of test rows, for the interval

    >>> import pyarrow as pa
    >>> real = pa.table({"x": [0.1, 0.2, 0.8, 0.9] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> other = pa.table({"x": [0.15, 0.25, 0.75, 0.95] * 20, "y": ["n", "n", "p", "p"] * 20})
    >>> AllColumns(rounds=9)(Evidence(train=real, synthetic=real, holdout=other)).value
    1.0
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "utility"
    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"

    rows: int = check.integer(4_000, low=10, high=1_000_000_000)
    rounds: int = check.integer(30, low=1, high=10_000)
    folds: int = check.integer(3, low=1, high=100)
    levels: int = check.integer(60, low=2, high=100_000)
    draws: int = check.integer(100, low=10, high=100_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Try every column, learned from both tables, and for the null from two halves of the real one."""
        trio = Trio.of(evidence, rng).draw(self.rows, rng)
        if min(len(trio.train), len(trio.test), len(trio.synthetic)) < 2:
            return undefined("a table has fewer than 2 rows", 0, trio.notes)
        settings = Settings(self.rounds, self.folds, self.levels)
        trials = column_trials(trio, settings, rng)
        whole = np.ones(len(trio.test))
        score = _score(trials, whole)
        if math.isnan(score.value):
            found = undefined(_why_undefined(trials, whole), len(whole), trio.notes)
            return replace(found, score=score)
        low, high = self._interval(_taught(trials, whole), score.parts["ratio_uncapped"], whole, rng)
        halves = trio.of_real(rng)
        null = _capped(_value(_taught(column_trials(halves, settings, rng), whole), whole))
        notes = (
            *halves.notes,
            f"learned by {booster_name()}, {self.rounds} rounds",
            *_left_out(trials, whole),
        )
        return Finding(score, low, high, null, len(whole), notes)

    def _interval(
        self, trials: list[ColumnTrial], value: float, whole: Weights, rng: np.random.Generator
    ) -> Interval:
        """Return the interval of an uncapped value: the noise of the test rows and of those learned from.

        The folds are a grouped jackknife of the rows that were learned from: (k - 1) / k times the sum of
        squares of the values of each fold's models around their mean is the square of its deviation.
        """
        found = resampled(lambda weights: _value(trials, weights), len(whole), self.draws, rng)
        draws = np.array([draw for draw in found if not math.isnan(draw)])
        each = np.array([_value(trials, whole, fold) for fold in range(self.folds)])
        folds = each[~np.isnan(each)]  # a fold alone may teach nothing
        learned = float(np.var(folds)) * (len(folds) - 1) if len(folds) else 0.0
        tested = float(np.var(draws)) if len(draws) else 0.0
        wider = math.sqrt(1 + learned / tested) if tested > 0 else 1.0
        low, high = around(value, list(value + wider * (draws - value)), (0.0, math.inf))
        # Capped at the end, for draws that are all capped would seem to have no noise.
        return _capped(low), _capped(high)


def _taught(trials: list[ColumnTrial], weights: Weights) -> list[ColumnTrial]:
    """Return the columns that real rows teach something about."""
    return [trial for trial in trials if trial.grade("real", weights) > 0]


def _grades(trials: list[ColumnTrial], weights: Weights, fold: int | None = None) -> tuple[Weights, Weights]:
    """Return the grades of all columns after real and after synthetic rows; NaN in both where one is."""
    real = np.array([trial.grade("real", weights, fold) for trial in trials])
    synthetic = np.array([trial.grade("synthetic", weights, fold) for trial in trials])
    unknown = np.isnan(real) | np.isnan(synthetic)
    return np.where(unknown, np.nan, real), np.where(unknown, np.nan, synthetic)


def _value(trials: list[ColumnTrial], weights: Weights, fold: int | None = None) -> float:
    real, synthetic = _grades(trials, weights, fold)
    return _ratio(_percentile(synthetic, 90), _percentile(real, 90))


def _score(trials: list[ColumnTrial], weights: Weights) -> Score:
    taught = _taught(trials, weights)
    real, synthetic = _grades(taught, weights)
    ratio = _ratio(_percentile(synthetic, 90), _percentile(real, 90))
    parts = {"real_90": _percentile(real, 90), "synthetic_90": _percentile(synthetic, 90)}
    parts |= {"real_median": _percentile(real, 50), "synthetic_median": _percentile(synthetic, 50)}
    parts["ratio_median"] = _ratio(parts["synthetic_median"], parts["real_median"])
    parts["ratio_mean"] = _ratio(*(float(np.nansum(each)) for each in (synthetic, real)))
    parts["ratio_uncapped"] = ratio
    parts["coverage"] = len(taught) / max(1, len(trials))
    lost = real - synthetic
    worst = [place for place in np.argsort(-lost, kind="stable") if lost[place] > 0][:_WORST]
    parts |= {f"lost {taught[place].name}": float(lost[place]) for place in worst}
    return Score(_capped(ratio), parts)


def _percentile(grades: Weights, at: float) -> float:
    known = grades[~np.isnan(grades)]
    return float(np.percentile(known, at)) if len(known) else math.nan


def _ratio(synthetic: float, real: float) -> float:
    """Return synthetic / real; NaN where real rows teach nothing."""
    return synthetic / real if real > 0 else math.nan


def _capped(ratio: float) -> float:
    # Not min(1.0, ratio): that is 1 where the ratio is undefined.
    return 1.0 if ratio > 1 else ratio


def _idle(trials: list[ColumnTrial], weights: Weights) -> int:
    """Count the columns that can be tried, and that real rows teach nothing about."""
    return sum(trial.grade("real", weights) == 0 for trial in trials)


def _why_undefined(trials: list[ColumnTrial], weights: Weights) -> str:
    idle = _idle(trials, weights)
    return "real rows teach nothing about any column" if idle else "no column can be predicted"


def _left_out(trials: list[ColumnTrial], weights: Weights) -> tuple[str, ...]:
    wide, idle = sum(trial.too_wide for trial in trials), _idle(trials, weights)
    counts = {"not predicted, too many levels": wide, "left out, real rows teach nothing about them": idle}
    return tuple(f"{what}: {count} columns" for what, count in counts.items() if count)
