"""Identifiers that are made, never copied.

An id column of a synthetic table must be unique and look the part, and nothing of it may
come from the private ids. Only the *shape* is kept: a template of character classes.
"""

from __future__ import annotations

import math
import re
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.arrow_types import from_text, value_type
from understudy.table.schema import Column

__all__ = ["UUID", "make_ids", "template_of"]

UUID = "uuid"
_ALPHABETS = {"9": "0123456789", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "a": "abcdefghijklmnopqrstuvwxyz"}
_LONGEST = 64


def template_of(cells: pa.ChunkedArray) -> str | None:
    """Return the one template that all ids share, or None.

    A place that is the same in all ids is kept, behind a backslash if it would read as a class.

    >>> template_of(pa.chunked_array([["X-0042", "X-7135"]]))
    'X-9999'
    >>> template_of(pa.chunked_array([["Ab1", "Ac2"]]))
    '\\\\Aa9'
    >>> template_of(pa.chunked_array([["a", "bb"]])) is None
    True
    """
    text = pc.drop_null(cells).cast(pa.string())
    hexes = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    if pc.all(pc.match_substring_regex(text, hexes)).as_py():
        return UUID
    shape = text
    for pattern, mark in (("[0-9]", "9"), ("[A-Z]", "A"), ("[a-z]", "a")):
        shape = pc.replace_substring_regex(shape, pattern, mark)
    shapes = pc.unique(shape)
    if len(shapes) != 1 or not 0 < len(shapes[0].as_py()) <= _LONGEST:
        return None
    return "".join(_place(text, place, mark) for place, mark in enumerate(shapes[0].as_py()))


def _place(text: pa.ChunkedArray, place: int, mark: str) -> str:
    """Return the template's mark for one place: its class, or the one character that stands there."""
    found = pc.unique(pc.utf8_slice_codeunits(text, place, place + 1))
    only = found[0].as_py() if len(found) == 1 else None
    if only is None:
        return mark
    return f"\\{only}" if only in _ALPHABETS or only == "\\" else str(only)


def make_ids(column: Column, rows: int, rng: np.random.Generator) -> pa.Array:
    """Return `rows` distinct ids of the column's type, in its template where that has room."""
    assert column.type is not None, "a completed schema names every type"
    kind = value_type(from_text(column.type))
    if column.template == UUID and not pa.types.is_integer(kind):
        return pa.array([str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(rows)]).cast(kind)
    if column.template is None or _room(column.template) < 2 * rows:
        numbers = pa.array(np.arange(1, rows + 1))
        return numbers.cast(kind) if _is_number(kind) else _numbered(numbers, rows).cast(kind)
    text = pa.array(_filled(column.template, _distinct(_room(column.template), rows, rng)))
    return text.cast(pa.int64()).cast(kind) if pa.types.is_integer(kind) else text.cast(kind)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _numbered(numbers: pa.Array, rows: int) -> pa.Array:
    padded = pc.utf8_lpad(numbers.cast(pa.string()), width=max(6, len(str(rows))), padding="0")
    return pc.binary_join_element_wise("id", padded, "-")


def _alphabets(template: str) -> list[str]:
    """Return the characters that may stand in each place.

    The first digit of a plain number is never 0, so that numbers keep their length.
    """
    marks = re.findall(r"\\.|[^\\]", template, flags=re.DOTALL)
    letters = [_ALPHABETS.get(mark, mark[-1]) for mark in marks]
    if letters and set(marks) <= set("0123456789") and letters[0] == _ALPHABETS["9"]:
        letters[0] = letters[0][1:]
    return letters


def _room(template: str) -> int:
    """Return how many ids the template can make."""
    return math.prod(len(letters) for letters in _alphabets(template))


def _distinct(room: int, rows: int, rng: np.random.Generator) -> list[int]:
    """Draw `rows` distinct whole numbers below `room`, which is at least twice as large."""
    limit = min(room, 2**62)
    drawn = np.unique(rng.integers(limit, size=rows))
    while len(drawn) < rows:
        drawn = np.unique(np.concatenate([drawn, rng.integers(limit, size=rows)]))
    return [int(number) for number in rng.permutation(drawn)[:rows]]


def _filled(template: str, numbers: list[int]) -> list[str]:
    """Write each number in the mixed radix of the template's places, last place first."""
    rest = np.array(numbers, dtype=object)
    places: list[np.ndarray] = []
    for letters in reversed(_alphabets(template)):
        places.append(np.array(list(letters))[(rest % len(letters)).astype(int)])
        rest = rest // len(letters)
    return ["".join(characters) for characters in zip(*places[::-1], strict=True)]
