"""Alpha-precision: are synthetic rows as typical as real ones (Alaa et al. 2022)?

The distance of every encoded row (levels one-hot, quantities over the real range) from the mean real row says
how typical it is. For 30 levels alpha, the share of synthetic rows within the radius that holds the share
alpha of the real rows should be alpha; the score is 1 - sum |alpha - share| / sum alpha.

A constant table of the most typical row scores low although each of its rows is plausible: it fills the
innermost support alone. A copy scores 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.measuring.comparison import Comparison
from understudy.measuring.encoder import Encoder
from understudy.measuring.finding import Score
from understudy.measuring.measure import Level
from understudy.measuring.supports import LEVELS, agreement, from_centre, inside
from understudy.table.coded import CodedTable

__all__ = ["AlphaPrecision"]


@final
@dataclass(frozen=True)
class AlphaPrecision(Comparison):
    """Whether the synthetic rows fill the nested supports of the real ones as real rows do; 1 is best."""

    better: ClassVar[Literal["higher", "lower", "null"]] = "higher"
    level: ClassVar[Level] = "standard"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    rows: int = check.integer(40_000, low=100, high=1_000_000_000)

    def score(self, real: CodedTable, synthetic: CodedTable, rng: np.random.Generator) -> Score:
        """Compare the shares within 30 supports of the real rows."""
        encoder = Encoder.fit(real, "range")
        known, judged = encoder.matrix(real), encoder.matrix(synthetic)
        centre = known.mean(axis=0)
        shares = inside(from_centre(known, centre), from_centre(judged, centre)).mean(axis=1)
        return Score(agreement(shares), {"within_half": float(np.interp(0.5, LEVELS, shares))})
