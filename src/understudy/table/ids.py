"""Identifiers that are made, never copied.

An id column of a synthetic table must be unique and look the part, and nothing of it may
come from the private ids. Only the *shape* is kept: a template of character classes.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.table.arrow_types import from_text, value_type
from understudy.table.schema import Column

__all__ = ["UUID", "make_ids", "template_of"]

UUID = "uuid"
_DIGITS = "0123456789"
_ALPHABETS = {"9": _DIGITS, "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "a": "abcdefghijklmnopqrstuvwxyz"}
_LONGEST = 64
_ENOUGH = 20  # ids that must agree on a character before it counts as part of their shape
_FIRST_NUMBER = 1_000_000_001  # where a sequence begins: real rows are numbered from 1, and must not be met
_SPARSE = 100  # places in a template of numbers for each real one: in a denser one most drawn ids are real
_EXACT_FLOAT = {16: 2**11, 32: 2**24, 64: 2**53}  # whole numbers up to these are all different floats


def template_of(cells: pa.ChunkedArray) -> str | None:
    r"""Return the one template that all ids share, or None.

    A place that is the same in all of many ids is kept, behind a backslash if it would read as a
    class. In a few ids it may be the same by chance, and then it would be a piece of a private id.

    >>> template_of(pa.chunked_array([[f"X-{number}" for number in range(1000, 9000, 379)]]))
    'X-9999'
    >>> template_of(pa.chunked_array([[f"A{number}" for number in range(100, 900, 19)]]))
    '\\A999'
    >>> template_of(pa.chunked_array([["a", "bb"]])) is None
    True
    """
    text = pc.drop_null(_whole(cells)).cast(pa.string())
    hexes = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    if pc.all(pc.match_substring_regex(text, hexes)).as_py():
        return UUID
    shape = text
    for pattern, mark in (("[0-9]", "9"), ("[A-Z]", "A"), ("[a-z]", "a")):
        shape = pc.replace_substring_regex(shape, pattern, mark)
    shapes = pc.unique(shape)
    if len(shapes) != 1 or not 0 < len(shapes[0].as_py()) <= _LONGEST:
        return None
    template = "".join(_place(text, place, mark) for place, mark in enumerate(shapes[0].as_py()))
    if _is_number(value_type(cells.type)) and _room(_alphabets(template, number=True)) < _SPARSE * len(text):
        return None
    return template


def _whole(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whole floats as the integers they stand for, which are written without a point."""
    if not pa.types.is_floating(cells.type):
        return cells
    floats = cells.cast(pa.float64())
    floats = floats.filter(pc.is_finite(floats))
    exact = pc.and_(pc.equal(pc.trunc(floats), floats), pc.less(pc.abs(floats), 2.0**53))
    return floats.cast(pa.int64()) if pc.all(exact).as_py() else floats


def _place(text: pa.ChunkedArray, place: int, mark: str) -> str:
    """Return the template's mark for one place: its class, or the one character that stands there."""
    if mark not in _ALPHABETS:
        return f"\\{mark}" if mark == "\\" else mark
    found = pc.unique(pc.utf8_slice_codeunits(text, place, place + 1))
    if len(found) > 1 or len(text) < _ENOUGH:
        return mark
    only = str(found[0].as_py())
    return f"\\{only}" if only in _ALPHABETS else only


def make_ids(column: Column, rows: int, rng: np.random.Generator) -> pa.Array:
    """Return `rows` distinct ids of the column's type, in its template where that has room."""
    assert column.type is not None, "a completed schema names every type"
    kind = value_type(from_text(column.type))
    if _is_number(kind):
        return _numbers(column, kind, rows, rng)
    if not _is_text(kind):
        raise SchemaError(
            f"column {column.name!r}: ids of type {kind} cannot be made; only text and numbers can be ids."
        )
    if column.template == UUID:
        return _uuids(rows, rng).cast(kind)
    letters = [] if column.template is None else _alphabets(column.template)
    if letters and _room(letters) >= 2 * rows:
        return pa.array(_filled(letters, rows, rng), pa.string()).cast(kind)
    width = max(6, len(str(rows)))
    padded = pc.utf8_lpad(pa.array(np.arange(1, rows + 1)).cast(pa.string()), width=width, padding="0")
    return pc.binary_join_element_wise("id", padded, "-").cast(kind)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_text(kind: pa.DataType) -> bool:
    return str(kind) in {"string", "large_string", "string_view"}


def _numbers(column: Column, kind: pa.DataType, rows: int, rng: np.random.Generator) -> pa.Array:
    """Return whole numbers of the template's length, or a sequence where it has no room."""
    most = _most(kind)
    if rows > most:
        raise SchemaError(
            f"column {column.name!r}: the type {kind} has room for {most:,} ids; ask for fewer rows."
        )
    letters = [] if column.template in (None, UUID) else _alphabets(str(column.template), number=True)
    sign, digits = letters[:1] == ["-"], letters[letters[:1] == ["-"] :]
    if not digits or not all(set(places) <= set(_DIGITS) for places in digits):
        return _sequence(rows, most, kind)
    if int("".join(places[-1] for places in digits)) <= most and _room(digits) >= 2 * rows:
        return pa.array(_filled(letters, rows, rng), pa.string()).cast(kind)
    # The template also stands for numbers that the type cannot hold: any other of the same length will do.
    low, high = 10 ** (len(digits) - 1), min(10 ** len(digits) - 1, most)
    if sign or high - low < 2 * rows:
        return _sequence(rows, most, kind)
    drawn = _distinct(min(high - low, 2**62), rows, rng)
    return _cast(drawn.astype(np.uint64) + np.uint64(low), kind)


def _sequence(rows: int, most: int, kind: pa.DataType) -> pa.Array:
    first = _FIRST_NUMBER if _FIRST_NUMBER + rows <= most else 1
    return _cast(np.arange(first, first + rows), kind)


def _cast(numbers: npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    # Arrow casts whole numbers only to decimals that hold any of them; between decimals it looks at each.
    plain = pa.array(numbers)
    return plain.cast(pa.decimal256(76, 0)).cast(kind) if pa.types.is_decimal(kind) else plain.cast(kind)


def _most(kind: pa.DataType) -> int:
    """Return the largest number up to which the type holds every whole number."""
    if pa.types.is_decimal(kind):
        return int(10 ** max(kind.precision - max(kind.scale, 0), 0)) - 1
    if pa.types.is_floating(kind):
        return _EXACT_FLOAT[kind.bit_width]
    return int(np.iinfo(kind.to_pandas_dtype()).max)


def _alphabets(template: str, *, number: bool = False) -> list[str]:
    """Return the characters that may stand in each place.

    The first digit of a number is never 0, so that numbers keep their length; text may begin with 0.
    """
    marks = re.findall(r"\\.|[^\\]", template, flags=re.DOTALL)
    letters = [_ALPHABETS.get(mark, mark[-1]) for mark in marks]
    first = 1 if letters[:1] == ["-"] else 0
    if number and letters[first:] and all(set(places) <= set(_DIGITS) for places in letters[first:]):
        letters[first] = letters[first].replace("0", "") or "0"
    return letters


def _room(letters: list[str]) -> int:
    """Return how many ids the places can make."""
    return math.prod(len(places) for places in letters) if letters else 0


def _distinct(room: int, rows: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw `rows` distinct whole numbers below `room`, which is at least twice as large."""
    drawn = np.unique(rng.integers(room, size=rows))
    while len(drawn) < rows:
        drawn = np.unique(np.concatenate([drawn, rng.integers(room, size=rows)]))
    return np.asarray(rng.permutation(drawn)[:rows])


def _filled(letters: list[str], rows: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Write distinct numbers in the mixed radix of the last places; places before them are free."""
    split, room = len(letters), 1
    while split > 0 and room * len(letters[split - 1]) <= 2**62:
        split, room = split - 1, room * len(letters[split - 1])
    numbers = _distinct(room, rows, rng)
    characters = np.empty((rows, len(letters)), dtype="<U1")
    for place in reversed(range(len(letters))):
        alphabet = np.array(list(letters[place]))
        if place >= split:
            numbers, codes = np.divmod(numbers, len(alphabet))
        else:
            codes = rng.integers(len(alphabet), size=rows)
        characters[:, place] = alphabet[codes]
    return characters.view(f"<U{len(letters)}").reshape(rows)


def _uuids(rows: int, rng: np.random.Generator) -> pa.Array:
    """Return random UUIDs (RFC 9562, version 4)."""
    raw = np.frombuffer(rng.bytes(16 * rows), dtype=np.uint8).reshape(rows, 16).copy()
    raw[:, 6] = (raw[:, 6] & 0x0F) | 0x40
    raw[:, 8] = (raw[:, 8] & 0x3F) | 0x80
    digits = np.frombuffer(raw.tobytes().hex().encode(), dtype=np.uint8).reshape(rows, 32)
    text = np.insert(digits, [8, 12, 16, 20], ord("-"), axis=1)  # (rows, 36)
    return pa.array(np.ascontiguousarray(text).view("S36").reshape(rows), pa.binary()).cast(pa.string())
