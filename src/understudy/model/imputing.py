"""Missing cells of somebody's rows, filled in by a model; every other cell stays as it is.

Ids, ignored columns and columns that no row had a value for are left alone; a constant is filled with its
value. Rows that break a rule of the schema where they were filled are drawn again, TRIES times at most: cells
that are given may break a rule by themselves, so no more is promised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import InputError
from understudy.missing import is_missing
from understudy.model.ruled import Ruled
from understudy.model.sampler import Columns, Sampler
from understudy.rng import stream
from understudy.table.columns import from_columns, level_array, modelled, to_columns, unknown_levels
from understudy.table.read import read
from understudy.table.schema import Column, Schema
from understudy.table.spelled import in_words
from understudy.table.table import Table

__all__ = ["impute", "impute_frame"]

TRIES = 20  # draws of a row that breaks a rule

Mask = npt.NDArray[np.bool_]
Fill = Callable[[Columns], Columns]


def impute_frame(frame: object, schema: Schema, sampler: Sampler, seed: int) -> Any:
    """Return what was given with its missing cells filled in: the same kind of frame, or a Table."""
    source = read(frame)
    filled = impute(source.to_arrow(), schema, sampler, seed)
    if source.frame is None:
        return Table(filled)
    restored = source.frame.restore(filled)
    if source.frame.kind == "pandas":
        restored.index = frame.index  # type: ignore[attr-defined]  # it is pandas', as its kind says
    return restored


def impute(arrow: pa.Table, schema: Schema, sampler: Sampler, seed: int) -> pa.Table:
    """Return the rows with every missing cell of a modelled or constant column filled in."""
    given = to_columns(_told(arrow, schema), _with_room(schema))
    rng = stream(seed, "impute")
    filled = _obedient(arrow, given, schema, lambda part: sampler.impute(part, rng))
    for column in modelled(schema):
        holes = is_missing(given[column.name]) & (_presence(arrow.column(column.name)) < 0)
        if holes.any():
            arrow = _put(arrow, column.name, _cells(filled[column.name], column), holes)
    for column in schema.columns:
        if column.kind == "constant":
            holes = _presence(arrow.column(column.name)) < 0
            arrow = _put(arrow, column.name, pa.repeat(level_array(column)[0], len(holes)), holes)
    return arrow


def _told(arrow: pa.Table, schema: Schema) -> pa.Table:
    """Return the rows with levels missing that no budget told: the model knows nothing of them."""
    for column in modelled(schema):
        bought = column.levels is not None and column.levels.source == "bought"
        if not bought or column.name not in arrow.column_names:
            continue
        untold = unknown_levels(arrow, column)
        if untold.any():
            cells = arrow.column(column.name)
            place = arrow.schema.get_field_index(column.name)
            field = arrow.schema.field(place).with_nullable(True)
            kept = pc.if_else(pa.array(untold), pa.scalar(None, cells.type), cells)
            arrow = arrow.set_column(place, field, kept)
    return arrow


def _with_room(schema: Schema) -> Schema:
    """Return the schema for rows to be filled: a cell may be missing, or lie beyond what was learned."""
    room = {"nullable": True, "bounds": None}
    columns = tuple(column.model_copy(update=room) for column in schema.columns)
    return schema.model_copy(update={"columns": columns})


def _cells(values: npt.NDArray[Any], column: Column) -> pa.Array:
    """Return drawn values as cells of the column's own type, without a dictionary."""
    alone = Schema(columns=(column,))
    made = from_columns({column.name: values}, alone, len(values), stream(0, "impute"))
    return _plain(in_words(made).column(0))


def _put(arrow: pa.Table, name: str, cells: pa.Array, holes: Mask) -> pa.Table:
    """Return the table with these cells in the holes of a column, in the type that the column has."""
    place = arrow.schema.get_field_index(name)
    field = arrow.schema.field(place)
    if pa.types.is_null(field.type):
        return arrow.set_column(place, field.with_type(cells.type), cells)
    try:
        merged = _merged(arrow.column(place), cells, holes)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(
            f"impute: column {name!r} of type {field.type} has no room for what is filled in; "
            f"give it the type {cells.type}."
        ) from None
    return arrow.set_column(place, field, merged)


def _merged(old: pa.ChunkedArray, cells: pa.Array, holes: Mask) -> pa.Array:
    kind = old.type
    plain = _plain(old)
    found = pc.if_else(pa.array(holes), cells.cast(plain.type), plain)
    if not pa.types.is_dictionary(kind):
        return found
    # The levels stay in the order in which they are; those that are new come last.
    levels = old.unify_dictionaries().chunk(0).dictionary if old.num_chunks else plain[:0]
    fresh = pc.unique(found.filter(pc.invert(pc.is_in(found, value_set=levels))).drop_null())
    every = pa.concat_arrays([levels, fresh])
    places = pc.index_in(found, value_set=every).cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(places, every, ordered=kind.ordered)


def _plain(cells: pa.ChunkedArray) -> pa.Array:
    merged = cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells
    return merged.combine_chunks() if merged.num_chunks != 1 else merged.chunk(0)


def _obedient(arrow: pa.Table, given: Columns, schema: Schema, fill: Fill) -> Columns:
    """Return the columns filled, and again where a row breaks a rule, as long as that may help."""
    result = fill(given)
    if not schema.rules or not arrow.num_rows:
        return result
    ruled = Ruled.of(schema, {})
    others = {name: _presence(arrow.column(name)) for name in ruled.legal if name not in given}
    holes = np.logical_or.reduce([is_missing(values) for values in given.values()])
    for _ in range(TRIES):
        left = np.flatnonzero(holes & ~ruled.kept(result | others))
        if not len(left):
            break
        again = fill({name: values[left] for name, values in given.items()})
        for name, values in again.items():
            result[name][left] = values
    return result


def _presence(cells: pa.ChunkedArray) -> npt.NDArray[np.int32]:
    """Return 0 where a cell is there and -1 where it is not: all that rules ask of an id or a constant."""
    return np.where(np.asarray(pc.is_null(cells, nan_is_null=True)), -1, 0).astype(np.int32)
