"""Does every group get the same? Utility and fidelity in each group of a chosen column (notes 7.4).

A table can be good on average and poor for the few. For each group: its share of the rows in both tables;
fidelity, 1 minus the mean total variation of the other columns between its real and its synthetic rows
(quantities in tenths of the real rows; `fidelity_real` is that of one half of the real rows against the
other, for small groups differ by chance); and the grade of a booster that learned from the synthetic rows, on
the group's real test rows: accuracy, or D2 of absolute errors in [0, 1] for a quantity.

The value is the largest loss of grade that any group has against a booster that learned from as many real
rows. `gap` is the grade of the best group minus that of the worst, `gap_real` the same after real rows: a
synthetic table that widens the gap is unfair where the real one is less so. The null takes one half of the
real rows for synthetic. Groups are named by codes in the schema's order, `sex=0`, never by values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.errors import ParameterError, TooFewRows
from understudy.measuring.booster import booster_name
from understudy.measuring.finding import Finding, Score
from understudy.measuring.group_trials import Groups, GroupTrial
from understudy.measuring.interval import around
from understudy.measuring.measure import Measure
from understudy.measuring.task import Task
from understudy.measuring.trials import TEST_ROWS, resampled, undefined
from understudy.table.coded import CodedColumn
from understudy.table.evidence import Evidence

__all__ = ["Subgroups"]


@final
@dataclass(frozen=True)
class Subgroups(Measure):
    """Largest loss of accuracy that any group has, learned from synthetic and not from real rows; 0 is best.

    by       the column of groups; if empty, the one with the fewest levels (2 or more) but the target
    target   the column to predict; the evidence's own if empty
    rows     of larger tables so many rows are drawn
    least    groups with fewer test rows are undefined, and `coverage` is the share of the others
    most     so many groups are looked at, the largest
    rounds   of boosting
    draws    of test rows, for the interval

    >>> import pyarrow as pa
    >>> columns = {"x": [0.1, 0.2, 0.8, 0.9] * 20, "g": ["a", "b"] * 40, "y": ["n", "n", "p", "p"] * 20}
    >>> real, other = pa.table(columns), pa.table(columns | {"x": [0.15, 0.25, 0.75, 0.95] * 20})
    >>> found = Subgroups(by="g", target="y", least=10)(Evidence(train=real, synthetic=real, holdout=other))
    >>> found.value, found.parts["g=0 share"], found.parts["g=1 grade"]
    (0.0, 0.5, 1.0)
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "utility"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"

    by: str = check.text("")
    target: str = check.text("")
    rows: int = check.integer(20_000, low=10, high=1_000_000_000)
    least: int = check.integer(30, low=1, high=1_000_000)
    most: int = check.integer(20, low=1, high=10_000)
    rounds: int = check.integer(50, low=1, high=10_000)
    draws: int = check.integer(100, low=10, high=100_000)

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Grade every group after synthetic and after real rows."""
        try:
            task = Task.of(evidence, rng, target=self.target, rows=self.rows)
        except TooFewRows as why:
            return undefined(str(why))
        column = self._column(task)
        if column is None:
            return undefined("no column of 2 or more levels but the target", len(task.test), task.notes)
        groups = Groups.of(evidence, column, self.most)
        seed, halves = int(rng.integers(2**31)), task.of_real(rng)
        trial = GroupTrial.of(task, groups, self.rounds, seed, rng)
        null = GroupTrial.of(halves, groups, self.rounds, seed, rng)
        notes = (*halves.notes, *self._said(column, groups))
        whole = np.ones(len(task.test))
        score = Score(self._loss(trial, whole), self._parts(trial, null))
        if math.isnan(score.value):
            reason = f"no group of {column.name!r} has {self.least:,} test rows to grade"
            return undefined(reason, len(task.test), notes)
        draws = resampled(lambda weights: self._loss(trial, weights), len(task.test), self.draws, rng)
        low, high = around(score.value, draws, (-1.0, 1.0))
        return Finding(score, low, high, self._loss(null, whole), len(task.test), notes)

    def _column(self, task: Task) -> CodedColumn | None:
        if self.by:
            return _named(task, self.by)
        met = {
            column.name: len(np.unique(task.train[column.name][task.train[column.name] >= 0]))
            for column in task.train.categories
            if column.name != task.target.name
        }
        fit = sorted((count, name) for name, count in met.items() if count >= 2)
        return task.train.column(fit[0][1]) if fit else None

    def _parts(self, trial: GroupTrial, null: GroupTrial) -> dict[str, float]:
        whole = np.ones(len(trial.truth))
        after, real = trial.grades("synthetic", whole, self.least), trial.grades("real", whole, self.least)
        parts = {
            "gap": _gap(after),
            "gap_real": _gap(real),
            "coverage": float(np.mean(~np.isnan(after - real))),
        }
        parts |= {"groups": float(len(after)), "fidelity_gap": _gap(trial.fidelity)}
        columns = {
            "share": trial.shares[0], "share_synthetic": trial.shares[1],
            "fidelity": trial.fidelity, "fidelity_real": null.fidelity,
            "grade": after, "grade_real": real,
        }  # fmt: skip
        for place, label in enumerate(trial.groups.labels):
            parts |= {f"{label} {what}": float(values[place]) for what, values in columns.items()}
        return parts

    def _loss(self, trial: GroupTrial, weights: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        lost = trial.grades("real", weights, self.least) - trial.grades("synthetic", weights, self.least)
        return float(lost[~np.isnan(lost)].max()) if (~np.isnan(lost)).any() else math.nan

    def _said(self, column: CodedColumn, groups: Groups) -> tuple[str, ...]:
        said = [f"learned by {booster_name()}, {self.rounds} rounds", TEST_ROWS]
        if not self.by:
            said.append(f"groups: by {column.name!r}, the column of the smallest number of levels")
        if groups.left_out:
            said.append(f"{groups.left_out:,} smaller groups were not looked at")
        return tuple(said)


def _named(task: Task, name: str) -> CodedColumn:
    for column in task.train.categories:
        if column.name == name and name != task.target.name:
            return column
    raise ParameterError(f"subgroups: by must be a column of levels and not the target; got {name!r}.")


def _gap(grades: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    known = grades[~np.isnan(grades)]
    return float(known.max() - known.min()) if len(known) else math.nan
