import numpy as np
import pytest

from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanism import Mechanism, Sensitivity
from understudy.privacy.mechanisms.counts import CountTables, Margin


@pytest.mark.parametrize(("norm", "distance"), [("l1", 7.0), ("l2", 5.0), ("linf", 4.0)])
def test_distances_are_those_of_the_norm(norm, distance):
    left, right = np.array([[1, 2], [3, 4]]), np.array([[1, 5], [3, 0]])
    assert Sensitivity(norm, 1.0, "a test").distance(left, right) == distance


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_nothing_is_no_distance_from_nothing(norm):
    assert Sensitivity(norm, 1.0, "a test").distance(np.empty(0), np.empty(0)) == 0


def test_statistics_of_whole_numbers_do_not_wrap_around():
    least, most = np.array([np.iinfo(np.int64).min]), np.array([np.iinfo(np.int64).max])
    assert Sensitivity("l1", 1.0, "a test").distance(least, most) == pytest.approx(2.0**64)


def test_a_mechanism_takes_no_chance_unless_it_says_so():
    assert CountTables((Margin(("a",), (2,)),), DiscreteGaussian(1.0)).chance == 0


def test_a_mechanism_without_its_four_parts_cannot_be_made():
    class Half(Mechanism):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Half()
