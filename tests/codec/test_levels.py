import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.codec.levels import Grouped
from understudy.errors import InputError

CODES = st.lists(st.integers(-1, 9), max_size=60)


def codes_of(values):
    return np.array(values, dtype=np.int32)


@given(CODES)
def test_levels_with_a_code_each_come_back(values):
    coder = Grouped.all(10, can_be_missing=True)
    codes = coder.encode(codes_of(values))
    assert coder.count == 11
    assert (codes == 10).tolist() == [value == -1 for value in values]
    back = coder.decode(codes, np.random.default_rng(0))
    assert back.dtype == np.int32 == coder.dtype
    assert back.tolist() == values


@given(CODES, st.integers(1, 12))
def test_common_levels_and_missing_come_back_and_rare_ones_stay_among_the_rare(values, rare):
    array = codes_of(values)
    coder = Grouped.fit(array, 10, rare=rare, can_be_missing=True)
    codes = coder.encode(array)
    back = coder.decode(codes, np.random.default_rng(0))
    assert coder.encode(back).tolist() == codes.tolist()
    counts = np.bincount(array[array >= 0], minlength=10)
    kept = (array < 0) | (counts[array] >= rare)
    assert (back[kept] == array[kept]).all()
    assert (counts[back[~kept]] < rare).all()
    assert (counts[back[~kept]] > 0).all(), "a level that no row has is not drawn"
    assert coder.count == (counts >= rare).sum() + (counts < rare).any() + 1


def test_grouped_levels_are_drawn_in_proportion_to_their_counts():
    values = np.repeat(np.arange(5, dtype=np.int32), [500, 40, 30, 20, 10])
    coder = Grouped.fit(values, 5, rare=100, can_be_missing=False)
    back = coder.decode(np.ones(100_000, dtype=np.int64), np.random.default_rng(0))
    shares = np.bincount(back, minlength=5) / 100_000
    assert np.allclose(shares, [0, 0.4, 0.3, 0.2, 0.1], atol=0.01)


def test_a_group_that_no_row_has_is_drawn_evenly():
    values = np.zeros(50, dtype=np.int32)
    coder = Grouped.fit(values, 3, rare=10, can_be_missing=False)
    back = coder.decode(np.ones(10_000, dtype=np.int64), np.random.default_rng(0))
    assert np.allclose(np.bincount(back, minlength=3) / 10_000, [0, 0.5, 0.5], atol=0.03)


def test_when_all_levels_are_rare_they_share_one_code():
    coder = Grouped.fit(codes_of([0, 1, 2]), 3, rare=100, can_be_missing=False)
    assert coder.count == 1


def test_a_code_without_a_level_is_refused():
    with pytest.raises(InputError, match="codes below 3"):
        Grouped.all(3, can_be_missing=False).encode(codes_of([0, 3]))
