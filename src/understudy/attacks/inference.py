"""Inference: does the synthetic table tell a secret cell of a record whose other cells are known?

An attack of the Article 29 working party (2014), after Giomi et al. (2023) and papers 000 and 003: the
adversary looks up the synthetic rows that are nearest to what he knows of a person, and takes their cell for
the person's. The control is the same for people of the holdout: what is so learned of them, the population
tells. The naive run guesses the cell of a random synthetic row.

A level is right if it is the same; a missing cell is a level of its own, also of a quantity. A quantity is
right if

    |guess - truth| <= tolerance * max(|truth|, a hundredth of its training range).

The truth is the measure, not the guess, and by its size: a sign does not help. The range stands in for a
truth at or near 0, and the whole of it for times, whose zero means nothing.

Of rows that are equally near none is preferred: the guess is their most frequent level, or of quantities the
(lower) median.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.neighbours.search import ranked
from understudy.errors import ParameterError
from understudy.measuring.chosen import chosen
from understudy.measuring.distance import as_points
from understudy.measuring.guessing import Guessed, GuessingAttack, Targets, drawn, in_order, scored
from understudy.measuring.measure import Level
from understudy.measuring.risk import Runs, Tries
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.evidence import Evidence, Role
from understudy.table.schema import TIME_KINDS

__all__ = ["Inference", "guesses", "right"]

Cells = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
_NEAR_ZERO = 0.01  # of the range


@final
@dataclass(frozen=True)
class Inference(GuessingAttack):
    """Secret cells of training records that their nearest synthetic rows tell, beyond those of others.

    k           nearest synthetic rows that are asked, and all that are as near as the k-th
    secret      the columns to guess, each by itself, as "a,b"; none: every column that is not known
    known       the columns that the adversary knows; none: all but the secret one
    tolerance   by which a quantity may be off, as a share of it
    """

    level: ClassVar[Level] = "quick"

    k: int = check.integer(1, low=1, high=10_000)
    secret: str = check.text("")
    known: str = check.text("")
    tolerance: float = check.number(0.05, low=0.0, high=1.0)

    def guess(self, evidence: Evidence, rng: np.random.Generator) -> Guessed:
        """Guess every secret of the same targets."""
        synthetic = in_order(evidence, "synthetic")
        if len(synthetic.domain) < 2:
            return Guessed({}, ("undefined: it needs two columns that can be judged",))
        roles: tuple[Role, ...] = tuple(role for role in ("train", "holdout") if evidence.has(role))
        targets = {role: drawn(evidence, role, self.attacks, rng) for role in roles}
        times = {column.name for column in evidence.schema.columns if column.kind in TIME_KINDS}
        found = {
            secret: self._hits(
                _Secret(synthetic.column(secret), known, secret in times), targets, synthetic, rng
            )
            for secret, known in self._ways([column.name for column in synthetic.domain])
        }
        learned = np.mean([hits.main for hits in found.values()], axis=0)
        each = scored(evidence, targets["train"].places, learned)
        return Guessed({secret: hits.runs() for secret, hits in found.items()}, each=each)

    def _ways(self, names: list[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Return each secret with the columns that are known."""
        known = chosen(self.known, names, "inference: known")
        secrets = chosen(self.secret, names, "inference: secret") or tuple(n for n in names if n not in known)
        if set(secrets) & set(known) or not secrets:
            raise ParameterError("inference: some column must be secret, and none of these known.")
        return [(secret, known or tuple(name for name in names if name != secret)) for secret in secrets]

    def _hits(
        self,
        secret: _Secret,
        targets: Mapping[Role, Targets],
        synthetic: CodedTable,
        rng: np.random.Generator,
    ) -> _Hits:
        name, k = secret.column.name, min(self.k, len(synthetic))
        truths = {role: each.rows[name] for role, each in targets.items()}
        found = {
            role: self._right(secret, guesses(secret, each.rows, synthetic, k), truths[role])
            for role, each in targets.items()
        }
        at_random = synthetic[name][rng.integers(len(synthetic), size=len(truths["train"]))]
        return _Hits(found["train"], self._right(secret, at_random, truths["train"]), found.get("holdout"))

    def _right(self, secret: _Secret, guessed: Cells, truth: Cells) -> npt.NDArray[np.bool_]:
        return right(guessed, truth, secret.scale(truth), self.tolerance)


@final
@dataclass(frozen=True, eq=False)
class _Hits:
    """Which guesses of one secret are right, in each run."""

    main: npt.NDArray[np.bool_]
    naive: npt.NDArray[np.bool_]
    control: npt.NDArray[np.bool_] | None

    def runs(self) -> Runs:
        """Count them."""
        main, naive = (Tries(int(each.sum()), len(each)) for each in (self.main, self.naive))
        control = None if self.control is None else Tries(int(self.control.sum()), len(self.control))
        return Runs(main, naive, control)


@final
@dataclass(frozen=True)
class _Secret:
    """A column to guess, and the columns that are known."""

    column: CodedColumn
    known: tuple[str, ...]
    is_time: bool

    def scale(self, truth: Cells) -> Floats:
        """Return what the tolerance is a share of, for each cell; 0 for levels, which are equal or not."""
        if not self.column.quantity:
            return np.zeros(len(truth))
        if self.is_time:
            return np.full(len(truth), self.column.span)
        return np.fmax(np.abs(truth), _NEAR_ZERO * self.column.span)


def right(guessed: Cells, truth: Cells, scale: Floats, tolerance: float) -> npt.NDArray[np.bool_]:
    """Say which guesses are off by no more than the tolerance; missing is right where the cell is.

    >>> truth = np.array([105.0, 106.0, 500.0])
    >>> right(np.array([100.0, 100.0, -100.0]), truth, np.abs(truth), 0.05).tolist()
    [True, False, False]
    """
    both = np.isnan(guessed) & np.isnan(truth)
    # A hair more, so that a guess that is off by exactly the tolerance is right in every unit.
    return np.asarray(both | (np.abs(guessed - truth) <= tolerance * scale * (1 + 1e-12)))


def guesses(secret: _Secret, targets: CodedTable, synthetic: CodedTable, k: int) -> Cells:
    """Return for each target the cell that its nearest synthetic rows have."""
    cells = synthetic[secret.column.name]
    asked, candidates = (as_points(table, secret.known) for table in (targets, synthetic))
    told = _median if secret.column.quantity else _most_frequent
    found = [
        cells[near.rows[0]] if len(near.rows) == 1 else told(cells[near.rows])
        for near in ranked(asked, candidates, k)
    ]
    return np.array(found, dtype=cells.dtype)


def _most_frequent(codes: Cells) -> Any:
    """Return the code that most have; of several the first, which canonical codes make the commonest."""
    values, counts = np.unique(codes, return_counts=True)
    # Missing is -1 and would come first: it is the last to be guessed.
    order = np.argsort(values < 0, kind="stable")
    return values[order][int(counts[order].argmax())]


def _median(values: Cells) -> Any:
    """Return the lower median of what is there, or missing if that is more than half."""
    there = np.sort(values[~np.isnan(values)])
    return there[(len(there) - 1) // 2] if 2 * len(there) >= len(values) else np.nan
