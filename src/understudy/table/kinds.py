"""Which kind a column is, as its rows and its name show it (docs/explanation/kinds.md).

A value that tells one row from all others must not be copied into a stand-in. So whatever is named or
looks like an identifier, or is hardly ever the same twice, is an id or free text, never a level.
"""

from __future__ import annotations

import math
import re

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.arrow_types import value_type
from understudy.table.grid import time_kind, time_units
from understudy.table.resolution import decimal_resolution
from understudy.table.schema import Kind

__all__ = ["dictionary_values", "is_text", "kind_of", "named_like_id", "plain_cells"]

FEW = 10  # whole numbers with at most so many different values are ordered levels, not quantities
NEARLY_ALL = 0.95  # of the texts are different: they identify rows instead of describing them
FEWEST_ROWS = 20  # below this, "all different" says nothing about a column whose name says nothing
MANY_ROWS = 100  # from here on, texts of which more than half are different describe no group of rows

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ID_WORDS = frozenset({
    "id", "ids", "uuid", "guid", "key", "identifier", "ssn", "sin", "nhs", "mrn", "passport", "phone",
    "telephone", "mobile", "tel", "fax", "email", "mail", "iban", "account", "card", "licence", "license",
    "plate", "serial", "vin", "ip", "mac", "no", "nr", "number", "num",
})  # fmt: skip
_FIRST_WORDS = frozenset({"id", "uuid", "guid"})
_EMAIL_OR_UUID = (
    r"^[^\s@]+@[^\s@]+\.[^\s@]+$|"
    r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
)

_D, _M = r"(?:0?[1-9]|[12][0-9]|3[01])", r"(?:0?[1-9]|1[0-2])"
_SHAPES = ("[0-9]{4}%s" + _M + "%s" + _D, "(?:" + _D + "%s" + _M + "|" + _M + "%s" + _D + ")%s[0-9]{4}")
_DATE = (
    "^(?:"
    + "|".join(shape.replace("%s", sign) for shape in _SHAPES for sign in ("-", "/", "[.]"))
    + ")(?:[T ]|$)"
)


def kind_of(name: str, cells: pa.ChunkedArray) -> Kind:
    """Return the kind of a column; the first rule that fits wins.

    >>> kind_of("ssn", pa.chunked_array([[536221111, 219099999]]))
    'id'
    """
    kind = value_type(cells.type)
    if pa.types.is_dictionary(cells.type) and len(dictionary_values(cells)):
        return "ordinal" if cells.type.ordered else "categorical"
    present = pc.drop_null(plain_cells(cells))
    if pa.types.is_floating(kind):
        present = present.filter(pc.invert(pc.is_nan(present)))
    if len(present) == 0:
        return "all_missing"
    if pa.types.is_boolean(kind):
        return "boolean"
    distinct = int(pc.count_distinct(present).as_py())
    if distinct == 1 and len(present) == len(cells):
        return "constant"
    if time_units(kind):
        return time_kind(kind)
    return _text_kind(name, present, distinct) if is_text(kind) else _number_kind(name, present, distinct)


def named_like_id(name: str) -> bool:
    """Say whether a name ends in a word for what identifies: `customer_id`, `orderNo`, `email address`.

    >>> [named_like_id(name) for name in ("patientID", "card-number", "phone_2", "humid", "account_balance")]
    [True, True, True, False, False]
    """
    words = [word.lower() for word in _TOKEN.findall(name)]
    if words[1:] and words[-1] == "address":
        words.pop()
    return bool(words) and (words[-1] in _ID_WORDS or words[0] in _FIRST_WORDS)


def dictionary_values(cells: pa.ChunkedArray) -> pa.Array:
    """Return the values that a dictionary column lists, used or not, without missing ones."""
    found = cells.unify_dictionaries().combine_chunks()
    parts = [found] if isinstance(found, pa.Array) else found.chunks
    values = parts[0].dictionary if parts else pa.array([], cells.type.value_type)
    values = pc.unique(pc.drop_null(values))
    if pa.types.is_floating(values.type):
        values = values.filter(pc.is_finite(values))  # NaN is missing, and infinity is refused with the rows
    return values


def plain_cells(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the cells in a type that Arrow can count, sort and compare."""
    kind = value_type(cells.type)
    if str(kind) == "string_view":
        kind = pa.large_string()
    kind = pa.float32() if pa.types.is_float16(kind) else kind
    return cells.cast(kind)


def is_text(kind: pa.DataType) -> bool:
    """Say whether a type is text, in any of its three layouts."""
    return str(kind) in {"string", "large_string", "string_view"}


def _text_kind(name: str, present: pa.ChunkedArray, distinct: int) -> Kind:
    """What identifies a row is an id, mostly different sentences are free text, the rest are levels."""
    rows, text = len(present), pc.utf8_trim_whitespace(present.cast(pa.large_string()))
    if 2 * distinct <= rows:
        return "categorical"
    if rows > 1 and pc.all(pc.match_substring_regex(text, _EMAIL_OR_UUID)).as_py():
        return "id"
    spaces = pc.count_substring_regex(text, r"\s+")
    one_word = not pc.any(pc.greater(spaces, 0)).as_py()
    if one_word and distinct == rows > 1 and named_like_id(name):
        return "text" if _like_dates(text) else "id"
    if rows >= MANY_ROWS or (rows >= FEWEST_ROWS and distinct >= NEARLY_ALL * rows):
        # Levels that hardly ever come twice teach little and would copy what identifies a row.
        return "id" if one_word and not _like_dates(text) else "text"
    sentences = rows >= FEWEST_ROWS and pc.mean(spaces).as_py() >= 3
    return "text" if sentences else "categorical"


def _like_dates(text: pa.ChunkedArray) -> bool:
    """Say whether most texts look like dates: in their shape an id would have a 47th day of a 99th month."""
    return bool(2 * pc.sum(pc.match_substring_regex(text, _DATE)).as_py() > len(text))


def _number_kind(name: str, present: pa.ChunkedArray, distinct: int) -> Kind:
    kind, rows = present.type, len(present)
    if not _countable(present):
        return "id" if distinct == rows else "categorical"
    if distinct == rows > 1 and named_like_id(name) and _whole(present):
        return "id"
    if pa.types.is_floating(kind) or not _whole(present):
        return "numerical"
    if distinct == rows >= FEWEST_ROWS and _is_sequence(present):
        return "id"
    return "ordinal" if distinct <= FEW and rows >= FEWEST_ROWS else "numerical"


def _whole(present: pa.ChunkedArray) -> bool:
    """Say whether all are whole numbers; a single blank turns whole numbers into floats in pandas."""
    kind = present.type
    if pa.types.is_floating(kind):
        return bool(pc.all(pc.equal(pc.trunc(present), present)).as_py() and _finite(present))
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))


def _finite(present: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.is_finite(present)).as_py())


def _countable(present: pa.ChunkedArray) -> bool:
    """Say whether the numbers can be counted in steps of 64 bits; longer ones can only be told apart."""
    kind = present.type
    if pa.types.is_floating(kind):
        return True
    ends = pc.min_max(present).as_py()
    steps = 10 ** max(0, -round(math.log10(decimal_resolution(present)))) if pa.types.is_decimal(kind) else 1
    return bool(max(abs(ends["min"]), abs(ends["max"])) * steps < 2**62)


def _is_sequence(present: pa.ChunkedArray) -> bool:
    ends = pc.min_max(present).as_py()
    return int(ends["max"]) - int(ends["min"]) + 1 == len(present)
