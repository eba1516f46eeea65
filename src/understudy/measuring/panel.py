"""The best of some attacks, with the choice paid for: chosen on one half of the targets, scored on the other.

Of five attacks that all guess, the best looks like a leak: the largest of five areas lies above 1/2. So who
chooses must not score on the same targets. The p-value is that of the whole procedure: who is a member is
shuffled within either half, the choice is made anew, and its score on the other half is compared.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from understudy.measuring.roc import curve

__all__ = ["Chosen", "choose_and_score", "halves_of", "p_value", "risk_beyond"]

Floats = npt.NDArray[np.float64]
_CELLS = 20_000_000  # labels of shuffles that are held at once
Mask = npt.NDArray[np.bool_]


@final
class Chosen(NamedTuple):
    """Which attack was chosen, and its area under the ROC curve on the targets that it was not chosen by."""

    place: int
    value: float


def halves_of(member: Mask, order: npt.NDArray[np.int64], rng: np.random.Generator) -> Mask:
    """Return which targets the choice is made on: half of the members and half of the others.

    `order` is one of targets that does not depend on how they stand; the other half is never the smaller one.
    """
    choosing = np.zeros(len(member), dtype=np.bool_)
    for kind in (True, False):
        places = order[member[order] == kind]
        choosing[rng.permutation(places)[: len(places) // 2]] = True
    return choosing


def choose_and_score(scores: Floats, member: Mask, choosing: Mask, scoring: Mask) -> Chosen:
    """Choose by one set of targets and score by another; scores are (attacks, targets), of equals the first.

    >>> member = np.array([True, False, True, False])
    >>> first = np.array([True, True, False, False])
    >>> choose_and_score(np.array([[0.0, 1, 1, 0], [1, 0, 1, 1]]), member, first, ~first)
    Chosen(place=1, value=0.5)
    """
    areas = _areas(_ranks(scores[:, choosing]), member[choosing][:, None])
    place = int(areas[:, 0].argmax())
    return Chosen(place, float(_areas(_ranks(scores[[place]][:, scoring]), member[scoring][:, None])[0, 0]))


def p_value(
    scores: Floats, member: Mask, halves: tuple[Mask, Mask], shuffles: int, rng: np.random.Generator
) -> float:
    """Return how often chance does as well: of so many shuffles of who is a member, and the real one."""
    found = choose_and_score(scores, member, *halves).value
    ranks = [_ranks(scores[:, half]) for half in halves]
    step, reached = max(1, _CELLS // max(1, len(member))), 0
    for start in range(0, shuffles, step):
        many = min(step, shuffles - start)
        labels = (rng.permuted(np.tile(member[half], (many, 1)), axis=1).T for half in halves)
        areas = [_areas(each, label) for each, label in zip(ranks, labels, strict=True)]
        null = areas[1][areas[0].argmax(axis=0), np.arange(many)]
        # A hair less, so that equal areas count whatever the order of their sums.
        reached += int((null >= found - 1e-12).sum())
    return (1 + reached) / (1 + shuffles)


def risk_beyond(scores: Floats, member: Mask, choosing: Mask) -> float:
    """Return TPR - FPR at the best threshold of one half, on the other half: 2 accuracy - 1 (paper 000)."""
    found = curve(scores[choosing & member], scores[choosing & ~member])
    gain = found.members / found.members[-1] - found.others / found.others[-1]
    above = scores >= found.thresholds[int(gain.argmax())]
    return float(above[~choosing & member].mean() - above[~choosing & ~member].mean())


def _ranks(scores: Floats) -> Floats:
    return np.asarray(rankdata(scores, axis=1), dtype=np.float64)


def _areas(ranks: Floats, labels: Mask) -> Floats:
    """Return the areas of attacks (rows) for each labelling (columns); ties count half."""
    members = labels.sum(axis=0)
    others = len(labels) - members
    return np.asarray((ranks @ labels - members * (members + 1) / 2) / (members * others))
