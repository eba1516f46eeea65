"""Numbers from text and back: a type is taken only if it gives the same number back."""

from __future__ import annotations

import re
from decimal import Context, Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from understudy.table.csv_trial import all_true, is_same_text, try_type

__all__ = ["MOST_DECIMALS", "decimal_text", "fixed_text", "float_text", "scaled_text"]
__all__ += ["read_big_integers", "read_decimals", "read_fixed", "read_floats", "read_integers"]

MOST_DECIMALS = 15
FLOAT = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?$"
SMALL = 1e-290  # well above the denormals, which hold fewer than 15 digits
_WHOLE = re.compile(r"-?[0-9]+(?:\.0*)?")
EXACT = 15  # any decimal of so many digits survives a float64


def read_integers(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return the cells as int64 if every one is a 64-bit integer in its plain spelling."""
    return try_type(cells, pa.int64(), lambda text, values: is_same_text(pc.cast(values, pa.string()), text))


def read_big_integers(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return plain integers of up to 76 digits as exact decimals."""
    if not all_true(pc.match_substring_regex(cells, "^-?(?:0|[1-9][0-9]*)$")):
        return None
    return _read_exact(cells, scale=0)


def read_decimals(cells: pa.ChunkedArray, decimals: int) -> pa.ChunkedArray | None:
    """Return numbers that all have `decimals` decimals as exact decimals."""
    if not all_true(pc.match_substring_regex(cells, rf"^-?(?:0|[1-9][0-9]*)\.[0-9]{{{min(decimals, 77)}}}$")):
        return None
    return _read_exact(cells, decimals)


def _read_exact(cells: pa.ChunkedArray, scale: int) -> pa.ChunkedArray | None:
    longest = pc.max(pc.binary_length(cells)).as_py()  # counts sign and point too: a little too careful
    if longest > 78 or scale > 76:
        return None
    kind = pa.decimal128(38, scale) if longest <= 38 else pa.decimal256(76, scale)
    return try_type(cells, kind, lambda text, values: is_same_text(decimal_text(values), text))


def read_fixed(cells: pa.ChunkedArray, decimals: int) -> pa.ChunkedArray | None:
    """Return numbers that all have `decimals` decimals as float64, if each prints the same again."""
    if decimals > MOST_DECIMALS:
        return None
    shape = rf"^-?(?:0|[1-9][0-9]*)\.[0-9]{{{decimals}}}$"

    def holds(text: pa.Array, values: pa.Array) -> bool:
        if not all_true(pc.match_substring_regex(text, shape)):
            return False
        # Fifteen digits and a point always survive; only longer numbers must be printed to know.
        short = all_true(pc.less_equal(pc.binary_length(text), EXACT + 1))
        return short or is_same_text(fixed_text(values, decimals), text)

    return try_type(cells, pa.float64(), holds)


def read_floats(cells: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return numbers in any plain or exponent spelling as float64, if none changes by it."""
    return try_type(cells, pa.float64(), _survive)


def _survive(cells: pa.Array, values: pa.Array) -> bool:
    if not all_true(pc.match_substring_regex(cells, FLOAT)) or not all_true(pc.is_finite(values)):
        return False
    odd = _not_shortest(cells, values, pc.greater(pc.binary_length(cells), EXACT))
    # Below the normal range fewer digits are held, and a tiny number may have become 0.
    odd += _not_shortest(cells, values, pc.less(pc.abs(values), SMALL))
    return all(map(_is_print_of_a_float, odd))


def _not_shortest(cells: pa.Array, values: pa.Array, chosen: pa.Array) -> list[str]:
    """Return the distinct chosen cells that are not spelled in the shortest form of their float."""
    cells, values = cells.filter(chosen), values.filter(chosen)
    odd: list[str] = cells.filter(pc.not_equal(pc.cast(values, pa.string()), cells)).unique().to_pylist()
    return odd


def _is_print_of_a_float(text: str) -> bool:
    """Say whether the text is the number that a float64 holds, or that float printed at full length."""
    value = float(text)
    if Decimal(text) == Decimal(repr(value)):
        return True
    if _WHOLE.fullmatch(text):  # a float of this size would be written back as another whole number
        return False
    digits = len(re.sub(r"[eE].*|\D", "", text).lstrip("0"))
    # 17 digits tell any two floats apart; a print at that length may have lost a nought at its end.
    return Context(prec=max(digits, 17)).plus(Decimal(value)) == Decimal(text)


def float_text(values: pa.Array, *, point: bool = False) -> pa.Array:
    """Print floats in their shortest form; `point` writes whole numbers as 1.0, NaN is missing.

    >>> float_text(pa.array([1.0, 0.1, None])).to_pylist()
    ['1', '0.1', None]
    """
    text = pc.cast(values, pa.string())
    text = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.string()), text)
    return pc.replace_substring_regex(text, r"^(-?[0-9]+)$", r"\1.0") if point else text


def fixed_text(values: pa.Array, decimals: int) -> pa.Array:
    """Print float64 with a fixed number of decimals; a cell that needs more is printed in full.

    >>> fixed_text(pa.array([12.5, -0.0, 0.125]), 2).to_pylist()
    ['12.50', '-0.00', '0.125']
    """
    numbers = np.asarray(pc.fill_null(values, 0.0))
    size, scale = np.abs(numbers), 10.0**decimals
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.rint(size * scale)
        exact = (steps < 2**53) & (steps / scale == size)
    whole = np.where(exact, steps, 0).astype(np.int64)
    text = scaled_text(whole, decimals, np.signbit(numbers))
    if not exact.all():
        text = pc.if_else(pa.array(exact), text, float_text(values))
    return pc.if_else(pc.is_valid(values), text, pa.scalar(None, pa.string())) if values.null_count else text


def scaled_text(steps: NDArray[np.int64], decimals: int, negative: NDArray[np.bool_]) -> pa.Array:
    """Print non-negative counts of 10**-decimals, with a minus sign where `negative`.

    >>> scaled_text(np.array([1250]), 2, np.array([True])).to_pylist()
    ['-12.50']
    """
    high, low = np.divmod(steps, 10**decimals)
    text = pc.cast(pa.array(high), pa.string())
    if decimals:
        rest = pc.ascii_lpad(pc.cast(pa.array(low), pa.string()), decimals, "0")
        text = pc.binary_join_element_wise(text, rest, ".")
    if not negative.any():
        return text
    sign = pc.if_else(pa.array(negative), "-", "")
    return pc.binary_join_element_wise(sign, text, "")


def decimal_text(values: pa.Array) -> pa.Array:
    """Print decimals with all their decimals and never with an exponent."""
    text = pc.cast(values, pa.string())
    scientific = pc.fill_null(pc.match_substring(text, "E"), False)
    if not pc.any(scientific).as_py():
        return text
    # Arrow prints tiny decimals as 1E-7; they are rare enough to be spelled out one by one.
    plain = [format(value, "f") for value in values.filter(scientific).to_pylist()]
    return pc.replace_with_mask(text, scientific, pa.array(plain, pa.string()))
