"""Histogram groundhog: the shares of levels and bins betray a record (Stadler et al. 2022; paper 000).

Bins lie between the ends of the real range, in their order, and what is outside counts to those at the ends.
Public code sorts bins by their counts, so that nobody knows which is which, or has them between 0 and 1
whatever the unit, so that all are empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from understudy import check, synth
from understudy.measuring.groundhog import Describe, Groundhog, of_every_set
from understudy.measuring.set_features import histograms
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_fit import Synthesizer

__all__ = ["HistGroundhog"]


@final
@dataclass(frozen=True)
class HistGroundhog(Groundhog):
    """Tells models with a record from models without it, by the histogram of every column.

    bins   of a quantity
    """

    bins: int = check.integer(10, low=2, high=1_000)

    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the recipe of this name."""
        return synth.get(name)(**settings)

    def describe(self, shown: Shown, rng: np.random.Generator) -> Describe:
        """Return the shares of levels, bins and missing cells."""
        return of_every_set(shown, lambda table: histograms(table, self.bins))
