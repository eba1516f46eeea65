"""Arrow types as text and back, so that a schema file can name them."""

from __future__ import annotations

import re

import pyarrow as pa

from understudy.errors import SchemaError

__all__ = ["parse_type", "value_type"]

_ZONED = re.compile(r"timestamp\[(s|ms|us|ns), tz=([^\]]+)\]")
_DECIMAL = re.compile(r"decimal(32|64|128|256)\((\d+), ?(-?\d+)\)")
_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(u?int\d+), ordered=([01])>")


def parse_type(text: str) -> pa.DataType:
    """Return the Arrow type that `str` printed as `text`.

    >>> parse_type("timestamp[us, tz=UTC]")
    TimestampType(timestamp[us, tz=UTC])
    >>> parse_type("decimal128(10, 2)")
    Decimal128Type(decimal128(10, 2))
    """
    if found := _DICTIONARY.fullmatch(text):
        indices = pa.type_for_alias(found[2])
        return pa.dictionary(indices, parse_type(found[1]), ordered=found[3] == "1")
    if found := _ZONED.fullmatch(text):
        return pa.timestamp(found[1], tz=found[2])
    try:
        if found := _DECIMAL.fullmatch(text):
            return getattr(pa, f"decimal{found[1]}")(int(found[2]), int(found[3]))
        return pa.type_for_alias(text)
    except (ValueError, AttributeError):
        raise SchemaError(f"schema: {text!r} is not an Arrow type that understudy knows, such as int64.") from None


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the cells: that of the dictionary's values for a dictionary column."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind
