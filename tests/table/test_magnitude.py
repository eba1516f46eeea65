import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.missing import MISSING_STEP
from understudy.table.magnitude import CELLS, LARGEST, SMALLEST, edges_of, magnitude


@given(st.floats(allow_nan=False, min_value=-(2.0**62), max_value=2.0**62))
def test_every_number_lies_between_the_edges_of_its_cell(number):
    low, high = edges_of(int(magnitude(np.array([number]))[0]))
    assert low <= number <= high or abs(number) < 2.0**SMALLEST


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=20))
def test_cells_are_in_the_order_of_their_numbers(numbers):
    cells = magnitude(np.sort(np.array(numbers)))
    assert (np.diff(cells) >= 0).all()


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 1e308, -1e308, 5e-324, 0.0, -0.0])
def test_no_number_falls_outside_the_ladder_or_says_a_word(number):
    cell = int(magnitude(np.array([number]))[0])
    assert 0 <= cell < CELLS


@pytest.mark.parametrize("step", [MISSING_STEP, 2**62, -(2**62), 0, 1, -1])
def test_whole_numbers_have_cells_too(step):
    assert 0 <= int(magnitude(np.array([step]))[0]) < CELLS


def test_neighbouring_cells_share_an_edge():
    edges = [edges_of(cell) for cell in range(CELLS)]
    middle = CELLS // 2
    for (_, high), (low, _) in itertools.pairwise(edges[:middle]):
        assert high == low
    assert edges[middle] == (0.0, 0.0)
    assert edges[-1] == (2.0**LARGEST, 2.0 ** (LARGEST + 1))


def test_the_cell_of_one_number_does_not_depend_on_the_others():
    numbers = np.array([3.0, 1e9, -0.001, 0.0])
    alone = [int(magnitude(numbers[place : place + 1])[0]) for place in range(4)]
    assert magnitude(numbers).tolist() == alone
