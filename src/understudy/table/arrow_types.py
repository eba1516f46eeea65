"""Arrow types as text and back: what a frame and a schema write down about a column.

The text is what pyarrow prints. pyarrow has no reader for it, so this is one, for the types a
table can hold: numbers, truth values, text, decimals, times and dictionaries of those.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa

from understudy.errors import FrameError

__all__ = ["from_text", "to_text", "value_type"]

_SIMPLE: dict[str, pa.DataType] = {
    str(kind): kind
    for kind in (
        pa.null(), pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(),
        pa.uint32(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.string(), pa.large_string(),
        pa.string_view(), pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"),
        pa.time64("ns"), pa.duration("s"), pa.duration("ms"), pa.duration("us"), pa.duration("ns"),
    )
}  # fmt: skip

_DICTIONARY = re.compile(
    r"dictionary<values=(?P<values>.+), indices=(?P<indices>u?int\d+), ordered=(?P<ordered>[01])>"
)
_RUN_ENDS = re.compile(r"run_end_encoded<run_ends: (?P<ends>int\d+), values: (?P<values>.+)>")
_TIMESTAMP = re.compile(r"timestamp\[(?P<unit>s|ms|us|ns)(?:, tz=(?P<zone>.+))?\]")
_DECIMAL = re.compile(r"decimal(?P<bits>32|64|128|256)\((?P<precision>\d+), (?P<scale>-?\d+)\)")


def to_text(kind: pa.DataType) -> str:
    """Write an Arrow type as text that `from_text` reads.

    >>> to_text(pa.timestamp("us", tz="Europe/Berlin"))
    'timestamp[us, tz=Europe/Berlin]'
    """
    return str(kind)


def from_text(text: str) -> pa.DataType:
    """Read the text of an Arrow type.

    >>> from_text("dictionary<values=string, indices=int8, ordered=1>").ordered
    True
    """
    if text in _SIMPLE:
        return _SIMPLE[text]
    for pattern, build in _BUILDERS:
        match = pattern.fullmatch(text)
        if match:
            return _built(build, match, text)
    raise FrameError(
        f"table: {text!r} is not the name of an Arrow type a table can hold; try int64 or string."
    )


def value_type(kind: pa.DataType) -> pa.DataType:
    """Return the type of the cells: that of the dictionary's values for a dictionary column."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _built(build: Callable[[re.Match[str]], pa.DataType], match: re.Match[str], text: str) -> pa.DataType:
    try:
        return build(match)
    except (ValueError, OverflowError, pa.ArrowException):
        raise FrameError(f"table: {text!r} is an Arrow type with impossible settings.") from None


def _dictionary(match: re.Match[str]) -> pa.DataType:
    return pa.dictionary(from_text(match["indices"]), from_text(match["values"]), match["ordered"] == "1")


def _run_ends(match: re.Match[str]) -> pa.DataType:
    return pa.run_end_encoded(from_text(match["ends"]), from_text(match["values"]))


def _timestamp(match: re.Match[str]) -> pa.DataType:
    return pa.timestamp(match["unit"], tz=match["zone"])


def _decimal(match: re.Match[str]) -> pa.DataType:
    # decimal32 and decimal64 came with pyarrow 18; the oldest one we support has no such types.
    return getattr(pa, f"decimal{match['bits']}")(int(match["precision"]), int(match["scale"]))


_BUILDERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], pa.DataType]], ...] = (
    (_DICTIONARY, _dictionary),
    (_RUN_ENDS, _run_ends),
    (_TIMESTAMP, _timestamp),
    (_DECIMAL, _decimal),
)
