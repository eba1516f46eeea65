"""Ends of a range on the scale of a column: exact, and never outside what was asked."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.errors import WhereError
from understudy.model.scale import highest, lowest
from understudy.table.schema import Column

WHOLE = Column(name="n", kind="numerical", type="int64", resolution=1.0)
TENS = Column(name="n", kind="numerical", type="int64", resolution=10.0)
CENTS = Column(name="x", kind="numerical", type="double", resolution=0.01)
NARROW = Column(name="x", kind="numerical", type="float", resolution=0.1)
MONEY = Column(name="x", kind="numerical", type="decimal128(20, 3)", resolution=0.001)
PLAIN = Column(name="x", kind="numerical", type="double")
DAYS = Column(name="d", kind="date", type="date32[day]", resolution="day")
MOMENTS = Column(name="t", kind="datetime", type="timestamp[ns]", resolution="nanosecond")
ZONED = Column(name="t", kind="datetime", type="timestamp[ns, tz=Asia/Tokyo]", resolution="nanosecond")
LENGTHS = Column(name="t", kind="duration", type="duration[ns]", resolution="nanosecond")
HOURS = Column(name="t", kind="datetime", type="timestamp[s]", resolution="hour")


@given(st.fractions(min_value=-1_000, max_value=1_000, max_denominator=10**6))
def test_whole_numbers_move_inwards_from_any_fraction(fraction):
    value = Decimal(fraction.numerator) / Decimal(fraction.denominator)
    exact = Fraction(value)
    low, high = lowest(WHOLE, value), highest(WHOLE, value)
    assert low - 1 < exact <= low
    assert high <= exact < high + 1


@given(st.integers(-(2**61), 2**61))
def test_large_whole_numbers_stay_exact(value):
    assert lowest(WHOLE, value) == highest(WHOLE, value) == value


@given(st.floats(-1e6, 1e6))
def test_cents_are_inside_the_range_that_was_asked_for(value):
    assert lowest(CENTS, value) / 100 >= value
    assert highest(CENTS, value) / 100 <= value
    assert lowest(CENTS, value) - highest(CENTS, value) in {0, 1}


@given(st.integers(-(10**6), 10**6))
def test_a_value_on_the_grid_is_its_own_step(step):
    assert lowest(CENTS, step / 100) == highest(CENTS, step / 100) == step
    assert lowest(NARROW, step / 10) == highest(NARROW, step / 10) == step
    assert lowest(MONEY, Decimal(step).scaleb(-3)) == highest(MONEY, Decimal(step).scaleb(-3)) == step


def test_a_resolution_of_ten_counts_tens():
    assert (lowest(TENS, 15), highest(TENS, 15)) == (2, 1)
    assert lowest(TENS, 20) == highest(TENS, 20) == 2


def test_a_float_is_read_as_it_is_written():
    assert lowest(MONEY, 0.1) == highest(MONEY, 0.1) == 100
    assert lowest(PLAIN, "0.1") == highest(PLAIN, 0.1) == 0.1


def test_none_leaves_an_end_open():
    assert (lowest(WHOLE, None), highest(WHOLE, None)) == (-(2**62), 2**62)
    assert (lowest(PLAIN, None), highest(PLAIN, None)) == (float("-inf"), float("inf"))


def test_a_moment_between_two_steps_moves_inwards():
    moment = dt.datetime(1970, 1, 1, 1, 30)
    assert (lowest(HOURS, moment), highest(HOURS, moment)) == (2, 1)
    assert lowest(HOURS, "1970-01-01T02:00:00") == highest(HOURS, "1970-01-01T02:00:00") == 2
    assert (lowest(HOURS, dt.datetime(1970, 1, 1, 1, 0, 0, 1)), highest(HOURS, moment)) == (2, 1)


def test_a_moment_of_a_day_is_not_that_day():
    noon = dt.datetime(1970, 1, 2, 12)
    assert (lowest(DAYS, noon), highest(DAYS, noon)) == (2, 1)
    assert lowest(DAYS, dt.date(1970, 1, 2)) == highest(DAYS, "1970-01-02") == 1


@pytest.mark.parametrize("value", ["1e999999999", "-1e999999999", float("inf"), 10**400])
def test_numbers_beyond_all_steps_end_at_the_last_one_at_once(value):
    assert abs(lowest(WHOLE, value)) == 2**62


@pytest.mark.parametrize(
    "column", [WHOLE, CENTS, MONEY, PLAIN, DAYS, HOURS], ids=lambda c: f"{c.kind} {c.type}"
)
@pytest.mark.parametrize(
    "value",
    [True, "x", "", b"1", [], {}, object(), float("nan"), 1j],
    ids=lambda v: type(v).__name__ + str(v)[:3],
)
def test_what_is_no_value_of_the_column_is_refused(column, value):
    with pytest.raises(WhereError, match="does not fit"):
        lowest(column, value)
    with pytest.raises(WhereError, match="does not fit"):
        highest(column, value)


@pytest.mark.parametrize("column", [MOMENTS, ZONED], ids=["plain", "zoned"])
@pytest.mark.parametrize(
    "value", ["9999-12-31", "2200-01-01", dt.datetime(9999, 12, 31), np.datetime64("9999-12-31")]
)
def test_a_moment_that_nanoseconds_cannot_count_ends_at_the_last_step(column, value):
    assert lowest(column, value) == highest(column, value) == 2**62


def test_moments_and_lengths_far_off_on_either_side_are_clamped():
    assert lowest(MOMENTS, "0001-01-01") == -(2**62)
    assert highest(LENGTHS, dt.timedelta.max) == 2**62
    assert lowest(LENGTHS, "-10000000000 s") == -(2**62)


def test_a_nanosecond_is_still_told_from_the_next():
    assert lowest(MOMENTS, "2024-01-01T00:00:00.000000001") % 10 == 1


def test_a_number_too_large_for_a_narrow_float_ends_at_the_last_step_without_a_warning():
    assert (lowest(NARROW, -1e308), highest(NARROW, 1e308)) == (-(2**62), 2**62)


def test_an_object_that_cannot_be_written_is_refused_like_any_other():
    class Hostile:
        def __str__(self):
            raise RuntimeError("a message that must not escape")

    for column in (WHOLE, CENTS, MONEY, PLAIN, DAYS, HOURS):
        with pytest.raises(WhereError, match="does not fit"):
            lowest(column, Hostile())
