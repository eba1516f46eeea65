"""Linkability: do two halves of a record meet in the same synthetic row?

An attack of the Article 29 working party (2014), after Giomi et al. (2023) and paper 000: the adversary knows
some columns of a person from one source and other columns from another. He looks up the k nearest synthetic
rows of either half, and links the halves if a row is among both. The control is the same for people of the
holdout, the naive run draws as many rows for either half at random.

Ties are not broken: whatever is as near as the k-th is among the k nearest. A table of few levels is full of
ties, and a rule that picks one of many equal rows loses most true links. What so is linked by chance, the
control has as well.

Who knows what is for the user to say. Where he does not, the columns are split in two halves at random, some
times over, each time for a part of the targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.neighbours.search import Ranked, ranked
from understudy.errors import ParameterError
from understudy.measuring.chosen import chosen
from understudy.measuring.distance import as_points
from understudy.measuring.guessing import Guessed, GuessingAttack, drawn, in_order, scored
from understudy.measuring.measure import Level
from understudy.measuring.risk import Runs, Tries
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["Linkability"]

Whole = npt.NDArray[np.int64]
Sides = tuple[tuple[str, ...], tuple[str, ...]]


@final
@dataclass(frozen=True)
class Linkability(GuessingAttack):
    """Halves of a training record that meet in a synthetic row, beyond those of records never seen.

    k        nearest synthetic rows of either half
    first    the columns of one source, as "a,b"; none: random halves of all columns
    second   the columns of the other source; none: all that are not in the first
    splits   random halves that are tried, each on its part of the targets
    """

    level: ClassVar[Level] = "quick"

    k: int = check.integer(1, low=1, high=10_000)
    first: str = check.text("")
    second: str = check.text("")
    splits: int = check.integer(4, low=1, high=1_000)

    def guess(self, evidence: Evidence, rng: np.random.Generator) -> Guessed:
        """Link targets of train and of holdout; smaller k follow from the same neighbours."""
        synthetic = in_order(evidence, "synthetic")
        if len(synthetic.domain) < 2:
            return Guessed({}, ("undefined: it needs two columns that can be judged",))
        sides = self._sides(synthetic, rng)
        k = min(self.k, len(synthetic))
        roles: tuple[Role, ...] = tuple(role for role in ("train", "holdout") if evidence.has(role))
        targets = {role: drawn(evidence, role, self.attacks, rng) for role in roles}
        links = {role: _links(each.rows, synthetic, sides, k) for role, each in targets.items()}
        runs = {f"k={j}": _runs(links, j, len(synthetic), rng) for j in _told(k)}
        notes = (f"k is {k}: there are no more synthetic rows",) if k < self.k else ()
        each = scored(evidence, targets["train"].places, links["train"].met(k))
        return Guessed({f"k={k}": runs.pop(f"k={k}")}, notes, runs, each)

    def _sides(self, table: CodedTable, rng: np.random.Generator) -> list[Sides]:
        names = [column.name for column in table.domain]
        first, second = (
            chosen(text, names, f"linkability: {who}")
            for who, text in (("first", self.first), ("second", self.second))
        )
        if not first and not second:
            orders = [rng.permutation(names).tolist() for _ in range(self.splits)]
            return [(tuple(o[: len(names) // 2]), tuple(o[len(names) // 2 :])) for o in orders]
        first = first or tuple(name for name in names if name not in second)
        second = second or tuple(name for name in names if name not in first)
        if not first or not second or set(first) & set(second):
            raise ParameterError("linkability: first and second must be different columns, some for each.")
        return [(first, second)]


@final
@dataclass(frozen=True, eq=False)
class _Links:
    """For each target the least k at which its halves meet (0: none), and the rows of each half at k."""

    least: Whole
    sizes: dict[int, Whole]  # (targets, 2)

    def met(self, k: int) -> npt.NDArray[np.bool_]:
        """Say whose halves meet."""
        return np.asarray((self.least >= 1) & (self.least <= k))

    def linked(self, k: int) -> Tries:
        """Count the targets whose halves meet."""
        return Tries(int(self.met(k).sum()), len(self.least))

    def by_chance(self, k: int, rows: int, rng: np.random.Generator) -> Tries:
        """Count those for which as many random rows of either half have one in common."""
        one, other = self.sizes[k].T
        return Tries(int((rng.hypergeometric(one, rows - one, other) > 0).sum()), len(self.least))


def _links(targets: CodedTable, synthetic: CodedTable, sides: list[Sides], k: int) -> _Links:
    least = np.zeros(len(targets), np.int64)
    sizes = {j: np.zeros((len(targets), 2), np.int64) for j in _told(k)}
    for place, columns in enumerate(sides):
        part = np.arange(place, len(targets), len(sides))
        points = (as_points(targets.take(part), c) for c in columns)
        halves = (ranked(each, as_points(synthetic, c), k) for each, c in zip(points, columns, strict=True))
        for target, both in zip(part, zip(*halves, strict=True), strict=True):
            least[target] = meet(*both)
            for j, counts in sizes.items():
                counts[target] = [np.count_nonzero(half.ranks <= j) for half in both]
    return _Links(least, sizes)


def meet(one: Ranked, other: Ranked) -> int:
    """Return the least k at which some row is among the k nearest of both halves; 0 if there is none.

    >>> meet(Ranked(np.array([3, 5]), np.array([1, 2])), Ranked(np.array([5, 9]), np.array([1, 2])))
    2
    """
    _, here, there = np.intersect1d(one.rows, other.rows, assume_unique=True, return_indices=True)
    return int(np.maximum(one.ranks[here], other.ranks[there]).min(initial=2**62)) % 2**62


def _runs(links: Mapping[Role, _Links], k: int, rows: int, rng: np.random.Generator) -> Runs:
    main, control = links["train"], links.get("holdout")
    naive = main.by_chance(k, rows, rng)
    return Runs(main.linked(k), naive, None if control is None else control.linked(k))


def _told(k: int) -> list[int]:
    """Return 1, 2, 4, ... below k, and k."""
    return [*(2**power for power in range(k.bit_length()) if 2**power < k), k]
