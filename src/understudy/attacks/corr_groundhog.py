"""Correlation groundhog: how columns hang together betrays a record (Stadler et al. 2022; paper 000).

Levels are one-hot; a column that is constant in a set has correlation 0 with all others there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from understudy import synth
from understudy.measuring.encoder import Encoder
from understudy.measuring.groundhog import Describe, Groundhog, of_every_set
from understudy.measuring.set_features import correlations
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_fit import Synthesizer

__all__ = ["CorrGroundhog"]


@final
@dataclass(frozen=True)
class CorrGroundhog(Groundhog):
    """Tells models with a record from models without it, by the correlations of all columns."""

    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the recipe of this name."""
        return synth.get(name)(**settings)

    def describe(self, shown: Shown, rng: np.random.Generator) -> Describe:
        """Return the correlations of encoded sets."""
        encoder = Encoder.fit(shown.records, "range")
        return of_every_set(shown, lambda table: correlations(encoder.matrix(table)))
