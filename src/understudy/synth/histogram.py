"""The HISTOGRAM baseline of paper 004: every column from its own distribution, independently.

The floor that any method must beat: margins are right, and nothing else is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.condition import Between, Condition, Conditions, IsMissing
from understudy.engines.margin import (
    LevelMargin,
    Margin,
    QuantityMargin,
    fit_margins,
    inside,
    nothing_at,
    pack,
    unpack,
)
from understudy.errors import NothingMatches
from understudy.missing import missing_like
from understudy.model import noisy_margins
from understudy.model.recipe import Recipe
from understudy.model.sampler import Columns, Sampler, State
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.columns import level_counts
from understudy.table.schema import Schema

__all__ = ["Histogram"]


@final
@dataclass(frozen=True)
class Margins(Sampler):
    """One margin per column."""

    margins: dict[str, Margin]
    rows: int | None = None
    conditional: ClassVar[bool] = True

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw each column by itself; conditions cut its margin, so every draw counts."""
        return {
            name: _draw(name, margin, rows, rng, conditions.get(name))
            for name, margin in self.margins.items()
        }

    def state(self) -> State:
        """Return the knots of every margin."""
        return pack(self.margins), {"names": list(self.margins), "rows": self.rows}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the margins under their names."""
        return cls(unpack(tensors, facts["names"]), facts["rows"])


@final
@dataclass(frozen=True)
class Histogram(Recipe):
    """Every column from its own distribution, independently (HISTOGRAM): the floor to beat."""

    knots: int = check.integer(1_000, low=2, high=1_000_000)
    sampler: ClassVar[type[Sampler]] = Margins
    private: ClassVar[bool] = True

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> Margins:
        """Count every column."""
        columns = vault.open("the distribution of every column")
        return Margins(fit_margins(columns, level_counts(schema), self.knots))

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for bin edges and counts of every column."""
        return noisy_margins.asks(schema, share=1.0)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> Margins:
        """Count every column with noise. `knots` has no part in it: bins are cut by noisy counts."""
        binned = noisy_margins.buy(vault, schema, events)
        return Margins(binned.margins, round(binned.rows))


def _draw(
    name: str, margin: Margin, rows: int, rng: np.random.Generator, condition: Condition | None
) -> npt.NDArray[Any]:
    if isinstance(margin, LevelMargin):
        return margin.quantile(_uniforms(name, margin, rows, rng, condition))
    if isinstance(condition, IsMissing) or (condition is None and margin.missing == 1):
        return _all_missing(name, margin, rows)
    values = margin.quantile(_uniforms(name, margin, rows, rng, condition))
    if isinstance(condition, Between):
        return np.asarray(np.clip(values, condition.low, condition.high), dtype=values.dtype)
    values[rng.random(rows) < margin.missing] = missing_like(values)
    return values


def _uniforms(
    name: str, margin: Margin, rows: int, rng: np.random.Generator, condition: Condition | None
) -> npt.NDArray[np.float64]:
    uniforms = rng.random(rows)
    if condition is None:
        return uniforms
    intervals = margin.intervals(condition)
    if len(intervals) == 0:
        raise nothing_at(name, condition)
    return inside(intervals, uniforms)


def _all_missing(name: str, margin: QuantityMargin, rows: int) -> npt.NDArray[Any]:
    if margin.missing == 0:
        raise NothingMatches(f"where: column {name!r} was never missing; ask for a value instead.")
    return np.full(rows, missing_like(margin.values), dtype=margin.values.dtype)
