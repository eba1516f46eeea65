"""What a release says of two tables: the logarithm of how much likelier one of them made it.

No attacker who sees what a mechanism released, or anything made of it, tells two tables apart better than by
this number (Neyman, Pearson 1933). It takes what the mechanism would have seen of either table, which
an attacker has who knows all rows but one.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, log_softmax

from understudy.errors import UnderstudyError
from understudy.privacy.mechanism import Mechanism
from understudy.privacy.mechanisms.best import ChooseBest
from understudy.privacy.mechanisms.counts import CountTables
from understudy.privacy.mechanisms.dependences import GRID, Dependences
from understudy.privacy.mechanisms.interactions import CountInteractions
from understudy.privacy.mechanisms.levels import CommonLevels
from understudy.privacy.mechanisms.selection import ChooseInEach
from understudy.privacy.mechanisms.spanning import ChooseTree, kruskal

__all__ = ["has_law", "log_ratio"]

Seen = npt.NDArray[Any]


def log_ratio(mechanism: Mechanism, output: Any, seen: Seen, other: Seen) -> float:
    """Return log P(output | seen) - log P(output | other); infinite where `other` cannot lead to it."""
    first, second = (_log_chance(mechanism, output, each) for each in (seen, other))
    return 0.0 if first == second else first - second


def has_law(mechanism: Mechanism) -> bool:
    """Say whether the law of a mechanism is written down here, so that `log_ratio` can be asked for."""
    return _log_chance.dispatch(type(mechanism)) is not _log_chance.dispatch(object)


@singledispatch
def _log_chance(mechanism: Mechanism, _output: Any, _seen: Seen) -> float:
    """Return the logarithm of how likely an output is, up to what does not depend on the table."""
    raise UnderstudyError(f"likelihood: the law of {type(mechanism).__name__} is not written down here.")


@_log_chance.register
def _of_counts(mechanism: CountTables, output: Any, seen: Seen) -> float:
    noise = np.concatenate([np.ravel(table) for table in output]) - seen
    return -float((noise.astype(np.float64) ** 2).sum()) / (2 * mechanism.price.sigma**2)


@_log_chance.register
def _of_interactions(mechanism: CountInteractions, output: Any, seen: Seen) -> float:
    ends = np.cumsum([table.size for table in output])[:-1]
    each = zip(mechanism.tables, output, np.split(seen, ends), strict=True)
    gaps = ((mechanism.scale(margin), np.ravel(table) - part) for margin, table, part in each)
    return -float(sum((gap.astype(np.float64) ** 2).sum() / (2 * scale**2) for scale, gap in gaps if scale))


@_log_chance.register
def _of_scores(mechanism: Dependences, output: Any, seen: Seen) -> float:
    # The density, not the chance of a step: steps are far finer than the noise.
    sigma = mechanism.price.noise * mechanism.moved_by * GRID
    return -float(((output - seen * GRID) ** 2).sum()) / (2 * sigma**2)


@_log_chance.register
def _of_choices(mechanism: ChooseInEach, output: Any, seen: Seen) -> float:
    chances = log_softmax(seen * (mechanism.price.epsilon / (2 * mechanism.scores.moved_by)), axis=1)
    return float(chances[np.arange(len(output)), output].sum())


@_log_chance.register
def _of_best(mechanism: ChooseBest, output: Any, seen: Seen) -> float:
    scaled, total = seen * (mechanism.price.epsilon / (2 * mechanism.errors.moved_by)), 0.0
    for round_, place in enumerate(output):
        left = np.setdiff1d(np.arange(len(scaled)), output[:round_])
        total += float(log_softmax(scaled[left])[left == place][0])
    return total


@_log_chance.register
def _of_trees(mechanism: ChooseTree, output: Any, seen: Seen) -> float:
    scaled, total, wanted = (
        seen * (mechanism.price.epsilon / (2 * mechanism.errors.moved_by)),
        0.0,
        iter(output),
    )

    def follow(at: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        nonlocal total
        taken = at == next(wanted)
        total += float(log_softmax(scaled[at])[taken][0])
        return np.asarray(taken, dtype=np.float64)

    kruskal(mechanism.pairs, mechanism.columns, follow)
    return total


@_log_chance.register
def _of_levels(mechanism: CommonLevels, output: Any, seen: Seen) -> float:
    counts, sigma = dict(seen.tolist()), mechanism.price.sigma
    if not output.keys() <= counts.keys():
        return -np.inf
    gaps = [output.missing - counts.pop(None), *(output[value] - counts[value] for value in output)]
    told = [-(gap**2) / (2 * sigma**2) for gap in gaps]
    # P(noise < threshold - count), by the continuous law, half a step on; the sum that makes the squares
    # above chances is the same for either table, but for what was told.
    level = -np.log(sigma * np.sqrt(2 * np.pi))
    kept = [
        log_ndtr((mechanism.threshold - 0.5 - count) / sigma) - level
        for value, count in counts.items()
        if value not in output
    ]
    return float(np.sum(told) + np.sum(kept) + level * len(counts))
