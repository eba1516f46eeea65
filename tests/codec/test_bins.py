import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.codec.bins import Bins
from understudy.missing import MISSING_STEP, is_missing

STEPS = st.lists(st.integers(-(2**62) + 1, 2**62 - 1), min_size=1, max_size=60)
FLOATS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60)


def made(values, bins, quantile, gaps=False):
    if quantile:
        return Bins.quantile(values, bins, can_be_missing=gaps)
    return Bins.even(values.min().item(), values.max().item(), bins, can_be_missing=gaps)


@given(STEPS | FLOATS, st.integers(1, 40), st.booleans())
def test_a_decoded_value_lies_in_the_bin_that_was_encoded(values, count, quantile):
    array = np.array(values)
    bins = made(array, count, quantile)
    codes = bins.encode(array)
    assert 1 <= bins.count <= count
    assert ((codes >= 0) & (codes < bins.count)).all()
    back = bins.decode(codes, np.random.default_rng(0))
    assert back.dtype == array.dtype == bins.dtype
    assert ((back >= array.min()) & (back <= array.max())).all()
    assert bins.encode(back).tolist() == codes.tolist()


@given(STEPS | FLOATS, st.integers(1, 40), st.booleans())
def test_bins_keep_the_order_of_values(values, count, quantile):
    array = np.sort(np.array(values))
    assert (np.diff(made(array, count, quantile).encode(array)) >= 0).all()


@given(STEPS, st.booleans())
def test_missing_has_a_code_of_its_own(values, quantile):
    array = np.array([*values, MISSING_STEP])
    bins = made(array[:-1], 8, quantile, gaps=True)
    codes = bins.encode(array)
    assert (codes == bins.count - 1).tolist() == is_missing(array).tolist()
    back = bins.decode(codes, np.random.default_rng(0))
    assert is_missing(back).tolist() == is_missing(array).tolist()


def test_missing_floats_come_back_missing():
    bins = Bins.even(0.0, 1.0, 4, can_be_missing=True)
    codes = bins.encode(np.array([0.1, np.nan]))
    assert codes.tolist() == [0, 4]
    assert np.isnan(bins.decode(codes, np.random.default_rng(0))).tolist() == [False, True]


def test_as_many_bins_as_steps_lose_nothing():
    values = np.array([3, 5, 4, 9])
    bins = Bins.even(3, 9, 1_000, can_be_missing=False)
    assert bins.count == 7
    assert bins.decode(bins.encode(values), np.random.default_rng(0)).tolist() == values.tolist()


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("heavy", [0, 50, 100])
def test_a_heavy_value_fills_a_quantile_bin_alone(heavy, dtype):
    rng = np.random.default_rng(0)
    values = np.where(rng.random(5_000) < 0.5, heavy, rng.integers(0, 101, 5_000)).astype(dtype)
    bins = Bins.quantile(values, 10, can_be_missing=False)
    back = bins.decode(bins.encode(values), rng)
    assert (back[values == heavy] == heavy).all()
    assert (back[values != heavy] != heavy).all()


def test_quantile_bins_hold_equal_shares():
    values = np.random.default_rng(0).lognormal(size=10_000)
    bins = Bins.quantile(values, 20, can_be_missing=False)
    counts = np.bincount(bins.encode(values))
    assert len(counts) == 20
    assert counts.min() > 490
    assert counts.max() < 510


def test_draws_within_a_bin_are_even():
    bins = Bins.even(0, 9, 2, can_be_missing=False)
    back = bins.decode(np.zeros(50_000, dtype=np.int64), np.random.default_rng(0))
    assert np.allclose(np.bincount(back), 10_000, atol=500)


def test_values_beyond_the_range_fall_into_the_bin_at_its_end():
    assert Bins.even(0, 9, 3, can_be_missing=False).encode(np.array([-5, 50])).tolist() == [0, 2]


def test_a_range_of_all_floats_is_cut_evenly():
    bins = Bins.even(-1.7e308, 1.7e308, 2, can_be_missing=False)
    assert bins.edges.tolist() == [-1.7e308, 0.0, 1.7e308]
