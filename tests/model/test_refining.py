import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.model.ladder import Parts
from understudy.model.refining import cut_finer, first_parts, without_noise


def counted(values, parts, sigma, number=0, rng=None):
    """Cut, count the values, with noise if there is any, and return the parts."""
    cut = cut_finer(parts, len(values), sigma, number)
    table = np.histogram(values, bins=cut.edges)[0]
    noise = 0 if rng is None else rng.normal(0, sigma, len(table))
    return cut.counted(table + noise, sigma)


def test_full_parts_are_cut_and_empty_ones_are_not():
    parts = Parts(np.array([0.0, 1.0, 2.0, 3.0]), np.array([1_000.0, 0.0, 20.0]), np.full(3, 25.0))
    cut = cut_finer(parts, 1_020.0, 5.0, 0)
    assert np.bincount(cut.home).tolist() == [12, 1, 2]


def test_parts_of_whole_numbers_hold_one_at_least():
    cut = cut_finer(Parts(np.array([4, 8, 16]), np.array([900.0, 100.0]), np.ones(2)), 1_000.0, 2.0, 0)
    assert cut.edges.dtype == np.int64
    assert cut.edges.tolist() == [4, 5, 6, 7, *range(8, 17)]


def test_two_rounds_find_where_rows_lie_within_wide_bounds():
    rng = np.random.default_rng(0)
    values = rng.normal(1_500, 20, 20_000)
    parts = first_parts(0.0, 4_096.0, float(len(values)))
    for number in range(3):
        parts = counted(values, parts, 20.0, number, rng)
    shares = without_noise(parts.counts, float(len(values)))
    inside = (parts.edges[:-1] > 1_380) & (parts.edges[1:] < 1_620)
    assert shares[inside].sum() > 0.95


def test_counts_of_the_same_parts_are_averaged_by_their_noise():
    before = Parts(np.array([0.0, 1.0]), np.array([100.0]), np.array([4.0]))
    after = cut_finer(before, 100.0, 100.0, 0).counted(np.array([400.0]), 2.0)
    assert (after.counts[0], after.variances[0]) == (pytest.approx(250.0), pytest.approx(2.0))


def test_counts_that_are_noise_alone_are_shared_out_evenly():
    before = Parts(np.array([0.0, 3.0]), np.array([90.0]), np.array([1.0]))
    cut = cut_finer(before, 90.0, 1.0, 0)
    after = cut.counted(np.full(len(cut.home), 90 / len(cut.home)) + 1e3 * np.arange(len(cut.home)), 1e9)
    assert after.counts == pytest.approx(np.full(len(cut.home), 90 / len(cut.home)))


def test_what_parts_hold_together_is_what_counts_say():
    before = Parts(np.array([0.0, 3.0]), np.array([1e6]), np.array([1e12]))
    table = np.arange(12) * 10.0
    after = cut_finer(before, 1e6, 1.0, 0).counted(table, 1.0)
    assert after.counts.sum() == pytest.approx(table.sum(), rel=1e-3)
    assert after.counts == pytest.approx(table, abs=2.0)


@given(st.integers(-(2**40), 2**40), st.integers(1, 2**40))
def test_first_parts_of_whole_numbers_rise_from_end_to_end(low, width):
    parts = first_parts(low, low + width, 1_000.0)
    assert (parts.edges[0], parts.edges[-1]) == (low, low + width)
    assert (np.diff(parts.edges) > 0).all() and len(parts.counts) == len(parts.edges) - 1


def test_of_several_first_parts_nothing_is_known_and_none_is_cut():
    cut = cut_finer(first_parts(0.0, 100.0, 1e6), 1e6, 1.0, 0)
    assert np.bincount(cut.home).max() == 1
    assert np.bincount(cut_finer(first_parts(1_990, 2_021, 1e6), 1e6, 1.0, 0).home).tolist() == [12]


@given(
    st.lists(st.floats(-500, 5_000), min_size=1, max_size=40),
    st.floats(0, 100_000),
)
def test_shares_without_noise_are_shares_and_keep_the_order_of_counts(counts, total):
    shares = without_noise(np.array(counts), total)
    assert shares.sum() == pytest.approx(1.0)
    assert (shares >= 0).all()
    order = np.argsort(counts)
    assert (np.diff(shares[order]) >= -1e-12).all()


def test_the_noise_of_many_empty_cells_is_taken_out():
    rng = np.random.default_rng(2)
    counts = rng.normal(0, 30, 400)
    counts[:3] += 5_000
    kept = without_noise(counts, 15_000)
    cut_off = np.maximum(counts, 0) / np.maximum(counts, 0).sum()
    assert kept[3:].sum() < 0.02 < cut_off[3:].sum()


def test_rows_that_nobody_counted_yet_do_not_outweigh_counts():
    values = np.repeat(np.arange(16, 31), np.arange(150, 0, -10))
    parts = first_parts(16, 31, 1e9)
    for number in range(2):
        cut = cut_finer(parts, 1e9 if number == 0 else float(len(values)), 5.0, number)
        parts = cut.counted(np.histogram(values, bins=cut.edges)[0], 5.0)
    shares = without_noise(parts.counts, float(len(values)))
    assert shares == pytest.approx(np.histogram(values, bins=parts.edges)[0] / len(values), abs=0.01)


def test_few_whole_numbers_are_cut_one_by_one_however_few_rows_they_hold():
    parts = Parts(np.array([4, 8, 16]), np.array([900.0, 5.0]), np.array([1.0, 1.0]))
    assert cut_finer(parts, 905.0, sigma=50.0, number=0).edges.tolist() == list(range(4, 17))


def test_one_of_few_whole_numbers_may_hold_all_rows_of_its_part():
    parts = Parts(np.array([8, 16]), np.array([100.0]), np.array([25.0]))
    found = cut_finer(parts, 100.0, sigma=10.0, number=0).counted(np.array([100.0, *[0.0] * 7]), 10.0)
    assert found.counts[0] > 80
