"""Every column predicted from all others: what models of real and of synthetic rows guess for test rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from understudy.measuring.booster import booster
from understudy.measuring.encoder import Encoder, Matrix
from understudy.measuring.grades import Weights, d2_absolute, macro_f1
from understudy.measuring.trials import learn_classes, learn_numbers
from understudy.measuring.trio import Trio
from understudy.missing import is_missing
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["ColumnTrial", "Settings", "column_trials"]

Rows = npt.NDArray[np.int64]
Guesses = list[npt.NDArray[Any]]


@final
@dataclass(frozen=True)
class Settings:
    """How the models of all columns learn."""

    rounds: int
    folds: int
    levels: int


@final
@dataclass(frozen=True, eq=False)
class ColumnTrial:
    """The guesses for one column of the test rows that have it; a list of none where nothing was learned."""

    name: str
    quantity: bool
    too_wide: bool
    rows: Rows
    truth: npt.NDArray[Any]
    real: Guesses
    synthetic: Guesses

    def grade(
        self, learned: Literal["real", "synthetic"], weights: Weights, fold: int | None = None
    ) -> float:
        """Return the mean grade of the models: macro F1, or D2 of absolute errors clipped to [0, 1].

        With `fold`, that of one model alone. NaN where the test rows hold one value only, or where even the
        real rows teach nothing for want of rows; 0 where the synthetic rows do.
        """
        counts = weights[self.rows]
        met = self.truth[counts > 0]
        if len(self.real) == 0 or len(met) == 0 or (met == met[0]).all():
            return math.nan
        guesses = self.real if learned == "real" else self.synthetic
        if fold is not None and len(guesses) > 1:
            guesses = [guesses[fold]]
        return float(np.mean([self._graded(guess, counts) for guess in guesses])) if guesses else 0.0

    def _graded(self, guess: npt.NDArray[Any], counts: Weights) -> float:
        if self.quantity:
            return min(1.0, max(0.0, d2_absolute(self.truth, guess, counts)))
        return macro_f1(self.truth, guess, counts)


def column_trials(trio: Trio, settings: Settings, rng: np.random.Generator) -> list[ColumnTrial]:
    """Predict every column of the test rows, learned from real rows and from as many synthetic ones."""
    encoder = Encoder.fit(trio.train)
    train = trio.train.draw(len(trio.synthetic), rng)
    matrices = [encoder.matrix(table) for table in (train, trio.synthetic, trio.test)]
    places = _places(encoder)
    trials = []
    for column in trio.train.domain:
        others = np.flatnonzero(places != column.name)
        real, synthetic, test = (matrix[:, others] for matrix in matrices)
        rows = np.flatnonzero(~is_missing(trio.test[column.name]))
        wide = column.levels > settings.levels
        # One seed for both tables: where they are the same rows, they teach the same.
        learner = _Learner(column, settings, test[rows], wide or len(rows) == 0, int(rng.integers(2**63)))
        trials.append(
            ColumnTrial(
                column.name,
                column.quantity,
                wide,
                rows,
                trio.test[column.name][rows],
                learner.guesses(train, real),
                learner.guesses(trio.synthetic, synthetic),
            )
        )
    return trials


@final
@dataclass(frozen=True, eq=False)
class _Learner:
    """Learns one column from any table; idle where nothing is to be guessed."""

    column: CodedColumn
    settings: Settings
    test: Matrix
    idle: bool
    seed: int

    def guesses(self, table: CodedTable, features: Matrix) -> Guesses:
        """Return the guesses of the models of all folds; of none if fewer than 2 rows have this column."""
        labels = table[self.column.name]
        known = np.flatnonzero(~is_missing(labels))
        if self.idle or len(known) < 2:
            return []
        found, rng = [], np.random.default_rng(self.seed)
        for rows in _folds(known, self.settings.folds, rng):
            model = booster(
                regression=self.column.quantity, rounds=self.settings.rounds, seed=int(rng.integers(2**31))
            )
            learn = learn_numbers if self.column.quantity else learn_classes
            found.append(learn(model, features[rows], labels[rows]).guess(self.test))
        return found


def _folds(rows: Rows, folds: int, rng: np.random.Generator) -> Iterator[Rows]:
    """Yield the rows without each of so many parts; all rows where one part is asked for or they are few."""
    if folds == 1 or len(rows) < 2 * folds:
        yield rows
        return
    order = rng.permutation(len(rows))
    for fold in range(folds):
        yield rows[np.sort(order[np.arange(len(order)) % folds != fold])]


def _places(encoder: Encoder) -> npt.NDArray[np.str_]:
    """Return the name of the table's column behind each column of the matrix."""
    return np.array([name for name, block in encoder.blocks for _ in block.labels], dtype=np.str_)
