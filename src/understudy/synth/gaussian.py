"""One normal law: mean vector and covariance of the quantities, scaled to [-1, 1] (paper 002).

noisy_moments  sums of products of each row, with Gaussian noise when there is a budget; rows are then
               free. Without a budget there is no noise and no guarantee. The default.
ridge          N(mean, covariance + sigma I), moments exact and secret: the draw protects them.
paper          N(mean, covariance), as printed; it rests on a condition on the private rows.

In the last two forms every drawn row costs, is drawn from the secure stream and not by the seed, and is
rounded to a grid. Bounds and the least number of rows must be declared for the price to mean anything.
docs/explanation/paper-000-and-002.md compares the three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.engines.box import Box
from understudy.engines.condition import Conditions
from understudy.engines.margin import LevelMargin, Margin, pack, unpack
from understudy.engines.normal import Normal, longest, normal_of, products, unfolded, width
from understudy.errors import BudgetError, SchemaError, TooFewRows
from understudy.missing import is_missing, missing_like
from understudy.model import noisy_margins
from understudy.model.charged import FILES, ROWS
from understudy.model.recipe import Recipe
from understudy.model.sampler import Charge, Columns, Sampler, State
from understudy.privacy import Ask, Entry, Vault, events
from understudy.privacy.drawn_rows import Meter
from understudy.privacy.events import Event
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.privacy.noise import normals
from understudy.privacy.stream import Stream
from understudy.progress import Progress
from understudy.table.columns import level_counts, modelled
from understudy.table.raw import ends_of
from understudy.table.schema import LEVEL_KINDS, Schema

__all__ = ["Gaussian"]

MOMENTS = "moments"
KEPT = "the exact mean and covariance, which stay in the model"
UNDECLARED = "the moments, and the number of rows, which sets the price of every draw: it was not declared"
GRID = 2.0**-20  # of a drawn row: far below its spread, far above the rounding of floats

Floats = npt.NDArray[np.float64]
_NONE = Normal(np.zeros(0), np.zeros((0, 0)))


@final
@dataclass(frozen=True)
class NormalRows(Sampler):
    """A normal law in a box, the missing rate of each quantity, and the levels' own distributions."""

    box: Box
    normal: Normal
    missing: Floats
    levels: dict[str, Margin]
    meter: Meter | None = None
    rows: int | None = None
    conditional: ClassVar[bool] = False

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw rows: by the seed where the law may be told, from the secure stream where it is secret."""
        shape = (rows, len(self.box.names))
        if self.meter is None:
            numbers = self.normal.draw(rng.standard_normal(shape))
        else:
            # A known seed would turn d + 1 rows into the exact mean and covariance, and so would float bits.
            numbers = self.normal.draw(np.asarray(normals(Stream.fresh(), shape, np.float64), np.float64))
            numbers = np.clip(np.rint(numbers / GRID) * GRID, -1.0, 1.0)
        columns = self.box.outside(numbers)
        for place, values in enumerate(columns.values()):
            if self.missing[place] > 0:
                values[rng.random(rows) < self.missing[place]] = missing_like(values)
        return columns | {name: margin.quantile(rng.random(rows)) for name, margin in self.levels.items()}

    def charge(self, rows: int) -> Charge | None:
        """Charge for rows beyond those paid for when it was fitted, where the law is secret."""
        if self.meter is None:
            return None
        due, meter = self.meter.draw(rows)
        entry = _entry(self.meter, due, self.box.names) if due else None
        return Charge(entry, replace(self, meter=meter))

    def spent(self) -> Self:
        """Return the same law with every row that was paid for ahead taken as drawn."""
        if self.meter is None:
            return self
        return replace(self, meter=replace(self.meter, drawn=max(self.meter.drawn, self.meter.paid)))

    def state(self) -> State:
        """Return the law, the levels and the meter."""
        tensors = {**pack(self.levels), **asdict(self.normal), "missing": self.missing}
        facts = {"names": self.box.names, "ends": self.box.ends, "levels": tuple(self.levels)}
        meter = None if self.meter is None else asdict(self.meter)
        return tensors, _as_lists(facts) | {"meter": meter, "rows": self.rows}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the law; arrays that are not of one law are refused."""
        ends = tuple((low, high) for low, high in facts["ends"])
        law, missing = Normal(tensors["mean"], tensors["covariance"]), tensors["missing"]
        d = len(facts["names"])
        shapes = (law.mean.shape, law.covariance.shape, missing.shape, (len(ends),))
        if shapes != ((d,), (d, d), (d,), (d,)) or not np.isfinite(law.covariance).all():
            raise ValueError("the mean and the covariance do not belong to these columns")
        meter = None if facts["meter"] is None else Meter(**facts["meter"])
        levels = unpack(tensors, facts["levels"])
        return cls(Box(tuple(facts["names"]), ends), law, missing, levels, meter, facts["rows"])


@final
@dataclass(frozen=True)
class Gaussian(Recipe):
    """One normal law for all quantities, and each level column by itself (paper 002): small and exact.

    `sigma`, `rows` and `at_least` belong to the forms ridge and paper: the ridge or the promised least
    eigenvalue; the rows that are paid for when it is fitted, a public constant; and how many rows the
    table is publicly known to have at least, 0 if that is not declared.
    """

    form: str = check.choice("noisy_moments", "noisy_moments", "ridge", "paper")
    sigma: float = check.number(0.01, low=1e-6, high=1.0)
    rows: int = check.integer(1_000, low=1, high=10**10)
    at_least: int = check.integer(0, low=0, high=10**15)
    sampler: ClassVar[type[Sampler]] = NormalRows
    private: ClassVar[bool] = True

    def learn(self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress) -> NormalRows:
        """Compute the moments; in the forms ridge and paper they stay in the model, and rows are charged."""
        if self.form != "noisy_moments":
            return self._learn_secretly(vault, schema)
        columns = vault.open("the mean and covariance of all quantities, the distribution of all levels")
        box = _box(schema)
        levels: dict[str, Margin] = {
            name: LevelMargin.fit(columns[name], count) for name, count in level_counts(schema).items()
        }
        if not box.names:
            return NormalRows(box, _NONE, np.zeros(0), levels)
        numbers = box.inside(columns)
        there = np.stack([~is_missing(columns[name]) for name in box.names], axis=1).astype(np.float64)
        both = there.T @ there
        law = normal_of(numbers.sum(axis=0), numbers.T @ numbers, both)
        return NormalRows(box, law, 1 - there.mean(axis=0), levels)

    def moves_cells(self) -> bool:
        """In the forms ridge and paper rows are protected by the draw, so no row may decide a refusal."""
        return self.form != "noisy_moments"

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for one sum of products, and for the counts of the level columns."""
        if self.form != "noisy_moments":
            raise BudgetError(
                f"gaussian: the form {self.form} adds no noise that a budget could set; take the form "
                "noisy_moments, or leave the budget out and read the certificate."
            )
        names = tuple(c.name for c in modelled(schema) if c.kind not in LEVEL_KINDS)
        counted = noisy_margins.asks(_levels_of(schema), share=1.0)
        if not names:
            return counted
        what = "sums of products of the scaled quantities of each row"
        weight = float(len(names))
        return (Ask(MOMENTS, what, "measure", "sums", weight, columns=names), *counted)

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> NormalRows:
        """Buy the sum of products and the counts; `sigma`, `rows` and `at_least` have no part in it."""
        box, levelled = _box(schema), _levels_of(schema)
        names = [column.name for column in modelled(levelled)]
        binned = noisy_margins.buy(
            vault.map(lambda rows: {n: rows[n] for n in names}) if names else vault, levelled, events
        )
        missing = np.array([_missing_rate(schema, name) for name in box.names])
        if not box.names:
            return NormalRows(box, _NONE, missing, binned.margins, rows=round(binned.rows))
        first, second, rows = _bought(vault, box, events[MOMENTS])
        both = np.outer(1 - missing, 1 - missing)
        np.fill_diagonal(both, 1 - missing)
        law = normal_of(first, second, max(rows, 1.0) * both)
        return NormalRows(box, law, missing, binned.margins, rows=max(round(rows), 1))

    def _learn_secretly(self, vault: Vault, schema: Schema) -> NormalRows:
        """Keep the exact moments in the model, and pay for the first `rows` rows that will be drawn."""
        box = _secret_box(schema, self.form)
        columns = vault.open(KEPT, feeds=(FILES,)) if self.at_least else vault.open(UNDECLARED)
        numbers, fewest = box.inside(columns), max(self.at_least, 3)
        if len(numbers) < fewest:
            raise TooFewRows(f"gaussian: the table must have at least {fewest:,} rows, and has fewer.")
        meter = Meter(self.form, self.sigma, self.at_least or len(numbers), len(box.names), paid=self.rows)
        vault.ledger.write(_entry(meter, self.rows, box.names))
        both = np.full((meter.d, meter.d), float(len(numbers)))
        law = normal_of(numbers.sum(axis=0), numbers.T @ numbers, both)
        if self.form == "ridge":
            law = Normal(law.mean, law.covariance + self.sigma * np.eye(meter.d))
        return NormalRows(box, law, np.zeros(meter.d), {}, meter)


def _bought(vault: Vault, box: Box, price: Event) -> tuple[Floats, Floats, float]:
    """Return noisy sums of x and x x^T, and the noisy number of rows.

    Guarantee. Each row is scaled by itself into [-1, 1]^d with ends that were declared or bought, and its
    vector (engines/normal.py) is at most sqrt(2 d^2 + 1) long: that is the clip, and no vector is cut.
    """
    assert isinstance(price, events.Gaussian), "sums are paid for with Gaussian noise"
    d = len(box.names)

    def vectors(rows: Mapping[str, npt.NDArray[Any]]) -> Floats:
        return products(box.inside(rows))

    return unfolded(vault.read(MOMENTS, ClippedSums(vectors, box.names, width(d), longest(d), price)), d)


def _entry(meter: Meter, rows: int, columns: tuple[str, ...]) -> Entry:
    law = "N(mean, covariance)" if meter.form == "paper" else f"N(mean, covariance + {meter.sigma:g} I)"
    return Entry(
        f"{rows:,} rows drawn from {law}",
        "sample",
        meter.event(rows),
        columns,
        because=meter.because,
        condition=meter.condition,
        feeds=(ROWS,),
    )


def _box(schema: Schema) -> Box:
    columns = [c for c in modelled(schema) if c.kind not in LEVEL_KINDS]
    return Box(tuple(c.name for c in columns), tuple(ends_of(c) for c in columns))


def _secret_box(schema: Schema, form: str) -> Box:
    """Return the box of a form that draws quantities only, and never missing ones."""
    for column in modelled(schema):
        if column.kind in LEVEL_KINDS:
            raise SchemaError(
                f"gaussian: the form {form} is for quantities; column {column.name!r} is {column.kind}; "
                "make its kind ignore, or take the form noisy_moments."
            )
        if _missing_rate(schema, column.name) > 0:
            raise SchemaError(
                f"gaussian: the form {form} has no missing values, and column {column.name!r} has some; "
                "make its kind ignore, or take the form noisy_moments."
            )
    box = _box(schema)
    if not box.names:
        raise SchemaError(f"gaussian: the form {form} needs at least one quantity, and there is none.")
    return box


def _levels_of(schema: Schema) -> Schema:
    """Return the schema of the level columns; one that is ignored stands in where there is none."""
    kept = tuple(c for c in modelled(schema) if c.kind in LEVEL_KINDS)
    spare = schema.columns[0].model_copy(
        update={"kind": "ignore", "levels": None, "bounds": None, "resolution": None, "template": None}
    )
    return schema.model_copy(update={"columns": kept or (spare,)})


def _missing_rate(schema: Schema, name: str) -> float:
    missing = schema.column(name).missing
    return missing.rate if missing is not None else 0.0


def _as_lists(facts: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return tuples as JSON gives them back, so that a saved model equals a loaded one."""
    return {key: [list(v) if isinstance(v, tuple) else v for v in value] for key, value in facts.items()}
