"""Many attacks as features of one: their scores by rank, and a classifier that learned from rehearsals.

A rehearsal is a table whose members are known. Scores of different tables are on different scales, by the
number of rows alone; so each attack's scores become ranks among the targets of one table, half of whom are
members in every rehearsal and in earnest, told as normal scores. What a classifier learns from ranks of
rehearsals holds for ranks in earnest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri
from scipy.stats import rankdata

__all__ = ["Learner", "learned", "ranked_scores"]

Floats = npt.NDArray[np.float64]
Learner = Literal["logistic", "boosting"]
_ROUNDS = 100
_LEAF = 20


def ranked_scores(scores: Sequence[Floats]) -> Floats:
    """Return the normal scores of the ranks that each attack gives: (targets, attacks); equals are equal.

    >>> ranked_scores([np.array([5.0, 7.0, 7.0])]).round(3).tolist()
    [[-0.967], [0.431], [0.431]]
    """
    # To nine digits of their own size: sums in another order must leave ties as they are.
    shares = [(rankdata(_rounded(each)) - 0.5) / len(each) for each in scores]
    return np.asarray(ndtri(np.column_stack(shares)))


def learned(features: Floats, members: npt.NDArray[np.bool_], learner: Learner, seed: int) -> Any:
    """Return what tells members from others, once it has learned: features in, scores out.

    logistic   a sum of the attacks, with weights
    boosting   trees on the attacks, that see one in the light of others
    """
    if learner == "boosting":
        return _boosted(features, members, seed)
    from sklearn.linear_model import LogisticRegression

    told = LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000).fit(features, members)
    return lambda asked: np.round(told.decision_function(asked), 9)


def _boosted(features: Floats, members: npt.NDArray[np.bool_], seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    told = HistGradientBoostingClassifier(
        max_iter=_ROUNDS, learning_rate=0.05, min_samples_leaf=_LEAF, early_stopping=False, random_state=seed
    ).fit(features, members)
    return lambda asked: np.round(told.decision_function(asked), 9)


def _rounded(scores: Floats) -> Floats:
    """Return scores to nine digits, each by its own size; infinite ones as they are."""
    sizes = np.floor(np.log10(np.where(np.isfinite(scores) & (scores != 0), np.abs(scores), 1.0)))
    unit = 10.0 ** np.clip(sizes - 8, -300, 300)
    return np.where(np.isfinite(scores), np.round(scores / unit) * unit, scores)
