"""Columns of text that were meant to be numbers: `27,9`, `1,234,567`, or `NA` among numbers.

One cell that is no number makes a column text, and text that is hardly ever the same twice is an id: every
number of it is lost. Who owns the rows should hear of it. The answer depends on cells, so it is for tables
that may be looked at, and never for a private fit.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from understudy.table.kinds import is_text, named_like_id

__all__ = ["number_like"]

_THOUSANDS = "[1-9][0-9]{0,2}(?:[., '\u2019\u00a0\u202f][0-9]{3})+"
_WHOLE = f"(?:0|[1-9][0-9]{{0,14}}|{_THOUSANDS})"
_SIGNS, _UNITS = "[-\u2212]?(?:[$\u20ac\u00a3] ?)?", "(?: ?[%$\u20ac\u00a3])?"
_NUMBER = f"^{_SIGNS}(?:{_WHOLE}(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+]?[0-9]{{1,3}})?{_UNITS}$"
_CODE = "^-?0[0-9]+$"  # of postcodes and the like: who writes zeros in front means no number


def number_like(arrow: pa.Table) -> list[str]:
    """Return the names of text columns of which most cells look like numbers, ids by name and codes aside.

    >>> number_like(pa.table({"height": ["1,75", "1,8", "unknown"], "postcode": ["8001", "0800", "3000"]}))
    ['height']
    """
    return [
        field.name
        for field in arrow.schema
        if is_text(field.type) and not named_like_id(field.name) and _mostly_numbers(arrow.column(field.name))
    ]


def _mostly_numbers(cells: pa.ChunkedArray) -> bool:
    text = pc.utf8_trim_whitespace(pc.drop_null(cells).cast(pa.large_string()))
    text = text.filter(pc.not_equal(text, ""))
    numbers = pc.sum(pc.match_substring_regex(text, _NUMBER)).as_py() or 0
    return 2 * numbers > len(text) and not pc.any(pc.match_substring_regex(text, _CODE)).as_py()
