"""Buying a schema: bounds, levels and missing rates through mechanisms, paid for like everything else.

The rows are counted. A column without levels has its common values told, and its missing rows (`discovery`).
Every other column that leaves something open has one table counted: its missing rows, and for a quantity
without bounds the rows in each power of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.missing import is_missing
from understudy.model.discovery import DELTA, LEVELS, Discovery, told_levels
from understudy.model.ladder import parts_of
from understudy.privacy import Ask, Vault
from understudy.privacy.events import DiscreteGaussian, Event
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.levels import Told
from understudy.table.arrow_types import from_text, value_type
from understudy.table.columns import modelled
from understudy.table.grid import grid_of, largest_float, reach, time_units
from understudy.table.magnitude import CELLS, magnitude
from understudy.table.public import is_text
from understudy.table.schema import LEVEL_KINDS, Bounds, Column, Levels, Missing, Schema

__all__ = ["alone", "asks", "buy", "left", "lent", "told_counts", "told_powers", "told_rows", "told_shares"]

# Shares of a private fit's budget, when anything is left open.
ROWS_SHARE = 0.02  # for the number of rows, by which all other counts are read
SHARE = 0.13  # for bounds and missing rates; the counts serve as margins too
LEVELS_SHARE = 0.26  # for levels: one that is not told is lost for good; the counts serve as margins too
SURE = 3.0  # sigmas above nought before missing rows are more than noise
OTHER = "other"

Counts = npt.NDArray[np.float64]

_NAMES = {"rows": "schema.rows", "counts": "schema.counts", "levels": LEVELS, "delta": DELTA}


def asks(schema: Schema) -> tuple[Ask, ...]:
    """Return what must be read to complete a schema; nothing if everything is declared."""
    open_columns, without_levels = _open(schema), _without_levels(schema)
    wanted: list[Ask] = []
    if first := _counts_rows(schema):
        what = "how many rows there are"
        wanted.append(Ask(_NAMES["rows"], what, "schema", "counts", ROWS_SHARE, columns=(first,)))
    if open_columns:
        names = tuple(column.name for column in open_columns)
        what = "missing rows, and rows in each power of two where bounds are open"
        wanted.append(Ask(_NAMES["counts"], what, "schema", "counts", SHARE, len(names), columns=names))
    if without_levels:
        names = tuple(column.name for column in without_levels)
        what = "values that many rows have and missing rows, with their counts"
        wanted.append(
            Ask(_NAMES["levels"], what, "schema", "counts", LEVELS_SHARE, len(names), columns=names)
        )
        told = "the chance that a value of a single row is told"
        wanted.append(Ask(_NAMES["delta"], told, "schema", "delta", 1.0, columns=names))
    return tuple(wanted)


def lent(asks: Sequence[Ask]) -> list[Ask]:
    """Return the same asks; where there is a filter, that of levels goes through it, and adds its share."""
    levels = next((ask for ask in asks if ask.name == LEVELS), None)
    adaptive = next((ask for ask in asks if ask.form == "adaptive"), None)
    if levels is None or adaptive is None:
        return list(asks)
    both = replace(adaptive, what=f"{levels.what}; {adaptive.what}", share=adaptive.share + levels.share)
    return [both if ask is adaptive else ask for ask in asks if ask is not levels]


def buy(vault: Vault, schema: Schema, events: dict[str, Event]) -> Schema:
    """Return the schema with everything that was open bought; what was declared stays as it is."""
    rows = _counted_rows(vault, _counts_rows(schema), events)
    found = _counted(vault, schema, rows, events)
    wanted = tuple(found[column.name] for column in _without_levels(schema))
    told = Discovery(wanted, events, told_rows(vault, events)).read(vault)
    for column in wanted:
        each = told[column.name]
        levels = Levels(values=tuple(each) or (_stand_in(column),), source="bought")
        missing = column.missing or _missing(each.missing, rows, each.sigma)
        found[column.name] = column.model_copy(update={"levels": levels, "missing": missing})
    columns = tuple(found.get(column.name, column) for column in schema.columns)
    return schema.model_copy(update={"columns": columns})


def left(vault: Vault, bare: Schema, bought: Schema, events: dict[str, Event]) -> dict[str, Event]:
    """Return the prices for whatever is read after a schema was bought: a filter has less left."""
    wanted = tuple(bought.column(column.name) for column in _without_levels(bare))
    return Discovery(wanted, events, told_rows(vault, events)).left(vault)


def _open(schema: Schema) -> list[Column]:
    """Return the columns of which a table is counted; those without levels have theirs told with them."""
    told = {column.name for column in _without_levels(schema)}
    return [
        column
        for column in modelled(schema)
        if column.name not in told and (column.missing is None or _needs_bounds(column))
    ]


def _counts_rows(schema: Schema) -> str | None:
    """Return the column by which rows are counted, if anything is bought that is read by their number."""
    told = (column for column in _without_levels(schema) if column.missing is None)
    return next((column.name for column in (*_open(schema), *told)), None)


def _without_levels(schema: Schema) -> list[Column]:
    return [column for column in modelled(schema) if column.kind in LEVEL_KINDS and column.levels is None]


def _counted(vault: Vault, schema: Schema, rows: float, events: dict[str, Event]) -> dict[str, Column]:
    columns = _open(schema)
    if not columns:
        return {column.name: column for column in _without_levels(schema)}
    price = events[_NAMES["counts"]]
    assert isinstance(price, DiscreteGaussian), "counts are paid for with discrete Gaussian noise"
    sizes = {c.name: CELLS if _needs_bounds(c) else 1 for c in columns}
    coded = vault.map(lambda each: {c.name: _coded(each[c.name], c) for c in columns})
    tables = tuple(Margin((name,), (size,)) for name, size in sizes.items())
    counts = coded.read(_NAMES["counts"], CountTables(tables, price))
    found = {c.name: _filled(c, table, rows, price.sigma) for c, table in zip(columns, counts, strict=True)}
    return {column.name: column for column in _without_levels(schema)} | found


def _counted_rows(vault: Vault, name: str | None, events: dict[str, Event]) -> float:
    if name is None:
        return 1.0  # nothing is read by it
    price = events[_NAMES["rows"]]
    assert isinstance(price, DiscreteGaussian), "counts are paid for with discrete Gaussian noise"
    alike = vault.map(lambda rows: {name: np.zeros(len(rows[name]), dtype=np.int32)})
    (table,) = alike.read(_NAMES["rows"], CountTables((Margin((name,), (1,)),), price))
    return max(float(table[0]), 1.0)


def _needs_bounds(column: Column) -> bool:
    return column.bounds is None and column.kind not in LEVEL_KINDS


def _coded(values: npt.NDArray[Any], column: Column) -> npt.NDArray[np.int32]:
    """Return the cell of every row: its power of two, or 0, or -1 for missing."""
    missing = _none(values) if values.dtype == object else is_missing(values)
    code = magnitude(values) if _needs_bounds(column) else np.zeros(len(values), dtype=np.int32)
    return np.where(missing, -1, code).astype(np.int32)


def _none(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    return np.fromiter((value is None for value in values), dtype=bool, count=len(values))


def _filled(column: Column, table: npt.NDArray[np.int64], rows: float, sigma: float) -> Column:
    updates: dict[str, Any] = {}
    if column.missing is None:
        updates["missing"] = _missing(int(table[-1]), rows, sigma)
    if _needs_bounds(column):
        present = max(rows - max(float(table[-1]), 0.0), 1.0)
        updates["bounds"] = _bounds(column, table[:-1], sigma, present)
    return column.model_copy(update=updates)


def _missing(count: int, rows: float, sigma: float) -> Missing:
    rate = min(max(count / rows, 0.0), 1.0)
    return Missing(rate=rate if count > SURE * sigma else 0.0, source="bought")


def _bounds(column: Column, counts: npt.NDArray[np.int64], sigma: float, rows: float) -> Bounds:
    """Return the outer edges of the powers of two that hold rows, as far as the column's type holds them.

    Nothing here may fail, whatever was told: it is paid for, and an error would quote it.
    """
    grid = grid_of(column)
    edges = parts_of(counts, sigma, rows, whole=grid is not None).edges
    if grid is None:
        # Edges lie just past the powers that a part does not hold; as bounds the powers will do.
        widest = largest_float(value_type(from_text(str(column.type))))
        ends = [max(-widest, min(widest, _rounded(end))) for end in (edges[0], edges[-1])]
        return Bounds(low=ends[0], high=ends[1], source="bought")
    least, most = reach(grid)
    low, high = (grid.value_of(max(least, min(most, int(end)))) for end in (edges[0], edges[-1] - 1))
    if isinstance(low, str) != isinstance(high, str):  # of a decimal one end may be exact as a float alone
        low, high = str(low), str(high)
    return Bounds(low=low, high=high, source="bought")


def _rounded(edge: float) -> float:
    return 0.0 if abs(edge) < 1e-300 else float(f"{edge:.15g}")


def alone(schema: Schema) -> dict[str, bool]:
    """Return the columns with a single level bought, and whether it is a stand-in since none could be told.

    >>> alone(Schema(columns=(Column(name="id", kind="categorical", type="string",
    ...     levels=Levels(values=("other",), source="bought")),)))
    {'id': True}
    """
    return {
        c.name: c.levels.values == (_stand_in(c),)
        for c in modelled(schema)
        if c.levels is not None and c.levels.source == "bought" and len(c.levels.values) == 1
    }


def told_rows(vault: Vault, events: dict[str, Event]) -> tuple[float, float] | None:
    """Return how many rows there are and the deviation of that, if it was bought with the schema."""
    told, price = vault.released(_NAMES["rows"]), events.get(_NAMES["rows"])
    if not told or not isinstance(price, DiscreteGaussian):
        return None
    return max(float(told[0][0][0]), 1.0), price.sigma


def told_powers(vault: Vault, schema: Schema, events: dict[str, Event]) -> dict[str, tuple[Counts, float]]:
    """Return the counts by powers of two that bounds were found from, and the deviation of their noise."""
    with_levels = told_levels(vault, events)
    read = [
        c
        for c in modelled(schema)
        if c.name not in with_levels and (_is_bought(c.missing) or _is_bought(c.bounds))
    ]
    told, price = vault.released(_NAMES["counts"]), events.get(_NAMES["counts"])
    if not told or len(told[0]) != len(read) or not isinstance(price, DiscreteGaussian):
        return {}  # the schema was bought before this fit, and its counts are not here
    return {
        column.name: (table[:-1].astype(np.float64), price.sigma)
        for column, table in zip(read, told[0], strict=True)
        if _is_bought(column.bounds) and len(table) == CELLS + 1  # else they were bought before
    }


def told_counts(vault: Vault, schema: Schema, events: dict[str, Event]) -> dict[str, tuple[Counts, float]]:
    """Return the counts that came with bought levels, in their order, and the deviation of their noise."""
    levels = {c.name: c.levels.values for c in modelled(schema) if c.levels is not None}
    return {
        name: (np.array([told[level] for level in levels[name]], dtype=np.float64), told.sigma)
        for name, told in told_levels(vault, events).items()
        if told and set(told) == set(levels.get(name, ()))
    }


def told_shares(vault: Vault, schema: Schema, events: dict[str, Event]) -> dict[str, tuple[float, ...]]:
    """Return the shares of bought levels, by which values that were not told are taken for these.

    As missing, they would make rows seem missing that are not, and every table of the column would contradict
    its missing rate. They stand in the order of the schema's levels, which need not be that of the telling. A
    level that was told elsewhere (another site's) has no share; if none was told here, all have the same.
    """
    told = told_levels(vault, events)
    return {
        c.name: _shares(told[c.name], c.levels.values)
        for c in modelled(schema)
        if c.levels is not None and c.name in told
    }


def _shares(told: Told, levels: Sequence[Any]) -> tuple[float, ...]:
    found = tuple(float(told.get(level, 0)) for level in levels)
    return found if any(found) else (1.0,) * len(levels)


def _is_bought(part: Bounds | Levels | Missing | None) -> bool:
    return part is not None and part.source == "bought"


def _stand_in(column: Column) -> str | int | float:
    """Return the one level of a column of which no value was common enough to be told.

    Refusing the table here would come after noise was paid for, and leave the user with nothing.
    """
    kind = value_type(from_text(str(column.type)))
    if is_text(kind):
        return OTHER
    if pa.types.is_time(kind):
        return "00:00:00"
    if pa.types.is_duration(kind):
        return f"0 {kind.unit}"
    if time_units(kind):
        return "1970-01-01"
    return 0.0 if pa.types.is_floating(kind) else 0
