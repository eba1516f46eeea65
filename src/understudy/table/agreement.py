"""One type per column for tables that come from different files.

A CSV reader sees whole numbers where another file has one blank or one fraction more; a frame keeps levels as
a dictionary where a file has text. What the cells mean is the same, so the real rows are gathered in a type
that holds all of them. A column in which every cell is missing has no say.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pat

from understudy.errors import SchemaError
from understudy.table.arrow_types import value_type
from understudy.table.cells import is_number, is_words, time_family
from understudy.table.grid import time_units

__all__ = ["agreed_type", "gather"]

_UNITS = {1_000_000_000: "s", 1_000_000: "ms", 1_000: "us", 1: "ns"}


def gather(tables: list[pa.Table], names: list[str]) -> pa.Table:
    """Return the rows of all tables in types that hold them all.

    >>> gather([pa.table({"a": [1]}), pa.table({"a": [0.5]})], ["a"]).column("a").type
    DataType(double)
    """
    columns = [_gathered(name, [table.column(name) for table in tables]) for name in names]
    fields = [
        pa.field(name, cells.type, any(t.schema.field(name).nullable for t in tables), _form(name, tables))
        for name, cells in zip(names, columns, strict=True)
    ]
    return pa.table(columns, schema=pa.schema(fields))


def agreed_type(name: str, kinds: list[pa.DataType]) -> pa.DataType:
    """Return a type that cells of all these types can be read as, or say that there is none."""
    first = kinds[0]
    if all(kind == first for kind in kinds):
        return first
    values = [value_type(kind) for kind in kinds]
    agreed = _agreed_values(name, values)
    dictionaries = [kind for kind in kinds if pat.is_dictionary(kind)]
    if not dictionaries:
        return agreed
    return pa.dictionary(pa.int32(), agreed, all(kind.ordered for kind in dictionaries))


def _agreed_values(name: str, kinds: list[pa.DataType]) -> pa.DataType:
    first = kinds[0]
    if all(kind == first for kind in kinds):
        return first
    if all(is_number(kind) or pat.is_boolean(kind) for kind in kinds):
        whole = all(pat.is_signed_integer(k) or pat.is_boolean(k) or _is_short(k) for k in kinds)
        return pa.int64() if whole else pa.float64()
    families = {time_family(kind) for kind in kinds}
    if len(families) == 1 and families != {""}:
        return _agreed_time(kinds)
    if any(is_words(kind) for kind in kinds):
        return pa.large_string()
    shown = " and ".join(sorted({str(kind) for kind in kinds}))
    raise SchemaError(
        f"evidence: column {name!r} is of type {shown} in the real tables; convert one of them."
    )


def _is_short(kind: pa.DataType) -> bool:
    """Say whether these are whole numbers without a sign that 64 bits with one hold."""
    return bool(pat.is_unsigned_integer(kind) and kind.bit_width < 64)


def _agreed_time(kinds: list[pa.DataType]) -> pa.DataType:
    finest = min(time_units(kind) for kind in kinds)
    unit = _UNITS[finest if finest in _UNITS else 1_000_000_000]
    if time_family(kinds[0]) == "duration":
        return pa.duration(unit)
    if time_family(kinds[0]) == "time":
        return pa.time32(unit) if unit in {"s", "ms"} else pa.time64(unit)
    # Moments without an offset are meant in UTC, as everywhere in the house.
    zoned = any(pat.is_timestamp(kind) and kind.tz is not None for kind in kinds)
    return pa.timestamp(unit, "UTC" if zoned else None)


def _gathered(name: str, columns: list[pa.ChunkedArray]) -> pa.ChunkedArray:
    voters = [cells.type for cells in columns if cells.null_count < len(cells)] or [columns[0].type]
    kind = agreed_type(name, voters)
    parts = [_cast(name, cells, kind) for cells in columns]
    return pa.chunked_array([chunk for part in parts for chunk in part.chunks], type=kind)


def _cast(name: str, cells: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    if cells.type == kind:
        return cells
    if cells.null_count == len(cells):
        return pa.chunked_array([pa.nulls(len(cells), kind)])
    try:
        # Whole numbers beyond 2**53 are rounded, as in whatever else counts or measures here.
        exact = not pat.is_floating(value_type(kind))
        plain = cells.cast(value_type(cells.type)).cast(value_type(kind), safe=exact)
    except pa.ArrowException:
        # The text of an Arrow error quotes the offending cell, so it goes no further than here.
        raise SchemaError(
            f"evidence: column {name!r} has cells of type {cells.type} that do not fit {kind}, the type of "
            "other real rows."
        ) from None
    if not pat.is_dictionary(kind):
        return plain
    encoded = plain.dictionary_encode()
    parts = [
        pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary, ordered=kind.ordered)
        for chunk in encoded.chunks
    ]
    return pa.chunked_array(parts, type=kind)


def _form(name: str, tables: list[pa.Table]) -> dict[bytes, bytes] | None:
    """Return how the cells of the first table were written: it gives the column its meaning."""
    found: dict[bytes, bytes] | None = tables[0].schema.field(name).metadata
    return found
