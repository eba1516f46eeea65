import numpy as np
import pytest

from understudy.engines.neighbours.mixed import Mixed
from understudy.engines.neighbours.vectors import Vectors
from understudy.errors import ParameterError


def test_three_and_four_make_five():
    facing = Vectors(np.array([[3.0, 4.0]])).facing(Vectors(np.zeros((1, 2))))
    assert facing.distances(facing.lengths(0, np.array([0]))).tolist() == [5.0]


@pytest.mark.parametrize("scale", [1e-20, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_the_bound_of_a_way_is_within_the_reach_of_its_length(scale, shift):
    rng = np.random.default_rng(1)
    table = Vectors(rng.standard_normal((300, 40)) * scale * 10 ** rng.uniform(-2, 2, (300, 1)) + shift)
    facing = table.facing(table)
    bounds = facing.bounds(0, 300)
    for query in range(300):
        lengths = facing.lengths(query, np.arange(300))
        assert all(bounds[query, j] <= facing.reach(lengths[j]) for j in range(300))


def test_bounds_are_close_enough_to_be_of_use():
    table = Vectors(np.random.default_rng(1).standard_normal((300, 100)))
    facing = table.facing(table)
    lengths = facing.lengths(0, np.arange(300))
    assert np.abs(facing.bounds(0, 1)[0] - lengths).max() < 0.02


def test_the_order_is_that_of_the_coordinates():
    assert Vectors(np.array([[1.0, 2.0], [0.0, 9.0], [1.0, 1.0]])).order().tolist() == [1, 2, 0]
    assert Vectors(np.zeros((2, 0))).order().tolist() == [0, 1]


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e10])
def test_coordinates_that_cannot_be_squared_are_refused(odd):
    with pytest.raises(ParameterError, match="finite coordinates"):
        Vectors(np.array([[odd]]))


def test_queries_of_another_kind_or_width_are_refused():
    table = Vectors(np.zeros((2, 3)))
    for other in (Vectors(np.zeros((2, 2))), Mixed(np.zeros((2, 3)), np.zeros((2, 0), np.int32), np.ones(3))):
        with pytest.raises(ParameterError, match="different columns"):
            table.facing(other)
