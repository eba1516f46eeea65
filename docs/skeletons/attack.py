"""What the adversary knows, what they want, how they go about it, and the paper it comes from.

(Copy this file to src/understudy/attacks/<name>.py. This one guesses membership: was a record trained on?)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.result import Result
from understudy.rng import stream
from understudy.table.table import Table

__all__ = ["MyAttack"]

Scores = npt.NDArray[np.float64]


class Evidence(Protocol):
    """What an adversary is tried on. The real type belongs to the table room; import it once it is there."""

    train: Table
    holdout: Table
    synthetic: Table


@final
@dataclass(frozen=True)
class MyAttack:
    """Counts exact copies of a record in the synthetic table."""

    repeats: int = check.integer(200, low=20, high=100_000)

    def __post_init__(self) -> None:
        check.validate(self)

    def __call__(self, evidence: Evidence, *, seed: int = 0) -> Result:
        """Score members (training rows) and strangers (holdout rows); the value is the AUROC."""
        start, rng = time.perf_counter(), stream(seed, "attacks", "my_attack")
        members, strangers = (
            _copies(evidence.train, evidence.synthetic),
            _copies(evidence.holdout, evidence.synthetic),
        )
        draws = [_auroc(_again(members, rng), _again(strangers, rng)) for _ in range(self.repeats)]
        value = _auroc(members, strangers)
        return Result(
            name="privacy.my_attack",
            value=value,
            low=min(value, float(np.quantile(draws, 0.025))),
            high=max(value, float(np.quantile(draws, 0.975))),
            null=0.5,
            better="null",
            saw_real_rows=True,
            parts=_parts(members, strangers, value),
            per_record=tuple(members),
            n=len(members) + len(strangers),
            seconds=time.perf_counter() - start,
        )


def _copies(records: Table, synthetic: Table) -> Scores:
    """Return how often each record stands in the synthetic table."""
    counts: dict[tuple[object, ...], int] = {}
    for row in _rows(synthetic):
        counts[row] = counts.get(row, 0) + 1
    return np.array([counts.get(row, 0) for row in _rows(records)], dtype=np.float64)


def _rows(table: Table) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in table.to_arrow().columns), strict=True))


def _again(scores: Scores, rng: np.random.Generator) -> Scores:
    return scores[rng.integers(len(scores), size=len(scores))]


def _auroc(members: Scores, strangers: Scores) -> float:
    """Return the chance that a member scores above a stranger; a tie counts half."""
    order = np.sort(strangers)
    below, up_to = np.searchsorted(order, members, "left"), np.searchsorted(order, members, "right")
    return float((below + up_to).mean() / (2 * len(order)))


def _parts(members: Scores, strangers: Scores, auroc: float) -> dict[str, float]:
    cuts = np.unique(np.concatenate([members, strangers, [np.inf]]))
    tpr = np.array([(members >= cut).mean() for cut in cuts])
    fpr = np.array([(strangers >= cut).mean() for cut in cuts])
    return {
        "auroc": auroc,
        "tpr_at_fpr_0.01": float(tpr[fpr <= 0.01].max()),
        "tpr_at_fpr_0.001": float(tpr[fpr <= 0.001].max()),
        "advantage": float((tpr - fpr).max()),
    }
