"""The cells of one column read as levels or as numbers, whatever type their file gave them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pat

from understudy.errors import SchemaError
from understudy.table.arrow_types import value_type
from understudy.table.columns import one_zero
from understudy.table.grid import time_units

__all__ = ["as_levels", "as_numbers", "flat_cells", "is_number", "is_words", "time_family"]

Floats = npt.NDArray[np.float64]


def flat_cells(cells: pa.ChunkedArray) -> pa.Array:
    """Return one array of plain cells: no chunks, no dictionary, NaN missing."""
    merged = cells.combine_chunks()
    flat = merged if isinstance(merged, pa.Array) else pa.concat_arrays(merged.chunks)
    if pat.is_dictionary(flat.type):
        flat = flat.cast(value_type(flat.type))
    if pat.is_floating(flat.type) and pc.any(pc.is_nan(flat)).as_py():
        flat = pc.if_else(pc.is_nan(flat), pa.scalar(None, flat.type), flat)
    return flat


def as_levels(flat: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Return the cells in a type of levels; None where one of them has no place in it.

    >>> as_levels(pa.array([0, 1, 1]), pa.bool_()).to_pylist()
    [False, True, True]
    >>> as_levels(pa.array([0, 2]), pa.bool_()) is None
    True
    """
    if flat.type == kind:
        return one_zero(flat)
    if flat.null_count == len(flat):
        return pa.nulls(len(flat), kind)
    try:
        if pat.is_boolean(kind) and is_number(flat.type):
            # Arrow reads every number but 0 as true; only 0 and 1 are truth values.
            strange = pc.invert(pc.is_in(flat.cast(pa.float64()), value_set=pa.array([0.0, 1.0])))
            if pc.any(pc.and_(strange, flat.is_valid())).as_py():
                return None
        return one_zero(_trimmed(flat, kind).cast(kind))
    except pa.ArrowException:
        return None


def as_numbers(flat: pa.Array, kind: pa.DataType, name: str) -> Floats:
    """Return the cells as floats in the unit of `kind`, NaN where missing; refuse what is no number of it.

    Times count in ticks of `kind`, whatever unit or zone their own file has; text is read as numbers, or as
    ISO times, if all of it can be.
    """
    if flat.null_count == len(flat):
        return np.full(len(flat), np.nan)
    try:
        return _times(flat, kind, name) if time_family(kind) else _plain_numbers(flat, kind, name)
    except pa.ArrowException:
        raise _unfit(flat.type, kind, name) from None


def is_number(kind: pa.DataType) -> bool:
    """Say whether a type counts or measures."""
    return bool(pat.is_integer(kind) or pat.is_floating(kind) or pat.is_decimal(kind))


def is_words(kind: pa.DataType) -> bool:
    """Say whether a type is text, in any of its layouts."""
    return str(kind) in {"string", "large_string", "string_view"}


def time_family(kind: pa.DataType) -> str:
    """Return which times can be told in each other's units: moments, times of day or lengths of time."""
    if pat.is_timestamp(kind) or pat.is_date(kind):
        return "moment"
    if pat.is_time(kind):
        return "time"
    return "duration" if pat.is_duration(kind) else ""


def _plain_numbers(flat: pa.Array, kind: pa.DataType, name: str) -> Floats:
    if is_words(flat.type):
        flat = _trimmed(flat, pa.float64()).cast(pa.float64())
    if not (is_number(flat.type) or pat.is_boolean(flat.type)):
        raise _unfit(flat.type, kind, name)
    if pat.is_float32(kind) and pat.is_floating(flat.type):
        # What a file rounded to 32 bits is the same number in a file that did not.
        flat = flat.cast(pa.float32())
    return _floats(flat.cast(pa.float64(), safe=False))


def _times(flat: pa.Array, kind: pa.DataType, name: str) -> Floats:
    if is_words(flat.type):
        flat = _read_times(_trimmed(flat, kind), kind)
    if time_family(flat.type) != time_family(kind):
        # A bare number could be days or nanoseconds: nobody can tell.
        raise _unfit(flat.type, kind, name)
    storage = pa.int32() if flat.type.bit_width == 32 else pa.int64()
    # By floats, not by a cast: far years overflow the 64 bits of nanoseconds without a word.
    return np.asarray(_floats(flat.view(storage).cast(pa.float64(), safe=False)) * _ticks(flat.type, kind))


def _read_times(words: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return ISO text as times: with an offset, or without one, which means UTC."""
    if time_family(kind) != "moment":
        return words.cast(kind)
    try:
        return words.cast(pa.timestamp("us"))
    except pa.ArrowInvalid:
        return words.cast(pa.timestamp("us", "UTC"))


def _ticks(found: pa.DataType, wanted: pa.DataType) -> float:
    return time_units(found) / time_units(wanted)


def _trimmed(flat: pa.Array, kind: pa.DataType) -> pa.Array:
    if not is_words(flat.type) or is_words(kind):
        return flat
    return pc.utf8_trim_whitespace(flat)


def _floats(flat: pa.Array) -> Floats:
    return np.array(pc.fill_null(flat, np.nan), dtype=np.float64)


def _unfit(found: pa.DataType, wanted: pa.DataType, name: str) -> SchemaError:
    what = "times" if time_family(wanted) else "numbers"
    return SchemaError(
        f"evidence: column {name!r} holds {what}; got cells of type {found} in a table that are none. "
        "Convert them, or call the column categorical in a schema."
    )
