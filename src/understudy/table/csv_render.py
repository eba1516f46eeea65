"""How each kind of Arrow column is printed as text, in the spelling in which it was read.

Decisions that concern a whole column (how many digits of a second are needed, whether a
float column holds whole numbers only) are taken once; the cells are printed batch by batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from understudy.errors import InputError
from understudy.table.csv_numbers import MOST_DECIMALS, decimal_text, fixed_text, float_text, scaled_text
from understudy.table.csv_times import PER_SECOND, TimeForm, times_text
from understudy.table.csv_types import BOOLEAN, DECIMALS, POINT, STYLES, TIME, WHOLE

__all__ = ["Renderer", "is_text", "renderer"]

Renderer = Callable[[pa.Array], pa.Array]
FOUR_DIGIT_YEARS = (-62_167_219_200, 253_402_300_799)  # seconds from 1970 to the years 0 and 9999


def is_text(kind: pa.DataType) -> bool:
    """Say whether a column of this type holds text."""
    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def renderer(field: pa.Field, column: pa.ChunkedArray) -> Renderer:
    """Return the function that prints a batch of this column as text, missing cells left missing."""
    kind = field.type
    if types.is_dictionary(kind):
        value = pa.field(field.name, kind.value_type, metadata=field.metadata)
        inner = renderer(value, column if is_text(kind) else column.cast(kind.value_type))
        return lambda cells: inner(cells.dictionary_decode())
    if is_text(kind) or types.is_integer(kind) or types.is_date(kind) or types.is_null(kind):
        return _as_string
    return _with_spelling(field, column)


def _with_spelling(field: pa.Field, column: pa.ChunkedArray) -> Renderer:
    kind, spelling = field.type, field.metadata or {}
    if types.is_floating(kind):
        return _float(column, spelling)
    if types.is_boolean(kind):
        return _boolean(spelling)
    if types.is_decimal(kind):
        return decimal_text
    if types.is_duration(kind):
        return _duration(column)
    if types.is_timestamp(kind) or types.is_time(kind):
        return _time(column, spelling)
    advice = "write Parquet, or drop or flatten the column"
    raise InputError(f"CSV: column {field.name!r} is of type {kind}, which CSV cannot hold; {advice}.")


def _as_string(cells: pa.Array) -> pa.Array:
    if types.is_date64(cells.type):
        cells = cells.cast(pa.date32())
    return pc.cast(cells, pa.string())


def _float(column: pa.ChunkedArray, spelling: dict[bytes, bytes]) -> Renderer:
    decimals = spelling.get(DECIMALS, b"")
    if decimals.isdigit() and 1 <= int(decimals) <= MOST_DECIMALS:
        return lambda cells: fixed_text(_double(cells), int(decimals))
    # Written without a point, a column of whole floats would come back as integers.
    point = spelling.get(WHOLE) == POINT or all(map(_is_whole, column.chunks))
    return lambda cells: float_text(_at_least_single(cells), point=point)


def _is_whole(cells: pa.Array) -> bool:
    numbers = np.asarray(pc.fill_null(_at_least_single(cells), 0.0))
    return bool(((np.floor(numbers) == numbers) | ~np.isfinite(numbers)).all())


def _at_least_single(cells: pa.Array) -> pa.Array:
    if not types.is_float16(cells.type):
        return cells
    # By way of numpy: older versions of Arrow cannot cast half precision.
    numbers = cells.to_numpy(zero_copy_only=False).astype(np.float32)
    return pa.array(numbers, mask=np.asarray(cells.is_null()))


def _double(cells: pa.Array) -> pa.Array:
    # By way of the shortest text: 0.1 in single precision means 0.1, not 0.10000000149.
    return (
        cells
        if types.is_float64(cells.type)
        else _at_least_single(cells).cast(pa.string()).cast(pa.float64())
    )


def _boolean(spelling: dict[bytes, bytes]) -> Renderer:
    yes = spelling.get(BOOLEAN, b"").decode()
    yes = yes if yes in STYLES else "true"
    return lambda cells: pc.if_else(cells, yes, STYLES[yes])


def _duration(column: pa.ChunkedArray) -> Renderer:
    """Print a duration as its number of seconds, with the decimals that the column needs."""
    unit = column.type.unit
    digits = _digits_needed(column.cast(pa.int64()), unit)
    return partial(_seconds_text, digits=_in_threes(digits), per=PER_SECOND[unit])


def _seconds_text(cells: pa.Array, digits: int, per: int) -> pa.Array:
    steps = np.asarray(pc.fill_null(cells.cast(pa.int64()), 0)) // (per // 10**digits)
    text = scaled_text(np.abs(steps), digits, steps < 0)
    return pc.if_else(cells.is_valid(), text, pa.scalar(None, pa.string()))


def _time(column: pa.ChunkedArray, spelling: dict[bytes, bytes]) -> Renderer:
    kind = column.type
    steps = column.cast(pa.int32() if types.is_time32(kind) else pa.int64()).cast(pa.int64())
    form = _form(kind, steps, spelling)
    if not _has_four_digit_years(steps, kind.unit):
        return _as_string  # there is no common spelling; Arrow's own is at least exact
    if not _fits(steps, kind.unit, form.unit):
        form = replace(form, digits=0 if kind.unit == "s" else _in_threes(_digits_needed(steps, kind.unit)))
    unit = max(kind.unit, form.unit, key=lambda u: PER_SECOND[u])
    day = types.is_timestamp(kind)
    finer = (
        pa.timestamp(unit, kind.tz) if day else pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    )
    return lambda cells: times_text(cells.cast(finer), form)


def _form(kind: pa.DataType, steps: pa.ChunkedArray, spelling: dict[bytes, bytes]) -> TimeForm:
    """Take the spelling the column came in if it can hold every cell, else the shortest that can."""
    day = types.is_timestamp(kind)
    aware = day and kind.tz is not None
    form = TimeForm.from_picture(spelling.get(TIME, b"").decode())
    needed = _digits_needed(steps, kind.unit)
    if form is None or bool(form.separator) is not day or bool(form.zone) is not aware:
        form = TimeForm(" " if day else "", zone=_zone(kind.tz) if aware else "")
    if not form.seconds and pc.any(pc.not_equal(_modulo(steps, 60 * PER_SECOND[kind.unit]), 0)).as_py():
        form = replace(form, seconds=True)
    return replace(form, digits=_in_threes(needed)) if needed > form.digits else form


def _zone(tz: str) -> str:
    # A named zone changes its offset twice a year; UTC is the one spelling all its cells can share.
    return tz if re.fullmatch(r"[+-]\d\d:\d\d", tz) else "Z"


def _digits_needed(steps: pa.ChunkedArray, unit: str) -> int:
    per = PER_SECOND[unit]
    for digits in range(10):
        if not pc.any(pc.not_equal(_modulo(steps, per // 10**digits), 0)).as_py():
            return digits
    raise AssertionError("every count is a multiple of 1")


def _in_threes(digits: int) -> int:
    return -(-digits // 3) * 3


def _modulo(steps: pa.ChunkedArray, by: int) -> pa.ChunkedArray:
    return pc.subtract(steps, pc.multiply(pc.divide(steps, by), by))


def _fits(steps: pa.ChunkedArray, unit: str, finer: str) -> bool:
    """Say whether the counts still fit 64 bits in a finer unit; nanoseconds end in the year 2262."""
    ends = pc.min_max(steps).as_py()
    largest = max(abs(ends["min"] or 0), abs(ends["max"] or 0)) + 86_400 * PER_SECOND[unit]
    return bool(largest * PER_SECOND[finer] < 2**63 * PER_SECOND[unit])


def _has_four_digit_years(steps: pa.ChunkedArray, unit: str) -> bool:
    ends = pc.min_max(steps).as_py()
    if ends["min"] is None:
        return True
    low, high = (second * PER_SECOND[unit] for second in FOUR_DIGIT_YEARS)
    day = 86_400 * PER_SECOND[unit]  # an offset may move a time by up to a day
    return bool(low + day <= ends["min"] and ends["max"] <= high - day)
