"""Which records are at risk: those that successful attacks put on top, and how far attacks agree on them.

An attack's scores have no unit that another's share, so records are compared by their places: a record at
0.99 has a larger score than 99 % of those that the attack judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from understudy.errors import ParameterError
from understudy.measuring.record_id import record_ids
from understudy.result import Result
from understudy.table.evidence import Evidence

__all__ = ["Agreement", "RecordAtRisk", "agreement", "records_at_risk", "top"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@final
@dataclass(frozen=True)
class RecordAtRisk:
    """A training row on top of one attack or more: its id, its place in the table, and what put it there.

    `rank` is its mean place over all attacks that judged it: 1 is the top, 0.5 what chance gives.
    """

    id: str
    place: int
    attacks: tuple[str, ...]
    rank: float


class Agreement(NamedTuple):
    """How two attacks agree: rank correlation over the rows that both judged, and what their tops share.

    `overlap` is the part of the smaller top that the other has too, `chance` what unrelated tops would share.
    """

    one: str
    other: str
    correlation: float
    overlap: float
    chance: float


def records_at_risk(results: Sequence[Result], evidence: Evidence, share: float = 0.01) -> list[RecordAtRisk]:
    """Return the rows of train on top of an attack that succeeds; those that most attacks point at first.

    share   of an attack's targets that are its top; all that tie with the last of them belong to it

    An attack succeeds if its interval lies above its null: the top of one that only guesses is chance. Where
    it gives all rows of train the same score and yet tells them from others, as it does with a plain copy,
    all of them are at risk.

    >>> import pyarrow as pa
    >>> shown = Evidence(train=pa.table({"a": [1, 2, 3]}), synthetic=pa.table({"a": [3, 3, 3]}))
    >>> found = Result("privacy.toy", 0.9, 0.8, 1, 0.5, "lower", True, per_record=(0.1, 0.2, 0.9))
    >>> [(record.place, record.attacks) for record in records_at_risk([found], shown, share=0.3)]
    [(2, ('privacy.toy',))]
    """
    rows = len(evidence.table("train"))
    scores = _scores([result for result in results if result.low > result.null], rows)
    if not scores:
        return []
    tops = np.array([_accused(each, share) for each in scores.values()])
    ranks = np.array([_places(each) for each in scores.values()])
    ids = record_ids(evidence.table("train").to_arrow())
    names = np.array(list(scores))
    found = [
        RecordAtRisk(
            ids[place], int(place), tuple(names[tops[:, place]].tolist()), float(np.nanmean(ranks[:, place]))
        )
        for place in np.flatnonzero(tops.any(0))
    ]
    return sorted(found, key=lambda record: (-len(record.attacks), -record.rank, record.id))


def agreement(results: Sequence[Result], share: float = 0.01) -> list[Agreement]:
    """Return how every two attacks agree on the rows that both judged.

    >>> one, other = (
    ...     Result(f"privacy.{name}", 1, 1, 1, 0.5, "lower", True, per_record=scores)
    ...     for name, scores in {"a": (1.0, 2.0, 3.0, 9.0), "b": (2.0, 4.0, 6.0, 7.0)}.items()
    ... )
    >>> agreement([one, other], share=0.25)
    [Agreement(one='privacy.a', other='privacy.b', correlation=1.0, overlap=1.0, chance=0.25)]
    """
    told = [len(result.per_record) for result in results if result.per_record is not None]
    scores = _scores(results, max(told, default=0))
    return [_agreement(one, other, scores, share) for one, other in combinations(scores, 2)]


def top(scores: Floats, share: float) -> Mask:
    """Say which rows an attack puts on top: the share of the largest scores, and whatever ties with them.

    Rows that share the least score of all are never on top: an attack that cannot tell accuses nobody.

    >>> top(np.array([3.0, 1.0, np.nan, 3.0, 2.0]), 0.2).tolist()
    [True, False, False, True, False]
    """
    if not 0 < share < 1:
        raise ParameterError(f"top: share must be > 0 and < 1; got {share}.")
    judged = np.sort(scores[~np.isnan(scores)])[::-1]
    if not len(judged):
        return np.zeros(len(scores), bool)
    threshold = judged[max(1, round(share * len(judged))) - 1]
    return np.asarray((scores >= threshold) & (scores > judged[-1]))


def _accused(scores: Floats, share: float) -> Mask:
    judged = ~np.isnan(scores)
    return judged if len(np.unique(scores[judged])) == 1 else top(scores, share)


def _scores(results: Sequence[Result], rows: int) -> dict[str, Floats]:
    """Return the scores of the attacks that judge records, by name; all must be of one table."""
    names = [result.name for result in results]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ParameterError(f"records at risk: {twice[0]} is there twice; give one result of each attack.")
    found = {
        result.name: np.asarray(result.per_record, np.float64)
        for result in results
        if result.per_record is not None and not np.isnan(result.per_record).all()
    }
    if wrong := [name for name, each in found.items() if len(each) != rows]:
        raise ParameterError(
            f"records at risk: {wrong[0]} judged another table; give results of one evidence."
        )
    return found


def _places(scores: Floats) -> Floats:
    """Return places from 0 to 1, NaN where a row was not judged; ties share theirs."""
    found = np.full(len(scores), np.nan)
    judged = ~np.isnan(scores)
    found[judged] = (rankdata(scores[judged]) - 0.5) / judged.sum()
    return found


def _agreement(one: str, other: str, scores: dict[str, Floats], share: float) -> Agreement:
    both = ~np.isnan(scores[one]) & ~np.isnan(scores[other])
    first, second = scores[one][both], scores[other][both]
    tops = top(first, share), top(second, share)
    sizes = sorted(int(each.sum()) for each in tops)
    shared = int((tops[0] & tops[1]).sum())
    overlap = shared / sizes[0] if sizes[0] else np.nan
    chance = sizes[1] / len(first) if len(first) else np.nan
    return Agreement(one, other, _correlation(first, second), float(overlap), float(chance))


def _correlation(one: Floats, other: Floats) -> float:
    """Return Spearman's correlation, NaN where an attack gives all the same score."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    # As ranks: infinite scores have a place too.
    return round(float(np.corrcoef(rankdata(one), rankdata(other))[0, 1]), 12)
