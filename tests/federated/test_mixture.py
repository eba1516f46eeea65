import numpy as np
import pytest

from understudy.engines.margin import LevelMargin, QuantityMargin
from understudy.errors import InputError
from understudy.federated import mixture
from understudy.federated.mixture import evened, mixed


def quantities(seed, rows, low, high):
    return np.random.default_rng(seed).integers(low, high, rows)


def test_a_mixture_of_exact_margins_is_close_to_the_margin_of_all_rows():
    tables = [quantities(k, 200 * (k + 1), 10 * k, 50 + 10 * k) for k in range(3)]
    found = mixed([QuantityMargin.fit(each, 1_000) for each in tables], [len(each) for each in tables])
    whole = QuantityMargin.fit(np.concatenate(tables), 1_000)
    u = np.linspace(0.01, 0.99, 99)
    assert np.abs(found.quantile(u) - whole.quantile(u)).max() <= 1


def test_a_mixture_of_one_is_itself():
    margin = QuantityMargin.fit(quantities(0, 300, 0, 40), 1_000)
    found = mixed([margin], [300.0])
    assert np.array_equal(found.values, margin.values)
    assert found.lower == pytest.approx(margin.lower) and found.upper == pytest.approx(margin.upper)


def test_missing_rows_count_by_the_size_of_their_site():
    left, right = np.array([1.0, np.nan, np.nan, np.nan]), np.array([5.0, 5.0])
    found = mixed([QuantityMargin.fit(left, 10), QuantityMargin.fit(right, 10)], [4.0, 2.0])
    assert found.missing == pytest.approx(0.5)
    assert (found.upper - found.lower)[found.values == 5.0][0] == pytest.approx(2 / 3)


def test_a_site_without_a_value_leaves_the_law_to_the_others():
    nothing = QuantityMargin(np.array([0.0, 9.0]), np.zeros(2), np.zeros(2), 1.0)
    found = mixed([nothing, QuantityMargin.fit(np.array([3.0, 3.0]), 10)], [5.0, 5.0])
    assert found.missing == 0.5 and found.quantile(np.array([0.5]))[0] == 3.0
    assert mixed([nothing, nothing], [1.0, 1.0]).missing == 1.0


def test_levels_are_mixed_by_rows():
    left = LevelMargin.fit(np.array([0, 0, 0, 1], np.int32), 2)
    right = LevelMargin.fit(np.array([1, 1, -1, -1], np.int32), 2)
    found = mixed([left, right], [1.0, 3.0])
    assert (found.upper - found.lower) == pytest.approx([0.1875, 0.4375, 0.375])


def test_many_knots_are_thinned_and_heavy_values_stay(monkeypatch):
    monkeypatch.setattr(mixture, "MOST_KNOTS", 64)
    rng = np.random.default_rng(1)
    tables = [np.concatenate([rng.normal(size=2_000), np.full(500, 0.25)]) for _ in range(3)]
    found = mixed([QuantityMargin.fit(each, 1_000) for each in tables], [2_500.0] * 3)
    assert len(found.values) <= 64 + 8
    assert (found.upper - found.lower)[found.values == 0.25][0] == pytest.approx(0.2, abs=0.01)
    assert (np.diff(found.upper) >= 0).all() and (found.lower[1:] >= found.upper[:-1] - 1e-12).all()


def test_margins_of_different_kinds_or_levels_are_refused():
    levels, more = (LevelMargin.fit(np.zeros(2, np.int32), size) for size in (2, 3))
    with pytest.raises(InputError, match="kinds"):
        mixed([levels, QuantityMargin.fit(np.ones(3), 10)], [1.0, 1.0])
    with pytest.raises(InputError, match="levels"):
        mixed([levels, more], [1.0, 1.0])


def test_no_site_counts_for_far_more_rows_than_the_one_in_the_middle():
    assert evened({"a": 1.0, "b": 2.0}) == {"a": 1.0, "b": 2.0}
    assert evened({"a": 100.0, "b": 1e300}) == {"a": 100.0, "b": 1_000.0}  # of two, the smaller is the middle
    assert evened({"a": 100.0, "b": 1e300, "c": 90.0}, 500.0) == {"a": 100.0, "b": 500.0, "c": 90.0}


def test_levels_that_a_site_has_in_another_order_are_mixed_all_the_same():
    margin = LevelMargin.fit(np.array([0, 0, 1, 1, 1, 1, 2, -1], np.int32), 3)
    turned = margin.reordered(np.array([3, 2, 0, 1]))
    found = mixed([turned, margin], [1.0, 3.0])
    assert found.codes.tolist() == [0, 1, 2, -1] and found.upper == pytest.approx(margin.upper)


def test_a_site_that_knows_one_value_is_mixed_with_one_that_knows_far_larger_ones():
    one, many = (QuantityMargin.fit(np.array(each), 10) for each in ([1e9] * 5, [1e9, 2e9, 3e300]))
    with np.errstate(all="raise"):
        found = mixed([one, many], [1.0, 1.0])
    assert found.values.tolist() == [1e9, 2e9, 3e300] and found.upper[0] == pytest.approx(0.5, abs=0.2)
    assert found.upper[-1] == 1.0
