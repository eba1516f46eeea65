"""Values come back from the line, ranges take their room on it, and no size of a column is too much."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.engines.forest.line import Numbers, Steps

STEPS = st.integers(-(2**62), 2**62)


@given(st.integers(-(2**62), 2**62 - 10_000), st.lists(st.integers(0, 9_999), min_size=1))
def test_steps_come_back_wherever_they_lie(base, offsets):
    column = base + np.array(offsets)
    line = Steps(int(column.min()), int(column.max()))
    assert line.values(line.places(column)).tolist() == column.tolist()
    assert line.blur == 0


@given(st.lists(STEPS, min_size=1, max_size=20))
def test_steps_come_back_as_exactly_as_the_line_can_tell(column):
    column = np.array(column)
    line = Steps(int(column.min()), int(column.max()))
    back = line.values(line.places(column))
    assert all(abs(int(one) - int(other)) <= line.blur for one, other in zip(back, column, strict=True))


@pytest.mark.parametrize("power", [-1073, -1030, 0, 1020])
def test_numbers_come_back(power):
    column = np.ldexp(np.array([0.5, -1.25, 7.0]), power)
    line = Numbers(float(column.min()), float(column.max()))
    assert np.allclose(np.ldexp(line.values(line.places(column)), -power), np.ldexp(column, -power))
    assert line.places(column).min() == -1 and line.places(column).max() == 1


def test_numbers_from_end_to_end_of_the_floats_come_back():
    column = np.array([1.7e308, -1.7e308, 0.0])
    line = Numbers(-1.7e308, 1.7e308)
    assert line.values(line.places(column)).tolist() == column.tolist()
    assert line.log_unit == pytest.approx(np.log(1.7e308))


def test_a_step_takes_the_room_that_rounds_to_it():
    line = Steps(0, 3)
    assert line.room(0.5, 2.4) == (-0.5, 0.5)
    assert [ends.tolist() for ends in line.span(np.array([0, 3]))] == [[-1.0, 0.5], [-0.5, 1.0]]
    assert line.values(np.array([-1.0, -0.51, -0.49, 1.0])).tolist() == [0, 0, 1, 3]


@given(STEPS, STEPS, STEPS)
def test_a_range_of_steps_is_held_exactly(first, low, high):
    line = Steps(first, 2**62)
    held = line.held(low, high).tolist()
    if low <= high and high >= first:
        assert held == [max(low, first), high]
        assert line.room(low, high)[0] <= line.room(low, high)[1]
    else:
        assert held[0] > held[1]


def test_a_range_beyond_the_column_has_no_room():
    for line in (Numbers(0.0, 1.0), Steps(0, 1)):
        low, high = line.room(5.0, np.inf)
        assert low == high == 1.0
        first, last = line.held(5.0, np.inf)
        assert first > last
    assert Steps(0, 1).room(0.2, 0.8) == (0.0, 0.0)
    assert Numbers(0.0, 1.0).held(-np.inf, np.inf).tolist() == [0.0, 1.0]
