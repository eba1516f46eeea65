"""The three tables of a trial: real rows to learn from, real rows to be tried on, and the synthetic ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.measuring.canonical import canonical
from understudy.missing import is_missing
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["NO_HOLDOUT", "Trio"]

NO_HOLDOUT = "no holdout: tried on training rows, which the synthesizer may have learned by heart"


@final
@dataclass(frozen=True, eq=False)
class Trio:
    """Tables of one domain in their canonical form, and what is to be said about them."""

    train: CodedTable
    test: CodedTable
    synthetic: CodedTable
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, evidence: Evidence, rng: np.random.Generator) -> Trio:
        """Return the tables of some evidence; the rows to be tried on are the holdout.

        Without a holdout a quarter of the training rows is kept for trying: rows that the synthesizer saw,
        which flatters it, and a note says so.
        """
        names: tuple[Role, ...] = ("train", "synthetic")
        if evidence.has("holdout"):
            names = (*names, "holdout")
        ordered = evidence.cached(
            ("trio", names), lambda: canonical([evidence.coded(role) for role in names])
        )
        if len(ordered) == 3:
            return cls(ordered[0], ordered[2], ordered[1])
        train, test = ordered[0].split(len(ordered[0]) - len(ordered[0]) // 4, rng)
        return cls(train, test, ordered[1], (NO_HOLDOUT,))

    def known(self, name: str) -> Trio:
        """Return the rows whose cell in this column is not missing."""
        train, test, synthetic = (
            table.take(np.flatnonzero(~is_missing(table[name])))
            for table in (self.train, self.test, self.synthetic)
        )
        return Trio(train, test, synthetic, self.notes)

    def draw(self, rows: int, rng: np.random.Generator) -> Trio:
        """Return at most so many rows of each table, and say where that is not all of them.

        Tables of one size are drawn at the same places, so that a copy is still one after the draw.
        """
        parts = {"train": self.train, "test": self.test, "synthetic": self.synthetic}
        said = tuple(
            f"{rows:,} of {len(part):,} {role} rows were drawn"
            for role, part in parts.items()
            if len(part) > rows
        )
        seed = int(rng.integers(2**63))
        train, test, synthetic = (part.draw(rows, np.random.default_rng(seed)) for part in parts.values())
        return Trio(train, test, synthetic, (*self.notes, *said))

    def of_real(self, rng: np.random.Generator) -> Trio:
        """Return the null: one half of the real training rows in the place of the synthetic ones."""
        one, other = self.train.split(len(self.train) // 2, rng)
        other = other.draw(len(self.synthetic), rng)
        said = f"the null compares {len(one):,} with {len(other):,} real rows"
        return Trio(one, self.test, other, (*self.notes, said))
