"""Numbers from text and back, exactly."""

from __future__ import annotations

import math
import random
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings, strategies as st

from understudy.table import csv_numbers as numbers


def column(*cells: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])


@pytest.mark.parametrize("cell", ["0", "-1", "9223372036854775807", "-9223372036854775808"])
def test_64_bit_integers_are_read(cell: str) -> None:
    assert numbers.read_integers(column(cell, None)).to_pylist() == [int(cell), None]


@pytest.mark.parametrize(
    "cell", ["-0", "00", "007", "+1", " 1", "1 ", "0x1", "1.0", "1e3", "9223372036854775808", "\u0663"]
)
def test_other_spellings_are_not_64_bit_integers(cell: str) -> None:
    assert numbers.read_integers(column("1", cell)) is None


def test_ten_thousand_long_ids_with_blanks_stay_exact() -> None:
    rng = random.Random(0)
    cells = [None if rng.random() < 0.1 else str(rng.randrange(2**53, 2**128)) for _ in range(10_000)]
    values = numbers.read_big_integers(column(*cells))
    assert values.to_pylist() == [None if cell is None else Decimal(cell) for cell in cells]
    assert numbers.decimal_text(values.chunk(0)).to_pylist() == cells


def test_integers_of_76_digits_are_exact_and_longer_ones_stay_text() -> None:
    assert numbers.read_big_integers(column("9" * 76, "-" + "9" * 76)).type == pa.decimal256(76, 0)
    assert numbers.read_big_integers(column("9" * 77)) is None
    assert numbers.read_big_integers(column("9" * 38)).type == pa.decimal128(38, 0)


@pytest.mark.parametrize("cell", ["12.50", "-0.00", "0.05", "9999999999999.99", "-1234567890123.45", "0.10"])
def test_a_fixed_number_of_decimals_prints_the_same_again(cell: str) -> None:
    values = numbers.read_fixed(column(cell, None), 2)
    assert numbers.fixed_text(values.chunk(0), 2).to_pylist() == [cell, None]
    assert math.copysign(1, values[0].as_py()) == (-1 if cell.startswith("-") else 1)


@pytest.mark.parametrize(
    "cell", ["1.5", "1.555", "01.50", "+1.50", "1.5e0", "99999999999999999.99", "nan", ".50"]
)
def test_other_spellings_have_not_a_fixed_number_of_decimals(cell: str) -> None:
    assert numbers.read_fixed(column("1.50", cell), 2) is None


@settings(max_examples=500)
@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(1, 15))
def test_fifteen_digits_always_survive_a_float(steps: int, decimals: int) -> None:
    cell = f"{Decimal(steps).scaleb(-decimals):f}"
    assert numbers.fixed_text(pa.array([float(cell)]), decimals).to_pylist() == [cell]


_EXACT = """
0.1 1e5 1E5 1e+05 1e-05 -0 -0.0 .5 5. 1e308 1.7976931348623157e308 2.2250738585072014e-308 5e-324 -5e-324 0e0
0.30000000000000004 9007199254740992 0.000 1.000000000000000000000 1.000000000000000056e-01 1e22
1.233999999999999986e+00 100000000000000000000 0.1000000000000000055511151231257827
"""
_CHANGED = """
1e999 -1e999 1e-999 1e-400 inf nan NaN Infinity 9007199254740993 0.12345678901234567890 4.94065645841247e-324
3e-324 1e5x 1e 1.2.3 0x1p3 01.5 +1.5 1_0.5 . - 00.1 123456789.123456789 9007199254740993.5e-1
1.234000000000000008
0.1e-99999999999 1.5e1e1
"""


@pytest.mark.parametrize("cell", _EXACT.split())
def test_a_float_that_keeps_its_number_is_read(cell: str) -> None:
    values = numbers.read_floats(column("1.5", cell))
    assert values.to_pylist() == [1.5, float(cell)]
    assert math.copysign(1, values[1].as_py()) == math.copysign(1, float(cell))


@pytest.mark.parametrize("cell", _CHANGED.split())
def test_a_float_that_would_change_is_not_read(cell: str) -> None:
    assert numbers.read_floats(column("1.5", cell)) is None


@settings(max_examples=500)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(9.11353902114933e99)  # its 17 digits end in a nought, which "%.17g" leaves out
def test_every_float_survives_its_own_print(value: float) -> None:
    for cell in (repr(value), f"{value:.17g}", f"{value:.18e}"):
        # A whole number of 17 digits without an exponent may just as well be one that no float holds.
        if not cell.lstrip("-").isdigit() or Decimal(cell) == Decimal(repr(value)):
            assert numbers.read_floats(column("0.5", cell)).to_pylist() == [0.5, value]
    text = numbers.float_text(pa.array([value])).to_pylist()[0]
    assert float(text) == value and math.copysign(1, float(text)) == math.copysign(1, value)


def test_long_decimals_become_exact_decimals() -> None:
    values = numbers.read_decimals(column("12345678901234567890.12", "-0.01"), 2)
    assert values.type == pa.decimal128(38, 2)
    assert numbers.decimal_text(values.chunk(0)).to_pylist() == ["12345678901234567890.12", "-0.01"]
    assert numbers.read_decimals(column("1.5", "-0.0"), 1) is None
    assert numbers.read_decimals(column("0." + "1" * 80), 80) is None


def test_tiny_decimals_are_printed_without_an_exponent() -> None:
    values = pa.array([Decimal("0.0000000001"), None, Decimal("1.0000000000")], pa.decimal128(20, 10))
    assert numbers.decimal_text(values).to_pylist() == ["0.0000000001", None, "1.0000000000"]


def test_a_cell_with_more_decimals_is_printed_in_full() -> None:
    values = pa.array([0.125, 1e300, float("inf"), None, float("nan"), 2.5])
    assert numbers.fixed_text(values, 2).to_pylist() == ["0.125", "1e+300", "inf", None, None, "2.50"]


def test_whole_floats_get_a_point_on_request() -> None:
    assert numbers.float_text(pa.array([1.0, -2.0, 1e20]), point=True).to_pylist() == ["1.0", "-2.0", "1e+20"]


def test_scaled_counts_are_padded() -> None:
    steps, signs = np.array([5, 1_005, 0]), np.array([True, False, False])
    assert numbers.scaled_text(steps, 3, signs).to_pylist() == ["-0.005", "1.005", "0.000"]
    assert numbers.scaled_text(steps, 0, signs).to_pylist() == ["-5", "1005", "0"]


@pytest.mark.parametrize("cell", ["9223372036854775808", "-18446744073709551616", "9223372036854775808.0"])
def test_a_whole_number_that_a_float_prints_as_another_is_no_float(cell: str) -> None:
    assert numbers.read_floats(column("0.5", cell)) is None


@pytest.mark.parametrize("cell", ["9007199254740992", "1000000000000000000000", "0.1000000000000000055511"])
def test_a_number_that_a_float_gives_back_is_a_float(cell: str) -> None:
    assert numbers.read_floats(column("0.5", cell)).to_pylist() == [0.5, float(cell)]
