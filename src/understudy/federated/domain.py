"""The domain that all sites share: a schema and margins, merged from what each site told of its own.

What the public schema leaves open every site buys with its own budget. The server sees what was told, and
merges it: the widest bounds, all levels that any site told, the mean of missing rates, and margins as
mixtures by rows, of which no site counts for far more than the others. That is post-processing; no encoder is
ever fitted on pooled rows, and no site sees another's. Server and sites read a domain with the same checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import LevelMargin, Margin, QuantityMargin, pack, unpack
from understudy.errors import InputError, SchemaError
from understudy.federated.merged_order import merged_order
from understudy.federated.message import Message
from understudy.federated.mixture import evened, mixed
from understudy.model.binned import Binned
from understudy.model.neural_fit import Bought, bought_of
from understudy.table.columns import modelled
from understudy.table.raw import ends_of
from understudy.table.schema import LEVEL_KINDS, TIME_KINDS, Bounds, Column, Levels, Missing, Schema

__all__ = ["Domain", "merged_schema", "needed"]

MOST_LEVELS = 100_000
ALMOST = 1e-6  # of a law: sums of shares are rounded


@final
@dataclass(frozen=True, eq=False)
class Domain:
    """A completed schema, the margins of its modelled columns, and about how many rows there are."""

    schema: Schema
    margins: dict[str, Margin]
    rows: float

    def to_message(self, kind: str, **facts: Any) -> Message:
        """Return the domain as it travels: to sites when it is merged, from a site when it is its own."""
        told = {**facts, "schema": self.schema.to_json(), "rows": self.rows}
        return Message(kind, told, pack(self.margins))

    @classmethod
    def of(cls, message: Message) -> Domain:
        """Read a domain; refuse one whose margins are not those of its schema."""
        schema, rows = Schema.from_json(message.fact("schema", str)), message.fact("rows", float)
        names = [column.name for column in modelled(schema)]
        if not (math.isfinite(rows) and rows >= 1):
            raise InputError("domain: the number of rows must be finite and at least 1.")
        try:
            margins = unpack(message.arrays, names)
        except (KeyError, ValueError):
            raise InputError("domain: a column has no margin.") from None
        for column in modelled(schema):
            _refuse_odd_margins(column, margins[column.name])
        return cls(schema, margins, rows)

    @classmethod
    def merged(cls, told: Mapping[str, Domain], schema: Schema, *, most: float = math.inf) -> Domain:
        """Return the mixture of what sites told of one schema, in an order that no site decides.

        Sites count by rows, `most` each and never by far more than the others (`evened`): also where their
        updates weigh the same, for columns are to be as common as they are among all rows.
        """
        sites = [told[name] for name in sorted(told)]
        if any(site.schema != schema for site in sites):
            raise SchemaError("domain: a site told margins of another schema.")
        names = [column.name for column in modelled(schema)]
        rows = list(evened({name: told[name].rows for name in sorted(told)}, most).values())
        margins = {name: mixed([site.margins[name] for site in sites], rows) for name in names}
        return cls(schema, margins, float(sum(rows)))

    def bought(self) -> Bought:
        """Return what networks need: a codec, its fields, and the map of rows to a matrix."""
        return bought_of(Binned(self.margins, {}, {}, self.rows), self.schema)


def merged_schema(told: Sequence[Schema], rows: Sequence[float]) -> Schema:
    """Return the schema in which every site's rows have a place.

    What was declared is the same at all sites; what was bought or observed is widened to hold all of it. A
    site that has no value of a column tells neither levels nor bounds of it: those of the others hold.
    """
    first = told[0]
    names = [column.name for column in first.columns]
    if any([column.name for column in schema.columns] != names for schema in told):
        raise SchemaError("domain: sites told schemas of different columns.")
    weights = np.maximum(np.asarray(rows, np.float64), 1.0)
    columns = tuple(
        _merged([schema.column(name) for schema in told], weights / weights.sum()) for name in names
    )
    return first.model_copy(update={"columns": columns})


def needed(column: Column) -> str | None:
    """Return the part without which a column cannot be learned: its levels, or its bounds.

    >>> needed(Column(name="town", kind="categorical")), needed(Column(name="key", kind="id"))
    ('levels', None)
    """
    if column.kind in LEVEL_KINDS:
        return "levels"
    return "bounds" if column.kind == "numerical" or column.kind in TIME_KINDS else None


def _merged(columns: Sequence[Column], weights: npt.NDArray[np.float64]) -> Column:
    first = columns[0]
    if any((each.kind, each.type) != (first.kind, first.type) for each in columns):
        raise SchemaError(f"domain: column {first.name!r} is of another kind or type at another site.")
    parts: dict[str, Any] = {}
    merges: dict[str, Callable[[], object]] = {
        "bounds": partial(_widest, columns),
        "levels": partial(_union, columns),
        "missing": partial(_mean, columns, weights),
    }
    for part, merge in merges.items():
        found = [told for each in columns if (told := getattr(each, part)) is not None]
        if not found and part == needed(first):
            raise SchemaError(
                f"domain: column {first.name!r}: no site has a value of it; declare its {part}, "
                "or make it all_missing or ignore."
            )
        whole = len(found) == len(columns) or part == needed(first)
        if not whole or not found or found[0].source == "declared":
            continue  # not modelled, or the same everywhere: the terms say so
        parts[part] = merge()
    return first.model_copy(update=parts)


def _widest(columns: Sequence[Column]) -> Bounds:
    told = [column for column in columns if column.bounds is not None]
    ends = [ends_of(column) for column in told]
    held = [column.bounds for column in told if column.bounds is not None]
    lowest = held[min(range(len(ends)), key=lambda place: ends[place][0])]
    highest = held[max(range(len(ends)), key=lambda place: ends[place][1])]
    low, high = lowest.low, highest.high
    if isinstance(low, str) != isinstance(high, str):  # of a decimal one end may be exact as a float alone
        low, high = str(low), str(high)
    return Bounds(low=low, high=high, source=held[0].source)


def _union(columns: Sequence[Column]) -> Levels:
    held = [column.levels for column in columns if column.levels is not None]
    values = {value for levels in held for value in levels.values}
    if len(values) > MOST_LEVELS:
        raise InputError(f"domain: column {columns[0].name!r}: more than {MOST_LEVELS:,} levels were told.")
    own = {value: at for at, value in enumerate(sorted(values, key=lambda value: (str(type(value)), value)))}
    # As every site has them, so that a type's order stays; where two disagree, in their own order.
    line = merged_order([levels.values for levels in held], own) or tuple(own)
    return Levels(values=line, source=held[0].source)


def _mean(columns: Sequence[Column], weights: npt.NDArray[np.float64]) -> Missing:
    held = [column.missing for column in columns if column.missing is not None]
    rate = float(np.clip(weights @ [each.rate for each in held], 0.0, 1.0))
    return Missing(rate=rate, source=held[0].source)


def _refuse_odd_margins(column: Column, margin: Margin) -> None:
    who = f"domain: column {column.name!r}"
    parts = [margin.upper] if isinstance(margin, LevelMargin) else [margin.lower, margin.upper]
    if isinstance(margin, LevelMargin) != (column.kind in LEVEL_KINDS):
        raise InputError(f"{who}: its margin is of another kind.")
    for part in parts:
        good = part.dtype == np.float64 and part.ndim == 1 and len(part) and bool(np.isfinite(part).all())
        if not good or part.min() < -ALMOST or part.max() > 1 + ALMOST or (np.diff(part) < -ALMOST).any():
            raise InputError(f"{who}: its margin is not a distribution.")
    if isinstance(margin, LevelMargin):
        _refuse_odd_levels(who, column, margin)
    else:
        _refuse_odd_quantities(who, column, margin)


def _refuse_odd_levels(who: str, column: Column, margin: LevelMargin) -> None:
    count, codes = 0 if column.levels is None else len(column.levels.values), margin.codes
    listed = codes.dtype == np.int32 and codes.ndim == 1 and sorted(codes.tolist()) == [-1, *range(count)]
    if not listed or len(margin.upper) != count + 1:
        raise InputError(f"{who}: its margin has other levels than the schema.")
    if margin.upper[-1] < 1 - ALMOST:
        raise InputError(f"{who}: its margin is not a distribution: it does not end at 1.")


def _refuse_odd_quantities(who: str, column: Column, margin: QuantityMargin) -> None:
    low, high = ends_of(column)
    kind, values = np.float64 if isinstance(high, float) else np.int64, margin.values
    same = values.dtype == kind and values.shape == margin.lower.shape == margin.upper.shape
    if not same or not np.isfinite(values).all() or not _rises(values) or not 0 <= margin.missing <= 1:
        raise InputError(f"{who}: its margin has values out of order.")
    if values[0] < low or values[-1] > high:
        raise InputError(f"{who}: its margin has values outside of the schema's bounds.")
    steps, lines = margin.lower - margin.upper, margin.upper[:-1] - margin.lower[1:]
    whole = margin.lower[0] <= ALMOST and (margin.upper[-1] >= 1 - ALMOST or margin.missing >= 1 - ALMOST)
    if not whole or steps.max() > ALMOST or lines.max(initial=0.0) > ALMOST:
        raise InputError(f"{who}: its margin is not a distribution: it must rise from 0 to 1.")


def _rises(values: npt.NDArray[Any]) -> bool:
    """Say whether no value is below the one before; a difference of far steps would overflow."""
    return bool((values[1:] >= values[:-1]).all())
