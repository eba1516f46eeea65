"""Groundhog: was this record learned from? A forest tells sets of models with it from sets of models without.

Stadler et al. 2022, and TAPAS (Houssiau et al. 2022), whose attacks paper 000 uses. For each target a forest
of its own learns from the sets of some shadow models and guesses for the others. Models are held out by
pairs, one with the target and one without: sets of one model are never on both sides, and what is learned
from is always balanced. The value is the share of pairs in which the model with the target is the more
suspect one, ties half: the area under the ROC curve of two models that are told by one forest.

Why not the area over all models: scores of different forests are compared there, of which each has learned
from the others' models, and by chance alone it lies below 1/2. The interval is one of targets: each is inside
by coins of its own, so that shares of different targets are independent whatever the sets look like.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from understudy import check
from understudy.engines.neighbours.points import Floats, Places
from understudy.engines.shadows.plan import Mask
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import Interval, around, clopper_pearson
from understudy.measuring.membership import PROMISED, parts_of
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadowed import Shadowed
from understudy.table.coded import CodedTable

__all__ = ["Describe", "Groundhog", "of_every_set", "over_targets", "share_told"]

_SURE_PARTS = ("epsilon", "sure_tpr", "sure_fpr")  # bounds of independent guesses, which these are not

Describe = Callable[[int], Floats]
"""The place of a target among the records: returns features of every set, (models x sets, features)."""


@dataclass(frozen=True)
class Groundhog(Shadowed):
    """Tells sets of models that learned from a target from those of others, by features of whole sets.

    targets   records that are judged
    trees     of each forest
    folds     parts that the pairs of models are held out in
    """

    promised: ClassVar[tuple[str, ...]] = PROMISED
    chance: ClassVar[float] = 0.5
    chosen: ClassVar[str] = "drawn at random"

    targets: int = check.integer(20, low=1, high=100_000)
    trees: int = check.integer(100, low=1, high=10_000)
    folds: int = check.integer(5, low=2, high=1_000)

    @abstractmethod
    def describe(self, shown: Shown, rng: np.random.Generator) -> Describe:
        """Return how sets are told, for each target."""

    def choose(self, records: CodedTable, size: int, rng: np.random.Generator) -> Places:
        """Return the places of the targets among the records; who is inside which model cannot be seen."""
        return np.sort(rng.choice(len(records), size, replace=False))

    def judged(self, shown: Shown, rng: np.random.Generator) -> Finding:
        """Let a forest for each target guess which models learned from it."""
        size = min(self.targets, len(shown.records))
        chosen = self.choose(shown.records, size, rng)
        features = self.describe(shown, rng)
        inside = shown.inside[:, chosen].T
        scores = np.stack(
            [
                self._guess(features(int(target)), mask, rng)
                for target, mask in zip(chosen, inside, strict=True)
            ]
        )
        told = share_told(scores, inside)
        low, high = over_targets(told)
        each = np.full(shown.rows, np.nan)
        each[shown.places[chosen]] = scores.mean(axis=1, where=inside) - scores.mean(axis=1, where=~inside)
        value, pooled = float(told.mean()), _pooled(scores[inside], scores[~inside], rng)
        of = f"{size:,} of {len(shown.records):,} records"
        notes = (f"{of} were targets, {self.chosen}, {len(inside[0])} models each",)
        score = Score(value, {"auroc": value, **pooled})
        return Finding(score, low, high, 0.5, scores.size, notes, tuple(each.tolist()))

    def _guess(self, features: Floats, inside: Mask, rng: np.random.Generator) -> Floats:
        """Return for each model the probability that it learned from the target, by models of other pairs."""
        from sklearn.ensemble import RandomForestClassifier

        models, pairs = len(inside), len(inside) // 2
        if features.shape[-1] == 0:  # one column has no correlations
            return np.full(models, 0.5)
        by_model = features.reshape(models, -1, features.shape[-1])
        fold = np.repeat(rng.permutation(pairs) % min(self.folds, pairs), 2)
        found = np.empty(models)
        for part in range(fold.max() + 1):
            held, learned = fold == part, fold != part
            forest = RandomForestClassifier(self.trees, n_jobs=1, random_state=int(rng.integers(2**31)))
            sets = by_model.shape[1]
            forest.fit(by_model[learned].reshape(-1, features.shape[-1]), np.repeat(inside[learned], sets))
            chance = forest.predict_proba(by_model[held].reshape(-1, features.shape[-1]))[:, 1]
            found[held] = chance.reshape(-1, sets).mean(axis=1)
        return found


def share_told(scores: Floats, inside: Mask) -> Floats:
    """Return for each target the share of pairs that are told right; both (targets, models) in.

    >>> share_told(np.array([[0.9, 0.1, 0.3, 0.3]]), np.array([[True, False, False, True]])).tolist()
    [0.75]
    """
    pairs = scores.reshape(len(scores), -1, 2)
    first = inside[:, ::2]  # the second model of a pair has whom the first has not
    ahead = np.sign(pairs[..., 0] - pairs[..., 1]) * np.where(first, 1, -1)
    return np.asarray((0.5 + 0.5 * ahead).mean(axis=1))


def over_targets(shares: Floats) -> Interval:
    """Return the interval of the mean of shares: value +- t errors; of one target there is none.

    Targets whose shares are all the same have no spread, and the method would be certain of them however few
    there are; then the interval is the exact one of as many successes. Without it, of two targets and four
    pairs of models, one interval in eight would miss a half that is true.

    >>> [round(end, 3) for end in over_targets(np.ones(8))], over_targets(np.array([0.5]))
    ([0.631, 1.0], (nan, nan))
    >>> [round(end, 3) for end in over_targets(np.full(4, 0.75))]
    [0.194, 0.994]
    """
    value, size = float(shares.mean()), len(shares)
    if np.ptp(shares) == 0 and (size > 1 or value in {0.0, 1.0}):
        return clopper_pearson(value * size, size)
    scaled = value + (shares - value) / math.sqrt(size)
    return around(value, scaled.tolist(), (0.0, 1.0))


def _pooled(members: Floats, others: Floats, rng: np.random.Generator) -> dict[str, float]:
    """Return what thresholds say over all targets; a sure bound needs guesses that are independent.

    The area over all targets has a name of its own: it is not that of the value.
    """
    found = parts_of(members, others, rng)
    return {
        ("auroc_pooled" if name == "auroc" else name): value
        for name, value in found.items()
        if name not in _SURE_PARTS
    }


def of_every_set(shown: Shown, tell: Callable[[CodedTable], Floats]) -> Describe:
    """Return features that are the same for every target: they are worked out once."""
    shadows = shown.shadows
    rows = [tell(shown.drawn(model, n)) for model in range(shadows.models) for n in range(shadows.sets)]
    features = np.stack(rows)
    return lambda _: features
