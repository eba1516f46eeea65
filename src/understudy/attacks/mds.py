"""MDS, membership disclosure score: how much nearer synthetic rows come to a record that was learned from.

Paper 004 (SynMeter), 3.2: shadow models learn from halves of the records. The distance of a record to the
nearest row of a synthetic set, on average over sets and models, with the record inside and outside: the score
is the largest difference of any record. 0 is best; one that copies (`copy`, SELF) is the top of the scale.

The largest of many noisy differences is never 0, not even for a generator that never saw the records. So its
null is what such a generator would score: differences from each record's own two means, inside and outside,
dealt out to new halves. `shrunken` is the value less this null. `p_value` is the share of new halves that
score as much with the distances as they are: of a generator that never saw the records, every way to halve
them is as good as the real one, so that it is as rarely small as it says. Means that were taken away would
have taken the largest difference with them, and alarms would come twice as often.
The score is that of the recipe: the synthetic table of the evidence is not looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from understudy import check, synth
from understudy.engines.neighbours.points import Floats
from understudy.engines.shadows.plan import Mask, halves
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import Interval, around
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_distance import shadow_distances
from understudy.measuring.shadow_fit import Synthesizer
from understudy.measuring.shadowed import Shadowed

__all__ = ["MDS", "gaps"]

_ENOUGH = 12


@final
@dataclass(frozen=True)
class MDS(Shadowed):
    """Largest difference that learning from a record makes to its distance from synthetic rows (MDS).

    The paper has 20 models, 100 sets of each, and every record as a target; 20 sets and 2,000 targets are
    what two cores can do in minutes. The null grows with fewer sets, and with fewer than 12 models it is
    too high: so few differences from their means have longer tails than the law that they come from. So few
    models have few halves too, and the p-value of a copy is large.

    distance  "l2" as in the code of the paper, "l1" as in its text
    targets   records that are judged
    nulls     draws of the null
    """

    distance: Literal["l2", "l1"] = check.choice("l2", "l2", "l1")
    targets: int = check.integer(2_000, low=2, high=10_000_000)
    nulls: int = check.integer(100, low=2, high=100_000)

    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the recipe of this name."""
        return synth.get(name)(**settings)

    def judged(self, shown: Shown, rng: np.random.Generator) -> Finding:
        """Compare distances with every target inside and outside."""
        size = min(self.targets, len(shown.records))
        chosen = np.sort(rng.choice(len(shown.records), size, replace=False))
        distances = shadow_distances(shown, shown.records.take(chosen), self.distance)
        inside = shown.inside[:, chosen]
        found = gaps(distances, inside)
        value = float(np.abs(found).max())
        null, dealt = self._nulls(distances, inside, rng)
        low, high = _interval(value, distances, inside, rng)
        each = np.full(shown.rows, np.nan)
        each[shown.places[chosen]] = found
        notes = _notes(size, shown)
        parts = _parts(found, null, dealt)
        return Finding(Score(value, parts), low, high, float(null.mean()), size, notes, tuple(each.tolist()))

    def _nulls(self, distances: Floats, inside: Mask, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return what new halves score: without what records make, and with the distances as they are.

        The first are draws of the score of a generator whose sets vary like these and that saw no record.
        """
        models, size = inside.shape
        means = _means(distances, inside)
        # Two means are taken away, which takes 2 of m degrees of freedom from the spread.
        rest = (distances - np.where(inside, *means)) * math.sqrt(models / (models - 2))
        deals = (halves(models, size, rng) for _ in range(self.nulls))
        found = [[np.abs(gaps(of, deal)).max() for of in (rest, distances)] for deal in deals]
        null, dealt = np.array(found).T
        return null, dealt


def gaps(distances: Floats, inside: Mask) -> Floats:
    """Return how much farther synthetic rows are from each record if it was not learned from; both (m, n) in.

    >>> inside = np.array([[True], [False], [True], [False]])
    >>> round(float(gaps(np.array([[0.1], [0.5], [0.3], [0.7]]), inside)[0]), 9)
    0.4
    """
    within, without = _means(distances, inside)
    return without - within


def _means(distances: Floats, inside: Mask) -> tuple[Floats, Floats]:
    counts = inside.sum(axis=0)
    total, within = distances.sum(axis=0), np.where(inside, distances, 0.0).sum(axis=0)
    return within / counts, (total - within) / (len(inside) - counts)


def _interval(value: float, distances: Floats, inside: Mask, rng: np.random.Generator) -> Interval:
    """Return value +- t deviations, of scores of half of the pairs of models.

    Halves drawn without replacement vary among each other as much as the whole varies (Politis and Romano
    1994). As many are drawn as there are pairs: more would feign to know the deviation better than they do.
    """
    pairs = len(inside) // 2
    draws = []
    for _ in range(-(-pairs // 2)):
        order = rng.permutation(pairs)
        # A half and its rest: of few pairs, halves drawn one by one might all be the same.
        for some in (order[: pairs // 2], order[pairs - pairs // 2 :]):
            models = np.concatenate([2 * some, 2 * some + 1])
            draws.append(float(np.abs(gaps(distances[models], inside[models])).max()))
    return around(value, draws, (0.0, math.inf))


def _parts(found: Floats, null: Floats, dealt: Floats) -> dict[str, float]:
    value = np.abs(found).max()
    return {
        "signed_max": float(found.max()),
        "signed_mean": float(found.mean()),
        "quantile_99": float(np.quantile(np.abs(found), 0.99)),
        "shrunken": float(value - null.mean()),
        "p_value": float((1 + (dealt >= value).sum()) / (1 + len(dealt))),
    }


def _notes(size: int, shown: Shown) -> tuple[str, ...]:
    said = f"{shown.shadows.models} shadow models, {shown.shadows.sets} sets of each"
    whole, few = len(shown.records), shown.shadows.models < _ENOUGH
    notes = [said] + [f"{size:,} of {whole:,} records were targets"] * (size < whole)
    return (
        (*notes, f"with fewer than {_ENOUGH} models the null and the p-value are too high")
        if few
        else tuple(notes)
    )
