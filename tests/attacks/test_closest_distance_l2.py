"""Closest distance, L2: units do not matter, copies are seen."""

import pytest

from attacks.tried import laws, scores
from understudy.attacks.closest_distance_l2 import ClosestDistanceL2


def test_the_score_is_minus_the_distance_over_the_range_of_synthetic_rows():
    found = scores(ClosestDistanceL2(), [(0.0, 0.0), (10.0, 2.0)], [(3.0, 0.0), (13.0, 4.0)])
    assert found == pytest.approx([-0.3, -((0.3**2 + 0.5**2) ** 0.5)])


def test_the_widest_column_does_not_decide_alone():
    # Far in the narrow column, near in the wide one; unscaled, the first target would seem the nearer.
    synthetic = [(0.0, 0.0), (1.0, 10_000.0)]
    found = scores(ClosestDistanceL2(), [(5.0, 1.0), (0.0, 20.0)], synthetic)
    assert found[0] < found[1]


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (ClosestDistanceL2()(laws(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
