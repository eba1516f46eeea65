"""Membership: an adversary gives every record a score, larger for "it was learned from".

Members are rows of train, the others rows of holdout, equally many. The value is the area under the ROC curve
with DeLong's interval; 0.5 is what guessing gives. A threshold, where one is needed, is chosen on one half of
the targets and judged on the other, so that the best of many does not flatter the adversary.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.measuring.finding import Finding, Score
from understudy.measuring.interval import delong
from understudy.measuring.measure import Measure
from understudy.measuring.roc import advantage, counted_apart, epsilon_at_least, sure_point, tpr_at
from understudy.rng import seed_of, stream
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["PROMISED", "Floats", "Membership", "Targets", "parts_of"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
FPRS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # where the ROC curve is told
# What every membership attack tells, whether or not it had what it needs.
PROMISED = ("auroc", "tpr_at_fpr_0.01", "tpr_at_fpr_0.001", "advantage")
SURE = 0.999  # of the one point of the curve that a claim is held against


@dataclass(frozen=True)
class Membership(Measure):
    """A score per record. `sees` says what the adversary has beside the target itself.

    targets   rows of train, and as many of holdout, that are judged
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "privacy"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
    promised: ClassVar[tuple[str, ...]] = PROMISED
    sees: ClassVar[tuple[Role, ...]] = ("synthetic",)

    targets: int = check.integer(10_000, low=2, high=10_000_000)

    @abstractmethod
    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return the score of every target, from what the adversary sees and from nothing else.

        Members and others come together, so that whatever is drawn or trained is the same for both; who is
        who cannot be told but by their cells.
        """

    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Draw targets, score them, and compare the scores of members with those of others."""
        if lacking := [role for role in ("holdout", *self.sees) if not evidence.has(role)]:
            note = f"undefined: it needs a {lacking[0]} table"
            return Finding(Score(math.nan), math.nan, math.nan, 0.5, 0, (note,))
        drawn = Targets.of(evidence, self.targets, seed_of(rng))
        scores = self.accuse(drawn.rows, evidence, rng)
        members, others = scores[: drawn.size], scores[drawn.size :]
        value, (low, high) = delong(members, others)
        parts = parts_of(members, others, rng)
        return Finding(
            Score(value, parts), low, high, 0.5, 2 * drawn.size, drawn.notes, drawn.by_place(members)
        )


@final
@dataclass(frozen=True, eq=False)
class Targets:
    """Rows of train and behind them as many of holdout, by their places in these tables.

    All attacks of one seed judge the same targets: they can be compared, and share distances.
    """

    train: CodedTable
    holdout: CodedTable
    members: Places
    others: Places

    @classmethod
    def of(cls, evidence: Evidence, most: int, seed: int) -> Targets:
        """Draw at most so many of each."""
        train, holdout = evidence.coded("train"), evidence.coded("holdout")
        size, draws = min(most, len(train), len(holdout)), stream(seed, "targets")
        places = [np.sort(draws.choice(len(table), size, replace=False)) for table in (train, holdout)]
        return cls(train, holdout, *places)

    @property
    def size(self) -> int:
        """How many there are of each kind."""
        return len(self.members)

    @property
    def rows(self) -> CodedTable:
        """All of them, members first."""
        return self.train.take(self.members).joined(self.holdout.take(self.others))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said where some rows were no targets."""
        sizes = {"train": len(self.train), "holdout": len(self.holdout)}
        return tuple(
            f"{self.size:,} of {rows:,} {role} rows were targets"
            for role, rows in sizes.items()
            if rows > self.size
        )

    def by_place(self, scores: Floats) -> tuple[float, ...]:
        """Return the scores of members by their place in the training table, NaN for other rows."""
        each = np.full(len(self.train), np.nan)
        each[self.members] = scores
        return tuple(each.tolist())


def parts_of(members: Floats, others: Floats, rng: np.random.Generator) -> dict[str, float]:
    """Return what else the scores say; groups are shuffled first, so that halves are halves of any order."""
    members, others = rng.permutation(members), rng.permutation(others)
    found = {"auroc": delong(members, others)[0]}
    found |= {f"tpr_at_fpr_{fpr}": tpr_at(members, others, fpr) for fpr in FPRS}
    found |= {"advantage": advantage(members, others), "epsilon": _epsilon(members, others)}
    found |= dict(zip(("sure_tpr", "sure_fpr"), sure_point(members, others, SURE), strict=True))
    undefined = sum(math.isnan(part) for part in found.values())
    return found | ({"coverage": 1 - undefined / len(found)} if undefined else {})


def _epsilon(members: Floats, others: Floats) -> float:
    """Return a lower bound on epsilon at the threshold that bounds it best on one half, from the other half.

    It holds if each target was in the training table by the throw of a coin of its own, as it nearly is where
    train and holdout are halves of one shuffled table.
    """
    if min(len(members), len(others)) < 4:
        return 0.0
    return epsilon_at_least(*counted_apart(members, others, epsilon_at_least))
