import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.engines.box import Box
from understudy.missing import MISSING_STEP


def test_the_ends_go_to_minus_one_and_one_and_come_back_exactly():
    box = Box(("n", "x"), ((3, 7), (-0.5, 2.5)))
    columns = {"n": np.array([3, 5, 7]), "x": np.array([-0.5, 1.0, 2.5])}
    inside = box.inside(columns)
    assert inside.tolist() == [[-1, -1], [0, 0], [1, 1]]
    back = box.outside(inside)
    assert back["n"].tolist() == [3, 5, 7] and back["n"].dtype == np.int64
    assert back["x"].tolist() == [-0.5, 1.0, 2.5]


def test_what_lies_beyond_an_end_counts_as_the_end_and_missing_as_the_middle():
    box = Box(("n", "x"), ((0, 10), (0.0, 1.0)))
    inside = box.inside({"n": np.array([-5, 99, MISSING_STEP]), "x": np.array([-1e300, 1e300, np.nan])})
    assert inside.tolist() == [[-1, -1], [1, 1], [0, 0]]


def test_a_quantity_that_never_varies_survives():
    box = Box(("n",), ((4, 4),))
    assert box.inside({"n": np.array([4, 4])}).ravel().tolist() == [0, 0]
    assert box.outside(np.array([[0.7]]))["n"].tolist() == [4]


@pytest.mark.parametrize("ends", [(-(2**61) + 1, 2**61 - 1), (2**61 - 3, 2**61 - 1)])
def test_steps_that_a_float_cannot_hold_stay_between_their_ends(ends):
    found = Box(("n",), (ends,)).outside(np.array([[-1.0], [-0.3], [1.0]]))["n"]
    assert found.min() >= ends[0] and found.max() <= ends[1]


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.floats(-1e308, 1e308))
def test_every_row_lands_in_the_box(one, other, value):
    ends = (min(one, other), max(one, other))
    box = Box(("x",), (ends,))
    inside = box.inside({"x": np.array([value])})
    assert -1 <= inside[0, 0] <= 1
    assert ends[0] <= box.outside(inside)["x"][0] <= ends[1]
