"""Normal scores of every column, their covariances, and the Hermite coefficients that undo them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.copula import conditional_means, hermite_coefficients, shrunken
from understudy.engines.margin import LevelMargin, Margin
from understudy.missing import is_missing

__all__ = ["score_moments"]

Floats = npt.NDArray[np.float64]

BLOCK = 65_536


@final
class _Scored:
    """A column as a table of scores and, per row, the place in it; place -1 means not there."""

    def __init__(self, places: npt.NDArray[np.int32], mass: Floats) -> None:
        upper = np.minimum(np.cumsum(mass), 1.0)
        lower = np.concatenate([[0.0], upper[:-1]])
        kept = mass > 0
        scores = np.zeros(len(mass) + 1)  # the last place is for rows that are not there
        scores[:-1][kept] = conditional_means(lower[kept], upper[kept])
        self.places, self.scores = places, scores
        self.coefficients = hermite_coefficients(lower[kept], upper[kept], scores[:-1][kept])


def score_moments(
    margins: Mapping[str, Margin], columns: Mapping[str, npt.NDArray[Any]], flags: list[str]
) -> tuple[Floats, Floats]:
    """Return the covariances of all scores, over rows where both are there, and their coefficients.

    Latents come in the order of the margins, then one per flag ("is missing" below "is there").
    """
    scored = [_score(margin, columns[name]) for name, margin in margins.items()]
    scored += [_flag(columns[name]) for name in flags]
    return _covariance(scored), np.stack([column.coefficients for column in scored])


def _score(margin: Margin, values: npt.NDArray[Any]) -> _Scored:
    if isinstance(margin, LevelMargin):
        place_of = np.empty(len(margin.codes), dtype=np.int32)
        place_of[margin.codes] = np.arange(len(margin.codes))  # the code -1 writes the last place
        return _Scored(place_of[values], margin.upper - margin.lower)
    missing = is_missing(values)
    places = np.full(len(values), -1, dtype=np.int32)
    if missing.all():
        return _Scored(places, np.ones(1))
    _, inverse, counts = np.unique(values[~missing], return_inverse=True, return_counts=True)
    places[~missing] = inverse
    return _Scored(places, counts / counts.sum())


def _flag(values: npt.NDArray[Any]) -> _Scored:
    there = (~is_missing(values)).astype(np.int32)
    rate = float(there.mean())
    return _Scored(there, np.array([1 - rate, rate]))


def _covariance(scored: list[_Scored]) -> Floats:
    d, rows = len(scored), len(scored[0].places)
    products, sums, counts = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    for start in range(0, rows, BLOCK):
        part = slice(start, start + BLOCK)
        scores = np.stack([column.scores[column.places[part]] for column in scored], axis=1)  # (block, d)
        there = np.stack([column.places[part] >= 0 for column in scored], axis=1).astype(np.float64)
        products += scores.T @ scores
        sums += scores.T @ there  # the sum of column i over rows where j is there
        counts += there.T @ there
    pairs = np.maximum(counts, 1.0)
    covariance = products / pairs - (sums / pairs) * (sums.T / pairs)
    variance = np.diag(covariance).clip(0)
    # The standard error of a covariance of two columns that have nothing to do with each other.
    return shrunken(covariance, np.sqrt(np.outer(variance, variance) / pairs))
