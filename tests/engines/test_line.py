import numpy as np
import pytest
from scipy import stats

from understudy.engines.line import kolmogorov_smirnov, paired_quantiles, transport


def samples(seed):
    rng = np.random.default_rng(seed)
    return np.round(rng.normal(size=rng.integers(2, 60)), 1), np.round(
        rng.normal(size=rng.integers(2, 60)), 1
    )


@pytest.mark.parametrize("seed", range(20))
def test_both_distances_agree_with_scipy(seed):
    one, other = samples(seed)
    assert kolmogorov_smirnov(one, other) == pytest.approx(stats.ks_2samp(one, other).statistic, abs=1e-12)
    assert transport(one, other) == pytest.approx(stats.wasserstein_distance(one, other), abs=1e-12)


def test_ks_of_1_2_3_4_and_3_4_5_6_is_a_half():
    assert kolmogorov_smirnov(np.arange(1.0, 5.0), np.arange(3.0, 7.0)) == 0.5


def test_equal_samples_in_any_order_and_repeated_are_at_0_exactly():
    one = np.array([0.1, 0.7, 0.3, np.nan])
    other = np.tile(one[::-1], 3)
    assert kolmogorov_smirnov(one, other) == 0.0
    assert transport(one, other) == 0.0


def test_cells_that_went_missing_are_seen():
    whole = np.arange(10.0)
    holes = np.where(whole % 2 == 0, np.nan, whole)
    assert kolmogorov_smirnov(whole, holes) == pytest.approx(0.5)
    assert transport(whole / 10, holes / 10) >= 0.5
    assert kolmogorov_smirnov(whole, np.full(3, np.nan)) == 1.0
    assert transport(whole, np.full(3, np.nan)) == 1.0
    assert kolmogorov_smirnov(np.full(2, np.nan), np.full(3, np.nan)) == 0.0
    assert transport(np.full(2, np.nan), np.full(3, np.nan)) == 0.0


def test_the_direction_of_the_line_does_not_matter_where_cells_are_missing():
    one, other = np.array([1.0, 2.0, np.nan, np.nan]), np.array([1.0, 2.0, 3.0, np.nan])
    assert kolmogorov_smirnov(one, other) == kolmogorov_smirnov(-one, -other)


def test_equal_sizes_are_paired_in_order_and_the_shorter_repeats_itself_evenly():
    one, other = np.array([3.0, np.nan, 1.0, 2.0]), np.array([30.0, 10.0, 20.0])
    assert paired_quantiles(one, other).tolist() == [[1, 10], [2, 20], [3, 30]]
    found = paired_quantiles(np.array([1.0, 2.0]), np.arange(6.0))
    assert found[:, 0].tolist() == [1, 1, 1, 2, 2, 2]
    assert paired_quantiles(np.array([np.nan]), np.arange(3.0)).shape == (0, 2)
