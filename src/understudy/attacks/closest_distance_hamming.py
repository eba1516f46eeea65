"""Closest distance, Hamming: a synthetic row that agrees in many columns (TAPAS; paper 000).

The score is minus the number of columns in which the nearest synthetic row differs. Two missing cells agree.
With exact equality, as published, two draws of a continuous column nearly always differ, and a copy with a
little noise on it is missed; `bins` cuts quantities at quantiles of the synthetic rows first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.neighbours.mixed import Mixed
from understudy.engines.neighbours.search import nearest
from understudy.measuring.measure import Level
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.view import look
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence

__all__ = ["ClosestDistanceHamming"]

Codes = npt.NDArray[np.int32]


@final
@dataclass(frozen=True)
class ClosestDistanceHamming(Membership):
    """In how many columns the most similar synthetic row differs from a record.

    bins   of a quantity, at quantiles of the synthetic rows; 0 asks for exact equality
    """

    level: ClassVar[Level] = "quick"

    bins: int = check.integer(0, low=0, high=10_000)

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return minus the number of columns that differ."""
        del rng
        view = look(evidence, self.sees)
        asked, known = view.of(targets), view.table("synthetic")
        pairs = [self._codes(asked[c.name], known[c.name], c.quantity) for c in view.domain]
        one, other = (_points([pair[side] for pair in pairs]) for side in (0, 1))
        return -nearest(one, other).distances[:, 0]

    def _codes(self, asked: Floats, known: Floats, quantity: bool) -> tuple[Codes, Codes]:
        """Return the cells of both tables as numbers that are equal where the cells count as equal."""
        if not quantity:
            return asked.astype(np.int32), known.astype(np.int32)
        both = np.concatenate([asked, known])
        present = known[~np.isnan(known)]
        if self.bins and len(present):
            cuts = np.unique(np.quantile(present, np.linspace(0, 1, self.bins + 1)[1:-1]))
            codes = np.searchsorted(cuts, both, side="right")
        else:
            _, codes = np.unique(both, return_inverse=True)
        marked = np.where(np.isnan(both), -1, codes).astype(np.int32)
        return marked[: len(asked)], marked[len(asked) :]


def _points(codes: list[Codes]) -> Mixed:
    stacked = np.column_stack(codes)
    return Mixed(np.zeros((len(stacked), 0)), stacked, np.zeros(0))
