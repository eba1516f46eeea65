import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from goodness import ALPHA, p_of_integers
from understudy.errors import ParameterError
from understudy.privacy.noise import normals
from understudy.privacy.on_grid import from_grid, grid_below, rounded_gaussian, rows_to_grid, to_grid
from understudy.privacy.stream import Stream

N = 100_000
GRID = 2.0**-4
ratios = pytest.mark.parametrize("ratio", [0.3, 1.0, 3.3, 64.0, 1e6, 2.0**40])
floats = st.floats(-1e6, 1e6)
grids = st.integers(-20, 5).map(lambda exponent: 2.0**exponent)


def rounded_law(sigma):
    return lambda k: stats.norm.cdf((k + 0.5) / sigma)


@ratios
def test_the_noise_is_accepted_at_its_scale_and_refused_five_percent_off(ratio):
    noise = rounded_gaussian(Stream.unsafe_test_noise(1), np.zeros(N, np.int64), ratio * GRID, GRID)
    assert p_of_integers(noise, rounded_law(ratio), ratio) > 1e-3
    for wrong in (1.05, 1 / 1.05):
        assert p_of_integers(noise, rounded_law(ratio * wrong), ratio) < ALPHA


def test_the_finest_grid_leaves_no_gaps_between_the_steps():
    noise = rounded_gaussian(Stream.unsafe_test_noise(2), np.zeros(1_000_000, np.int64), 2.0**40, 1.0)
    for sample in (noise, noise[np.abs(noise) > 2 * 2**40], noise[np.abs(noise) < 2**32]):
        assert stats.chisquare(np.bincount(sample & 15, minlength=16)).pvalue > 1e-3


def test_neighbouring_noise_is_not_correlated():
    noise = rounded_gaussian(Stream.unsafe_test_noise(3), np.zeros(1_000_000, np.int64), 1.0, GRID)
    assert abs(np.corrcoef(noise[:-1], noise[1:])[0, 1]) < 0.005


def finer_bits(released):
    """Return which outputs prove that the input was 0 and not 1.

    From the input 1, a float sum near nought is a whole number of 2^-53: the summands have no finer bits.
    """
    return (np.abs(released) < 0.5) & (np.ldexp(released, 53) % 1 != 0)


def test_floats_prove_which_input_was_used_and_grids_do_not():
    n, sigma = 1_000_000, 1.0
    naive = 0.0 + sigma * normals(Stream.unsafe_test_noise(4), n, np.float64)
    assert finer_bits(naive).mean() > 0.05
    other = 1.0 + sigma * normals(Stream.unsafe_test_noise(5), n, np.float64)
    assert finer_bits(other).sum() == 0  # so whoever is accused is guilty

    released = [on_grid(value, seed, n, sigma) for value, seed in ((0.0, 6), (1.0, 7))]
    assert [int(finer_bits(outputs).sum()) for outputs in released] == [0, 0]
    assert [int((outputs % GRID != 0).sum()) for outputs in released] == [0, 0]
    # Where both are likely (3.5 sigma of either), every output of one input is an output of the other.
    bulk = [np.unique(outputs[(outputs > 1 - 3.5) & (outputs < 3.5)]) for outputs in released]
    assert np.array_equal(*bulk) and len(bulk[0]) == 6 / GRID - 1


def on_grid(value, seed, n, sigma):
    steps = to_grid(np.full(n, value), GRID)
    return from_grid(rounded_gaussian(Stream.unsafe_test_noise(seed), steps, sigma, GRID), GRID)


def test_the_noise_does_not_depend_on_the_values():
    values = np.array([0, 1, -5, 2**53, -(2**61)], np.int64)
    noisy = rounded_gaussian(Stream.unsafe_test_noise(8), values, 1.0, GRID)
    plain = rounded_gaussian(Stream.unsafe_test_noise(8), np.zeros(5, np.int64), 1.0, GRID)
    assert np.array_equal(noisy - values, plain) and plain.any()


@pytest.mark.parametrize("values", [np.full(1000, 2**63 - 1), np.int64(2**63 - 1)])
def test_a_sum_beyond_64_bits_wraps_around_in_silence(values):
    noisy = rounded_gaussian(Stream.unsafe_test_noise(9), values, 1000.0, 1.0)
    noise = rounded_gaussian(Stream.unsafe_test_noise(9), np.zeros_like(values), 1000.0, 1.0)
    with np.errstate(over="ignore"):
        assert np.array_equal(noisy, values + noise)


@given(st.lists(st.lists(floats, min_size=3, max_size=3), min_size=1, max_size=20), grids)
@settings(max_examples=200, deadline=None)
def test_no_row_grows_on_its_way_to_the_grid(rows, grid):
    rows = np.array(rows)
    steps = rows_to_grid(rows, grid)
    assert (np.abs(steps * grid) <= np.abs(rows)).all()  # so every norm of a row, L1 and L2, stays or shrinks
    assert (np.abs(steps * grid - rows) < grid).all()


@given(st.lists(floats, min_size=1, max_size=20), grids)
@settings(max_examples=200, deadline=None)
def test_a_statistic_moves_by_at_most_half_a_step(values, grid):
    values = np.array(values)
    assert (np.abs(to_grid(values, grid) * grid - values) <= grid / 2).all()


def test_sums_of_rows_differ_by_one_row_exactly():
    rows = normals(Stream.unsafe_test_noise(10), (1000, 5), np.float64)
    rows /= np.maximum(1, np.linalg.norm(rows, axis=1, keepdims=True))
    grid = 2.0**-20
    steps = rows_to_grid(rows, grid)
    difference = from_grid(steps.sum(axis=0) - steps[1:].sum(axis=0), grid)
    assert np.linalg.norm(difference) <= np.linalg.norm(rows[0])
    order = np.argsort(rows[:, 0])
    assert np.array_equal(steps.sum(axis=0), steps[order].sum(axis=0))


@pytest.mark.parametrize("convert", [to_grid, rows_to_grid])
def test_what_is_no_number_counts_as_nought_and_no_warning_tells(convert):
    values = [math.nan, math.inf, -math.inf, 1e300, -1e300, 5e-324, -0.0]
    assert convert(values, 0.5).tolist() == [0, 0, 0, 2**53, -(2**53), 0, 0]
    assert convert(values, 2.0**-500).tolist()[:5] == [0, 0, 0, 2**53, -(2**53)]


def test_single_numbers_and_small_floats_go_to_the_grid_too():
    assert to_grid(0.7, 0.5).tolist() == 1
    assert to_grid(np.array([0.7, -0.7], np.float32), 0.5).tolist() == [1, -1]


@pytest.mark.parametrize("width", [1.0, 0.3, 3.0, 2.0**-500, 1e100, 7])
def test_the_grid_below_a_width_is_the_largest_power_of_two(width):
    grid = grid_below(width)
    assert grid <= width < 2 * grid and to_grid(0.0, grid) == 0


@pytest.mark.parametrize("width", [0.0, -1.0, math.nan, math.inf, None, True, "1"])
def test_there_is_no_grid_below_nought_or_nothing(width):
    with pytest.raises(ParameterError, match="width"):
        grid_below(width)


@pytest.mark.parametrize("grid", [0.0, -1.0, 0.3, 3, math.nan, math.inf, None, True, 2.0**-600])
def test_a_grid_that_is_no_power_of_two_is_refused(grid):
    steps = np.zeros(2, np.int64)
    for call in (
        lambda: to_grid([1.0], grid),
        lambda: rows_to_grid([1.0], grid),
        lambda: from_grid(steps, grid),
        lambda: rounded_gaussian(Stream.fresh(), steps, 1.0, grid),
    ):
        with pytest.raises(ParameterError, match="power of two"):
            call()


@pytest.mark.parametrize("sigma", [0.0, -1.0, 0.01, 2.0**41, math.nan, math.inf, None, True])
def test_a_sigma_out_of_the_grids_reach_is_refused(sigma):
    with pytest.raises(ParameterError, match="sigma"):
        rounded_gaussian(Stream.fresh(), np.zeros(2, np.int64), sigma, 1.0)


@pytest.mark.parametrize("values", [[0.5, 1.0], np.zeros(2, np.uint64), np.zeros(2, bool), ["a"]])
def test_values_that_are_not_steps_are_refused(values):
    with pytest.raises(ParameterError, match="whole steps"):
        rounded_gaussian(Stream.fresh(), values, 1.0, 1.0)
    with pytest.raises(ParameterError, match="whole steps"):
        from_grid(values, 1.0)
