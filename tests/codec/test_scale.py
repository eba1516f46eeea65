import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.codec.scale import Scale
from understudy.missing import MISSING_STEP

STEPS = st.lists(st.integers(-(2**62) + 1, 2**62 - 1), min_size=1, max_size=30)
FLOATS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30)


def round_trip(coder, values):
    block = coder.encode(values, None).astype(np.float32)
    assert block.shape == (len(values), 1)
    assert np.isfinite(block).all()
    back = coder.decode(block)
    assert back.dtype == values.dtype == coder.dtype
    return back


def halves(one, other):
    return np.abs(one / 2 - other / 2)  # the difference of two extreme floats is no float


@given(STEPS | FLOATS)
def test_min_max_keeps_values_within_its_precision(values):
    array = np.array(values)
    coder = Scale.minmax(array.min().item(), array.max().item())
    width = halves(array.max(), array.min())
    assert (halves(round_trip(coder, array), array) <= width * 2.0**-24 + 5e-324).all()


@given(STEPS | FLOATS)
def test_standard_keeps_values_within_its_precision(values):
    array = np.array(values)
    width = halves(array.max(), array.min())
    assert (halves(round_trip(Scale.standard(array), array), array) <= width * 2.0**-22 + 5e-324).all()


@given(st.integers(-(2**61), 2**61), st.lists(st.integers(0, 2**22 - 1), min_size=1, max_size=30))
def test_steps_are_exact_in_a_range_of_four_million_wherever_it_lies(origin, offsets):
    values = np.array(offsets) + origin
    assert round_trip(Scale.standard(values), values).tolist() == values.tolist()
    assert round_trip(Scale.minmax(origin, origin + 2**22), values).tolist() == values.tolist()


def test_standard_gives_mean_zero_and_deviation_one():
    values = np.random.default_rng(0).gamma(2.0, 50.0, 10_000) + 1e6
    number = Scale.standard(values).encode(values, None)
    assert abs(number.mean()) < 1e-9
    assert abs(number.std() - 1) < 1e-9


def test_min_max_puts_the_bounds_at_minus_one_and_one():
    assert Scale.minmax(-5.0, 15.0).encode(np.array([-5.0, 5.0, 15.0]), None).ravel().tolist() == [-1, 0, 1]


def test_values_outside_the_range_are_moved_to_its_end():
    coder = Scale.minmax(0, 10)
    assert round_trip(coder, np.array([-7, 99])).tolist() == [0, 10]
    assert coder.decode(np.array([[-3.0], [3.0]])).tolist() == [0, 10]


def test_missing_entries_get_the_middle_or_a_draw():
    steps, floats = np.array([0, MISSING_STEP, 10]), np.array([0.0, np.nan, 10.0])
    assert Scale.minmax(0, 10).encode(steps, None).ravel().tolist() == [-1, 0, 1]
    assert Scale.minmax(0.0, 10.0).encode(floats, None).ravel().tolist() == [-1, 0, 1]
    drawn = Scale.minmax(0, 10).encode(steps, np.random.default_rng(0)).ravel()
    assert drawn[0] == -1
    assert drawn[2] == 1
    assert 0 < abs(drawn[1]) <= 1


@pytest.mark.parametrize("value", [7, 0.25, 5e-324])
def test_a_constant_survives(value):
    values = np.array([value] * 3)
    assert round_trip(Scale.standard(values), values).tolist() == [value] * 3
    assert round_trip(Scale.minmax(value, value), values).tolist() == [value] * 3
