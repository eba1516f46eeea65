import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.codec.ruler import between, shares

STEPS = st.integers(-(2**62) + 1, 2**62 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def halfway(low, high):
    return low / 2 + high / 2 if isinstance(low, float) else (low + high) // 2


@given(st.lists(STEPS, min_size=2, max_size=9) | st.lists(FLOATS, min_size=2, max_size=9))
def test_a_value_comes_back_from_its_share(values):
    array = np.array(values)
    low, high = array.min().item(), array.max().item()
    back = between(low, high, shares(array, low, high))
    assert back.dtype == array.dtype
    halved = np.abs(back / 2 - array / 2)  # half of each: the whole range may not be a float
    least = 5e-324 if array.dtype.kind == "f" else 0
    assert (halved <= (high / 2 - low / 2) * 2.0**-50 + least).all()


@given(STEPS, STEPS)
def test_the_ends_of_steps_are_exact(one, other):
    low, high = min(one, other), max(one, other)
    assert between(low, high, np.array([0.0, 1.0])).tolist() == [low, high]


@given(FLOATS, FLOATS)
def test_the_ends_of_floats_are_exact(one, other):
    low, high = min(one, other), max(one, other)
    back = between(low, high, np.array([0.0, 1.0]))
    assert back[1] == high
    assert back[0] == low or high == low or abs(low) < abs(high) * 2.0**-1000


@given(st.integers(-(2**40), 2**40), st.integers(0, 2**40), st.data())
def test_steps_are_exact_within_a_range_that_a_float_can_count(low, span, data):
    values = np.array(data.draw(st.lists(st.integers(low, low + span), min_size=1, max_size=9)))
    assert between(low, low + span, shares(values, low, low + span)).tolist() == values.tolist()


@given(FLOATS | STEPS, FLOATS | STEPS, st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=9))
def test_nothing_comes_back_from_outside_the_ends(one, other, share):
    low, high = sorted([one, other]) if type(one) is type(other) else (one, one)
    back = between(low, high, np.array(share))
    assert ((back >= low) & (back <= high)).all()


@pytest.mark.parametrize("value", [0, -(2**62) + 1, 0.0, 5e-324, 1.7e308])
def test_a_constant_stands_at_zero_and_comes_back(value):
    share = shares(np.array([value]), value, value)
    assert share.tolist() == [0.0]
    assert between(value, value, share).tolist() == [value]


def test_ends_may_be_arrays():
    low, high = np.array([0, 10]), np.array([10, 30])
    assert shares(np.array([5, 15]), low, high).tolist() == [0.5, 0.25]
    assert between(low, high, np.array([0.5, 0.25])).tolist() == [5, 15]
