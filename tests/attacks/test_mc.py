"""MC: the known answer, and twins at a radius of nothing."""

import numpy as np
import pytest

from attacks.tried import laws, scores
from understudy.attacks.mc import MC


def test_the_score_is_the_share_within_the_median_nearest_distance():
    # Nearest squares 1 and 4, median 2.5: one of three rows is that near to 0, none to 10.
    assert scores(MC(), [0.0], [1.0, 2.0, 12.0], others=[10.0]) == pytest.approx([1 / 3])
    assert scores(MC(), [10.0], [1.0, 2.0, 12.0], others=[0.0]).tolist() == [0.0]


def test_twins_count_although_the_radius_is_nothing():
    found = scores(MC(), [1.0, 2.0, 3.0], [1.0, 2.0, 3.0], others=[1.0, 9.0, 8.0])
    assert found == pytest.approx([1 / 3] * 3)


def test_a_row_on_the_radius_is_inside():
    found = scores(MC(), [0.0, 0.0], [0.3, 7.0], others=[0.6, 6.7])
    assert found == pytest.approx([0.5, 0.5])


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (MC()(laws(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
    assert np.isfinite(fresh.value)
