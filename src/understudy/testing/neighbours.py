"""Tables that differ by one row, as far as one row can differ, and tables that share nothing but types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["extreme_row", "neighbours", "others"]


def neighbours(table: pa.Table) -> dict[str, pa.Table]:
    """Return the table with one row removed or one extreme row added, each under what was done to it."""
    rows = table.num_rows
    return {
        "the first row removed": table.slice(1),
        "the last row removed": table.slice(0, rows - 1),
        "a row from the middle removed": pa.concat_tables(
            [table.slice(0, rows // 2), table.slice(rows // 2 + 1)]
        ),
        "a row of extremes added": pa.concat_tables([table, extreme_row(table.schema)]),
        "a row of extremes in front": pa.concat_tables([extreme_row(table.schema, low=True), table]),
        "a row in front that lists its own levels": pa.concat_tables(
            [_by_itself(table.slice(rows - 1)), table]
        ),
        "a row without any value added": pa.concat_tables([table, _blank(table.schema)]),
        "a row twice": pa.concat_tables([table, table.slice(0, 1)]),
    }


def others(table: pa.Table) -> dict[str, pa.Table]:
    """Return tables of the same names and types that have other rows, and another number of them."""
    extremes = [extreme_row(table.schema, low=low) for low in (True, False)]
    return {
        "one row only": table.slice(7, 1),
        "no rows": table.slice(0, 0),
        "one row many times": table.take(pa.array(np.full(2 * table.num_rows + 1, 3))),
        "nothing but extremes": pa.concat_tables(extremes * 20),
        "nothing but blanks": pa.concat_tables([_blank(table.schema)] * 33),
    }


def extreme_row(schema: pa.Schema, *, low: bool = False) -> pa.Table:
    """Return one row of the largest or the smallest cell that each type holds; a new word, where it is text.

    >>> extreme_row(pa.schema([("n", pa.int8())])).to_pylist()
    [{'n': 127}]
    """
    return pa.table([_cell(field.type, low=low) for field in schema], schema=schema)


def _blank(schema: pa.Schema) -> pa.Table:
    return pa.table([pa.nulls(1, field.type) for field in schema], schema=schema)


def _by_itself(row: pa.Table) -> pa.Table:
    """Return a row whose dictionaries list nothing but its own values, as readers of files make them."""
    cells = [
        column.cast(column.type.value_type).combine_chunks().dictionary_encode().cast(column.type)
        if pa.types.is_dictionary(column.type)
        else column
        for column in row.columns
    ]
    return pa.table(cells, schema=row.schema)


def _cell(kind: pa.DataType, *, low: bool) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(
            pa.array([0], kind.index_type), _cell(kind.value_type, low=low), ordered=kind.ordered
        )
    return pa.array([_extreme(kind, low=low)], kind)


def _extreme(kind: pa.DataType, *, low: bool) -> Any:
    if pa.types.is_integer(kind):
        ends = np.iinfo(kind.to_pandas_dtype())
        return int(ends.min if low else ends.max)
    if pa.types.is_floating(kind):
        return float("-inf") if low else float(np.finfo(kind.to_pandas_dtype()).max)
    if pa.types.is_decimal(kind):
        return Decimal(f"{'-' if low else ''}{10**kind.precision - 1}E{-kind.scale}")
    if pa.types.is_boolean(kind):
        return not low
    if pa.types.is_temporal(kind):
        return _moment(kind, low=low)
    return "" if low else "a word that no other row has \N{SNOWMAN}"


def _moment(kind: pa.DataType, *, low: bool) -> Any:
    if pa.types.is_duration(kind):
        return dt.timedelta(days=-100_000 if low else 100_000)
    if pa.types.is_time(kind):
        return dt.time(0, 0) if low else dt.time(23, 59, 59)
    day = dt.date(1700, 1, 1) if low else dt.date(2250, 12, 31)
    if pa.types.is_date(kind):
        return day
    zone = dt.UTC if kind.tz is not None else None
    return dt.datetime(day.year, day.month, day.day, tzinfo=zone)
