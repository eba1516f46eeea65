"""Places of a quantity: ranges, values outside them, ranges without width, missing cells."""

import numpy as np
import pytest

from understudy.engines.transport.place import joint_range, missing_reach, placed


def test_values_outside_the_range_keep_their_distance():
    assert placed(np.array([-5.0, 0.0, 10.0, 1000.0]), 0.0, 10.0).tolist() == [-0.5, 0.0, 1.0, 100.0]


def test_values_beyond_a_million_ranges_lie_there():
    assert placed(np.array([1e300, -1e300]), 0.0, 1e-9).tolist() == [1e6, -1e6]


def test_a_range_wider_than_the_largest_float_is_no_accident():
    huge = np.finfo(np.float64).max
    assert placed(np.array([-huge, 0.0, huge]), -huge, huge).tolist() == [0.0, 0.5, 1.0]


def test_a_range_without_width_tells_no_unit():
    for unit in (1e-6, 1.0, 1e6):
        assert placed(unit * np.array([3.0, 4.0, 2.9]), unit * 3.0, unit * 3.0).tolist() == [0.0, 1.0, -1.0]


def test_missing_cells_stay_missing():
    values = np.array([1.0, np.nan])
    for low, high in ((0.0, 2.0), (1.0, 1.0), (np.nan, np.nan)):
        assert np.isnan(placed(values, low, high)).tolist() == [False, True]


def test_a_missing_cell_is_one_from_the_whole_range_and_further_from_what_is_outside():
    assert missing_reach(np.array([-0.5, 0.0, 1.0, 3.0])).tolist() == [1.5, 1.0, 1.0, 3.0]


def test_the_joint_range_sees_both_samples():
    assert joint_range(np.array([1.0, np.nan]), np.array([5.0])) == (1.0, 5.0)
    assert joint_range(np.array([np.nan]), np.array([np.nan])) == pytest.approx((np.nan, np.nan), nan_ok=True)
