"""pandas columns of Python objects: one kind of object per column, or none at all.

An object column can hold anything, so its cells are looked at: text, truth values, whole numbers of any
length, floats, decimals, dates and times have a place in a table, everything else is refused.
"""

from __future__ import annotations

import datetime as dt
import decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from understudy.errors import FrameError
from understudy.table.arrow_plain import conform

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ingest_objects", "restore_objects"]

_WORDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("timedelta", (dt.timedelta, np.timedelta64)),  # first: NumPy counts its timedelta among the integers
    ("str", (str,)),
    ("bool", (bool, np.bool_)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("Decimal", (decimal.Decimal,)),
    ("datetime", (dt.datetime, np.datetime64)),
    ("date", (dt.date,)),
    ("time", (dt.time,)),
)
_TYPES = {
    "none": (pa.string(),),
    "str": (pa.string(), pa.large_string()),
    "bool": (pa.bool_(),),
    "int": (pa.int64(), pa.decimal128(38, 0), pa.decimal256(76, 0)),
    "float": (pa.float64(),),
    "date": (pa.date32(),),
    "time": (pa.time64("us"),),
}
_ADVICE = {
    "datetime": "convert it with pandas.to_datetime",
    "timedelta": "convert it with pandas.to_timedelta",
    "bytes": "leave the column out or decode it to text",
    "list": "give each part its own column",
    "dict": "give each part its own column",
    "complex": "give the real and the imaginary part their own columns",
}


def ingest_objects(name: str, series: pd.Series) -> tuple[pa.Array, str]:
    """Return an object column as Arrow, and the word for what its cells are."""
    values = series.to_numpy(dtype=object, copy=True)
    missing = _missing(name, values)
    values[missing] = None
    word = _word(name, values[~missing])
    for kind in _candidates(word, values):
        try:
            return pa.array(values, type=kind), word
        except (pa.ArrowException, OverflowError, UnicodeError, ValueError):
            continue  # the next, wider type may hold it; when none does, the refusal is below
    raise FrameError(
        f"pandas: column {name!r} holds {word} objects that no Arrow type can hold exactly; repair them."
    )


def restore_objects(name: str, column: pa.ChunkedArray, word: str, kind: pa.DataType) -> np.ndarray:
    """Return Python objects of the kind that `word` names, with None where a value is missing."""
    if word == "int" and pa.types.is_decimal(column.type):
        # A Decimal without decimals is a whole number of any length; floats have no part in it.
        cells = [None if cell is None else int(cell) for cell in column.to_pylist()]
    else:
        cells = conform(name, column, kind).to_pylist()
    objects = np.empty(len(cells), dtype=object)
    objects[:] = cells
    return objects


def _missing(name: str, values: np.ndarray) -> Any:
    import pandas as pd

    try:
        return pd.isna(values)
    except decimal.InvalidOperation:
        raise FrameError(f"pandas: column {name!r} holds a signalling NaN; replace it with None.") from None


def _word(name: str, values: np.ndarray) -> str:
    found = set(map(type, values))
    words = {_word_of(kind) for kind in found}
    if not words:
        return "none"
    if len(words) > 1:
        raise FrameError(
            f"pandas: column {name!r} mixes {' and '.join(sorted(words))} objects; convert it to one type, "
            "for example with .astype(str)."
        )
    word = words.pop()
    if word not in _TYPES and word != "Decimal":
        advice = _ADVICE.get(word, "convert it to text, for example with .astype(str)")
        raise FrameError(f"pandas: column {name!r} holds {word} objects; {advice}.")
    if word == "time" and any(value.tzinfo is not None for value in values):
        raise FrameError(f"pandas: column {name!r} holds times with a time zone; convert it to text.")
    return word


def _word_of(kind: type) -> str:
    for word, types in _WORDS:
        if issubclass(kind, types):
            return word
    return kind.__name__


def _candidates(word: str, values: Any) -> tuple[pa.DataType, ...]:
    if word != "Decimal":
        return _TYPES[word]
    # NaN counts as missing before this; what is left with a letter for an exponent is infinite.
    exponents = [value.as_tuple().exponent for value in values if value is not None]
    if any(isinstance(exponent, str) for exponent in exponents):
        return ()
    scale = max(0, -min(exponents))
    return tuple(
        make(width, scale) for make, width in ((pa.decimal128, 38), (pa.decimal256, 76)) if scale <= width
    )
