"""The Gaussian copula: each column keeps its own distribution, every pair its correlation.

Margins are empirical. Dependence is a correlation matrix of latent normals, estimated from the
conditional means of those normals (engines/copula.py), so that discrete, continuous and mixed
pairs are all unbiased. Unordered levels are first put into the order that explains the other
columns best. A quantity with missing values has a second latent normal that says whether it is
there, so missing values go with the rows they belong to. Conditions are exact: the conditioned
latents are drawn in their intervals and the rest by the Schur complement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from understudy import check
from understudy.engines.condition import Between, Conditions, IsMissing
from understudy.engines.copula import latent_correlation, nearest_correlation
from understudy.engines.latent import latent_blocks
from understudy.engines.margin import (
    LevelMargin,
    Margin,
    QuantityMargin,
    fit_margins,
    nothing_at,
    pack,
    unpack,
)
from understudy.engines.ordering import coarse, correspondence_order
from understudy.engines.scores import score_moments
from understudy.errors import NothingMatches, TooLarge
from understudy.missing import missing_like
from understudy.model import noisy_correlation, noisy_margins
from understudy.model.recipe import Recipe
from understudy.model.sampler import Columns, Sampler, State
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.columns import level_counts
from understudy.table.schema import Schema

__all__ = ["GaussianCopula"]

BLOCK = 65_536  # rows drawn at a time: their latents stay in the cache
ORDERING_ROWS = 50_000
FEWEST_ORDERING_ROWS = 2_000
ORDERING_CELLS = 4_000_000  # held at a time
ORDERING_PAIRS = 1_000_000_000  # of cells, counted in all
MOST_LATENTS = 3_000  # time grows with the cube: beyond this a fit takes minutes


@final
@dataclass(frozen=True)
class Copula(Sampler):
    """Margins and the correlation of their latent normals: one per column, then one per missing flag."""

    margins: dict[str, Margin]
    correlation: npt.NDArray[np.float64]
    rows: int | None = None
    conditional: ClassVar[bool] = True

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw latents block by block and read them through the margins."""
        if not self.margins:
            return {}
        allowed = self._allowed(conditions)
        blocks = [
            self._read(latent, conditions)
            for latent in latent_blocks(self.correlation, allowed, rows, rng, BLOCK)
        ]
        return {name: np.concatenate([block[name] for block in blocks]) for name in self.margins}

    def state(self) -> State:
        """Return the margins and the correlation."""
        tensors = {**pack(self.margins), "correlation": self.correlation}
        return tensors, {"names": list(self.margins), "rows": self.rows}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the copula; a correlation that is not of these margins is refused."""
        margins = unpack(tensors, facts["names"])
        size = len(margins) + len(flags(margins))
        found = tensors["correlation"]
        if found.shape != (size, size) or not np.isfinite(found).all():
            raise ValueError("the correlation does not belong to these margins")
        return cls(margins, found, facts["rows"])

    def _read(self, latent: npt.NDArray[np.float64], conditions: Conditions) -> Columns:
        uniform = ndtr(latent)  # (rows, latents)
        flag = {name: uniform[:, len(self.margins) + i] for i, name in enumerate(flags(self.margins))}
        columns: Columns = {}
        for place, (name, margin) in enumerate(self.margins.items()):
            values = _values(margin, uniform[:, place])
            condition = conditions.get(name)
            if isinstance(condition, Between):
                values = np.clip(values, condition.low, condition.high).astype(values.dtype)
            if name in flag and isinstance(margin, QuantityMargin):
                values[flag[name] < margin.missing] = missing_like(values)
            columns[name] = values
        return columns

    def _allowed(self, conditions: Conditions) -> dict[int, npt.NDArray[np.float64]]:
        """Return the intervals that the conditions leave to each latent."""
        places = {name: place for place, name in enumerate(self.margins)}
        flagged = {name: len(self.margins) + i for i, name in enumerate(flags(self.margins))}
        allowed: dict[int, npt.NDArray[np.float64]] = {}
        for name, condition in conditions.items():
            margin = self.margins[name]
            if isinstance(margin, QuantityMargin) and name in flagged:
                ends = (0.0, margin.missing) if isinstance(condition, IsMissing) else (margin.missing, 1.0)
                allowed[flagged[name]] = np.array([ends])
            elif isinstance(condition, IsMissing) and not _never_there(margin):
                raise NothingMatches(f"where: column {name!r} was never missing; ask for a value instead.")
            if not isinstance(condition, IsMissing):
                allowed[places[name]] = _intervals(name, margin, condition)
        return allowed


@final
@dataclass(frozen=True)
class GaussianCopula(Recipe):
    """Each column's own distribution and the correlation of every pair: fast and sturdy."""

    knots: int = check.integer(1_000, low=2, high=1_000_000)
    order_levels: bool = check.flag(True)
    sampler: ClassVar[type[Sampler]] = Copula
    private: ClassVar[bool] = True

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> Copula:
        """Fit margins, order levels, and estimate the latent correlation."""
        columns = vault.open("the distribution of every column and the correlation of every pair")
        margins = fit_margins(columns, level_counts(schema), self.knots)
        if not margins:
            return Copula(margins, np.empty((0, 0)))
        _refuse_too_wide(len(margins) + len(flags(margins)))
        if self.order_levels:
            unordered = {column.name for column in schema.columns if column.kind == "categorical"}
            margins = order_levels(margins, columns, unordered)
        covariance, coefficients = score_moments(margins, columns, flags(margins))
        return Copula(margins, nearest_correlation(latent_correlation(covariance, coefficients)))

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for margins, for an order of unordered levels, and for the products of scores of every pair."""
        margins = noisy_margins.asks(schema, share=0.6)
        return (*margins, *noisy_correlation.asks(schema, share=0.4, order=self.order_levels))

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> Copula:
        """Buy margins, then an order of levels where that is wanted, then the correlation of the latents.

        `knots` has no part in it: bins are cut by noisy counts.
        """
        binned = noisy_margins.buy(vault, schema, events)
        if not binned.margins:
            return Copula({}, np.empty((0, 0)), round(binned.rows))
        flagged = flags(binned.margins)
        _refuse_too_wide(len(binned.margins) + len(flagged))
        correlation = noisy_correlation.buy(vault, binned, flagged, events)
        return Copula(binned.margins, correlation, round(binned.rows))


def _refuse_too_wide(latents: int) -> None:
    if latents > MOST_LATENTS:
        raise TooLarge(
            f"gaussian_copula: at most {MOST_LATENTS:,} columns, one with missing values counted twice; "
            f"got {latents:,}. Leave some out (kind ignore), or take histogram."
        )


def flags(margins: dict[str, Margin]) -> list[str]:
    """Return the quantities that are missing in some rows: each has a second latent."""
    return [
        n for n, margin in margins.items() if isinstance(margin, QuantityMargin) and 0 < margin.missing < 1
    ]


def order_levels(margins: dict[str, Margin], columns: Columns, unordered: set[str]) -> dict[str, Margin]:
    """Return the margins with the levels of unordered columns along their first correspondence axis."""
    rows = len(next(iter(columns.values())))
    step = max(1, rows // _ordering_rows(len(columns), len(unordered)))
    coded = {name: coarse(values[::step]) for name, values in columns.items()}
    ordered = dict(margins)
    for name, margin in margins.items():
        if isinstance(margin, LevelMargin) and name in unordered:
            levels = len(margin.codes)
            codes = columns[name][::step].astype(np.int64) % levels
            others = [code for other, code in coded.items() if other != name]
            ordered[name] = margin.reordered(correspondence_order(codes, levels, others))
    return ordered


def _ordering_rows(columns: int, unordered: int) -> int:
    """Return how many rows the orders are learned from: every unordered column meets every other in each."""
    cells = min(ORDERING_CELLS // columns, ORDERING_PAIRS // max(columns * unordered, 1))
    return min(max(cells, FEWEST_ORDERING_ROWS), ORDERING_ROWS)


def _values(margin: Margin, uniform: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    if isinstance(margin, QuantityMargin) and _never_there(margin):
        return np.full(len(uniform), missing_like(margin.values), dtype=margin.values.dtype)
    return margin.quantile(uniform)


def _never_there(margin: Margin) -> bool:
    return isinstance(margin, QuantityMargin) and margin.missing == 1


def _intervals(name: str, margin: Margin, condition: Any) -> npt.NDArray[np.float64]:
    found = margin.intervals(condition)
    if len(found) == 0:
        raise nothing_at(name, condition)
    return found
