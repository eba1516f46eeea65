"""Naive groundhog: mean, median and variance of columns betray a record (Stadler et al. 2022; paper 000).

Levels are one-hot and quantities told over their range, so that no column is wider than another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from understudy import synth
from understudy.measuring.encoder import Encoder
from understudy.measuring.groundhog import Describe, Groundhog, of_every_set
from understudy.measuring.set_features import moments
from understudy.measuring.shadow_cast import Shown
from understudy.measuring.shadow_fit import Synthesizer

__all__ = ["NaiveGroundhog"]


@final
@dataclass(frozen=True)
class NaiveGroundhog(Groundhog):
    """Tells models with a record from models without it, by mean, median and variance of every column."""

    def synthesizer(self, name: str, settings: dict[str, Any]) -> Synthesizer:
        """Return the recipe of this name."""
        return synth.get(name)(**settings)

    def describe(self, shown: Shown, rng: np.random.Generator) -> Describe:
        """Return the moments of encoded sets."""
        encoder = Encoder.fit(shown.records, "range")
        return of_every_set(shown, lambda table: moments(encoder.matrix(table)))
