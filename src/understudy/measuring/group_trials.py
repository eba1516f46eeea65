"""The groups of one column: who is in them, how alike their rows are, how well their target is guessed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from understudy.engines.binning import bin_cells, quantile_edges
from understudy.measuring.booster import booster
from understudy.measuring.canonical import numbering
from understudy.measuring.grades import Weights, accuracy, d2_absolute
from understudy.measuring.task import Task
from understudy.measuring.trials import learn_classes, learn_numbers
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["GroupTrial", "Groups"]

Floats = npt.NDArray[np.float64]
_BINS = 10


@final
@dataclass(frozen=True)
class Groups:
    """Groups of a column in canonical codes (-1: missing), named by the codes of the schema's order."""

    name: str
    codes: tuple[int, ...]
    labels: tuple[str, ...]
    left_out: int

    @classmethod
    def of(cls, evidence: Evidence, column: CodedColumn, most: int) -> Groups:
        """Return the groups that training rows have, the largest first, and how many more there are."""
        roles: tuple[Role, ...] = ("train", "synthetic", "holdout")
        tables = [evidence.coded(role) for role in roles if evidence.has(role)]
        values = tables[0][column.name]
        found, counts = np.unique(values, return_counts=True)
        new = np.append(numbering(column, tables), -1)[found]
        order = np.lexsort([new, -counts])[:most]
        labels = [f"{column.name}={code}" if code >= 0 else f"{column.name}=missing" for code in found[order]]
        return cls(column.name, tuple(int(c) for c in new[order]), tuple(labels), len(found) - len(order))

    def members(self, table: CodedTable) -> npt.NDArray[np.bool_]:
        """Say which rows are of which group: (groups, rows)."""
        return np.asarray(table[self.name][None, :] == np.array(self.codes)[:, None])


@final
@dataclass(frozen=True, eq=False)
class GroupTrial:
    """What was guessed for test rows after real and after synthetic rows, and how alike the groups are."""

    groups: Groups
    quantity: bool
    inside: npt.NDArray[np.bool_]
    truth: npt.NDArray[Any]
    real: npt.NDArray[Any]
    synthetic: npt.NDArray[Any]
    shares: tuple[Floats, Floats]
    fidelity: Floats

    @classmethod
    def of(cls, task: Task, groups: Groups, rounds: int, seed: int, rng: np.random.Generator) -> GroupTrial:
        """Learn from both tables and compare them, group by group."""
        members = [groups.members(table) for table in (task.train, task.synthetic)]
        return cls(
            groups,
            task.is_regression,
            groups.members(task.test),
            task.labels(task.test),
            _guesses(task, task.reference(rng), rounds, seed),
            _guesses(task, task.synthetic, rounds, seed),
            (members[0].mean(axis=1), members[1].mean(axis=1)),
            _fidelity(task, groups.name, members[0], members[1]),
        )

    def grades(self, learned: Literal["real", "synthetic"], weights: Weights, least: int) -> Floats:
        """Return the grade of each group; NaN where it has fewer than `least` test rows."""
        guess = self.real if learned == "real" else self.synthetic
        return np.array([self._grade(guess, weights, rows, least) for rows in self.inside])

    def _grade(
        self, guess: npt.NDArray[Any], weights: Weights, rows: npt.NDArray[np.bool_], least: int
    ) -> float:
        if rows.sum() < least:
            return math.nan
        if not self.quantity:
            return accuracy(self.truth[rows], guess[rows], weights[rows])
        grade = d2_absolute(self.truth[rows], guess[rows], weights[rows])
        return grade if math.isnan(grade) else min(1.0, max(0.0, grade))


def _guesses(task: Task, table: CodedTable, rounds: int, seed: int) -> npt.NDArray[Any]:
    model = booster(regression=task.is_regression, rounds=rounds, seed=seed)
    learn = learn_numbers if task.is_regression else learn_classes
    return learn(model, task.features(table), task.labels(table)).guess(task.features(task.test))


def _fidelity(task: Task, name: str, real: npt.NDArray[np.bool_], synthetic: npt.NDArray[np.bool_]) -> Floats:
    """Return 1 - the mean total variation of the other columns, by group; NaN where a table lacks it."""
    binned = [
        _binned(column, task.train[column.name], task.synthetic[column.name])
        for column in task.train.domain
        if column.name != name
    ]
    found = np.full(len(real), np.nan)
    for group, (one, other) in enumerate(zip(real, synthetic, strict=True)):
        if one.any() and other.any():
            distances = [_variation(first[one], second[other]) for first, second in binned]
            found[group] = 1 - float(np.mean(distances))
    return found


def _binned(
    column: CodedColumn, real: npt.NDArray[Any], synthetic: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return both columns as codes from 0, 0 for missing: quantities in tenths of the real rows."""
    if not column.quantity:
        return real + 1, synthetic + 1
    edges = quantile_edges(real, _BINS)
    return bin_cells(real, edges), bin_cells(synthetic, edges)


def _variation(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> float:
    size = 1 + int(max(first.max(), second.max()))
    one, other = (np.bincount(codes, minlength=size) / len(codes) for codes in (first, second))
    return float(np.abs(one - other).sum() / 2)
