"""Telling two tables apart: the probability that a row is synthetic, by a model that never saw it.

What is compared. Rows in the coded representation, so that a file's formatting cannot be learned: levels as
codes; quantities as steps between up to 255 quantiles of real rows, each value counted to the nearest.
An integer kept as a float, or a price with twelve decimals, falls on the step of its neighbour; what lies
below or above all real values, and a missing cell, stay apart. A model sees the steps of the rows that it
learns from: quantiles of all real rows would give a held-out one a step of its own in a small table, where
only synthetic rows are learned from, and two samples of one law would seem to avoid each other.

Folds. Rows that are equal in every step and code are held out together. Otherwise a model that learned "this
row is real" would meet its copy in the synthetic table and be wrong: a copied table would seem the opposite
of the real one, an area near 0. Where more than ten rows are equal they are not copies but the law of a
coarse table, and are spread over the folds. In each fold both tables weigh the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.measuring.booster import booster
from understudy.measuring.canonical import canonical
from understudy.measuring.encoder import Matrix
from understudy.measuring.interval import Interval, delong_of_folds
from understudy.table.coded import CodedTable

__all__ = ["FEWEST", "FORMATTING", "Told", "alike", "folds_of", "said_of_size", "tell_apart"]

FEWEST = 10  # rows of each table: below, nothing can be learned and held out at once
FORMATTING = "compared in codes and in at most 255 steps of real values: number formatting is not seen"

_STEPS = 255  # what histogram boosting tells apart
_COPIES = 10
Rows = npt.NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class Told:
    """For the rows of each table the probability of being synthetic, out of fold, and the fold: (rows,)."""

    real: Matrix
    synthetic: Matrix
    real_folds: Rows
    synthetic_folds: Rows

    @property
    def gaps(self) -> Matrix:
        """How far each probability is from one half: (rows of both,)."""
        return np.abs(np.concatenate([self.real, self.synthetic]) - 0.5)

    @property
    def area(self) -> tuple[float, Interval]:
        """The area under the ROC curve within folds, and its interval."""
        folds = np.unique(np.concatenate([self.real_folds, self.synthetic_folds]))
        return delong_of_folds(
            [
                (self.synthetic[self.synthetic_folds == fold], self.real[self.real_folds == fold])
                for fold in folds
            ]
        )


def alike(
    tables: tuple[CodedTable, CodedTable], rows: int, rng: np.random.Generator
) -> tuple[CodedTable, CodedTable]:
    """Return as many rows of both tables, at most so many, whatever order these stood in."""
    one, other = canonical(tables)
    size = min(rows, len(one), len(other))
    return one.draw(size, rng), other.draw(size, rng)


def said_of_size(tables: tuple[CodedTable, CodedTable], size: int) -> tuple[str, ...]:
    """Return the note that fewer rows were judged than there are."""
    whole = " and ".join(f"{len(table):,}" for table in tables)
    return (f"{size:,} rows were drawn of each of {whole}",) if {*map(len, tables)} != {size} else ()


def tell_apart(
    real: CodedTable, synthetic: CodedTable, rng: np.random.Generator, *, folds: int = 5, rounds: int = 100
) -> Told:
    """Return the probabilities of a booster that learned from the other folds."""
    labels = np.repeat([0, 1], [len(real), len(synthetic)])
    parts = folds_of(_of_both(real, real, synthetic), folds, rng)
    found = np.full(len(labels), 0.5)
    for part in range(folds):
        held, learned = parts == part, parts != part
        if held.any() and 0 < labels[learned].mean() < 1:
            features = _of_both(real.take(np.flatnonzero(learned[: len(real)])), real, synthetic)
            model = booster(regression=False, rounds=rounds, seed=int(rng.integers(2**31)))
            model.fit(features[learned], labels[learned], sample_weight=_weights(labels[learned]))
            found[held] = model.predict_proba(features[held])[:, 1]
    sides = labels == 0, labels == 1
    return Told(found[sides[0]], found[sides[1]], parts[sides[0]], parts[sides[1]])


def folds_of(features: Matrix, folds: int, rng: np.random.Generator) -> Rows:
    """Return the fold of each row; equal rows share one, up to ten of them.

    >>> rows = np.array([[1.0], [2.0], [1.0], [np.nan], [np.nan]])
    >>> found = folds_of(rows, 3, np.random.default_rng(0))
    >>> bool(found[0] == found[2]), bool(found[3] == found[4])
    (True, True)
    """
    cells = np.where(np.isnan(features), -1e9, features)
    _, group, sizes = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    own = np.flatnonzero(sizes[group] > _COPIES)
    group[own] = len(sizes) + np.arange(len(own))
    _, group = np.unique(group, return_inverse=True)
    return np.asarray(rng.permutation(group.max() + 1)[group] % folds)


def _weights(labels: npt.NDArray[Any]) -> Matrix:
    share = labels.mean()
    return np.asarray(np.where(labels == 1, 0.5 / share, 0.5 / (1 - share)))


def _of_both(known: CodedTable, real: CodedTable, synthetic: CodedTable) -> Matrix:
    """Return the rows of both tables in the steps of the known real ones."""
    return np.concatenate([_features(known, real), _features(known, synthetic)])


def _features(real: CodedTable, table: CodedTable) -> Matrix:
    """Return steps and codes, NaN where missing: (rows, columns)."""
    columns = [
        _steps(real[column.name], table[column.name]) if column.quantity else _codes(table[column.name])
        for column in table.domain
    ]
    return np.column_stack(columns)


def _codes(values: npt.NDArray[Any]) -> Matrix:
    return np.where(values < 0, np.nan, values)


def _steps(real: Matrix, values: Matrix) -> Matrix:
    present = real[~np.isnan(real)]
    if len(present) == 0:
        return np.where(np.isnan(values), np.nan, 0.0)
    shares = np.linspace(0, 1, _STEPS)
    knots = np.unique(np.quantile(present, shares, method="inverted_cdf"))
    steps = np.searchsorted((knots[1:] + knots[:-1]) / 2, values).astype(np.float64)
    steps[values < knots[0]] = -1
    steps[values > knots[-1]] = len(knots)
    return np.where(np.isnan(values), np.nan, steps)
