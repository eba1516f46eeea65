"""Margins: quantiles and intervals are each other's inverse, and a condition is met by every draw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra import numpy as hnp

from understudy.engines.condition import Among, Between, IsMissing
from understudy.engines.margin import (
    LevelMargin,
    QuantityMargin,
    fit_margins,
    inside,
    nothing_at,
    pack,
    unpack,
)
from understudy.missing import MISSING_STEP

EVERYWHERE = np.concatenate([[0.0, 1.0], np.linspace(0, 1, 997), np.nextafter([0, 1], [1, 0])])

codes = st.integers(1, 6).flatmap(
    lambda levels: st.tuples(
        hnp.arrays(np.int32, st.integers(1, 60), elements=st.integers(-1, levels - 1)), st.just(levels)
    )
)
small_steps = hnp.arrays(np.int64, st.integers(1, 80), elements=st.integers(-30, 30))
any_steps = hnp.arrays(np.int64, st.integers(1, 80), elements=st.integers(-(2**62) + 1, 2**62 - 1))
any_floats = hnp.arrays(
    np.float64, st.integers(1, 80), elements=st.floats(allow_nan=False, allow_infinity=False)
)


@given(codes)
def test_every_code_owns_an_interval_as_wide_as_its_share(drawn):
    values, levels = drawn
    margin = LevelMargin.fit(values, levels)
    shares = dict(zip(margin.codes.tolist(), (margin.upper - margin.lower).tolist(), strict=True))
    for code in range(-1, levels):
        assert shares[code] == pytest.approx(float(np.mean(values == code)), abs=1e-12)


@given(codes, st.randoms(use_true_random=False))
def test_a_level_is_drawn_only_if_it_was_seen_in_whatever_order_the_levels_stand(drawn, random):
    values, levels = drawn
    order = list(range(levels + 1))
    random.shuffle(order)
    margin = LevelMargin.fit(values, levels).reordered(np.array(order))
    assert set(margin.quantile(EVERYWHERE).tolist()) <= set(values.tolist())


@given(codes, st.data())
def test_a_draw_under_a_condition_on_levels_always_meets_it(drawn, data):
    values, levels = drawn
    allowed = data.draw(hnp.arrays(np.bool_, levels + 1))
    margin = LevelMargin.fit(values, levels)
    found = margin.intervals(Among(allowed))
    assert (len(found) > 0) == bool(allowed[values].any())
    if len(found):
        assert Among(allowed).accepts(margin.quantile(inside(found, EVERYWHERE))).all()
        assert float((found[:, 1] - found[:, 0]).sum()) == pytest.approx(float(allowed[values].mean()))


@given(st.one_of(small_steps, any_steps, any_floats), st.sampled_from([2, 3, 10, 1000]))
@example(np.array([1.79769313e308, 1e308]), 2)
def test_a_quantile_rises_with_u_and_stays_within_the_data(values, knots):
    margin = QuantityMargin.fit(values, knots)
    drawn = margin.quantile(np.sort(EVERYWHERE))
    assert drawn.dtype == values.dtype
    assert drawn[0] == values.min()
    assert drawn[-1] == values.max()
    assert (drawn[1:] >= drawn[:-1]).all()


@given(st.one_of(small_steps, any_steps, any_floats))
def test_few_values_that_rows_share_are_all_kept_with_their_exact_shares(values):
    twice = np.repeat(values, 2)
    margin = QuantityMargin.fit(twice, knots=100)
    drawn = margin.quantile((np.arange(len(twice)) + 0.5) / len(twice))
    assert np.array_equal(drawn, np.sort(twice))


@given(st.one_of(small_steps, any_steps, any_floats), st.sampled_from([2, 10, 1000]))
def test_a_value_that_one_row_alone_has_carries_no_mass_of_its_own(values, knots):
    # A number that only one row has may be what tells that row from all others: it must not be copied.
    found, counts = np.unique(values, return_counts=True)
    margin = QuantityMargin.fit(values, knots)
    mass = margin.upper - margin.lower
    if len(found) > 1:
        assert not mass[np.isin(margin.values, found[counts == 1])].any()
    if len(found) <= knots and len(found) > 1:
        assert mass[counts > 1] == pytest.approx(counts[counts > 1] / len(values))


def test_floats_of_single_rows_never_come_back():
    values = np.random.default_rng(0).normal(50_000, 10_000, 300)
    drawn = QuantityMargin.fit(values, knots=1_000).quantile(np.random.default_rng(1).random(10_000))
    assert not np.isin(drawn, values).any()


def test_cents_of_single_rows_come_back_no_more_often_than_chance():
    values = np.unique(np.random.default_rng(0).integers(2_000_000, 8_000_000, 300))
    drawn = QuantityMargin.fit(values, knots=1_000).quantile(np.random.default_rng(1).random(10_000))
    assert np.isin(drawn, values).mean() < 0.01


@pytest.mark.parametrize("column", [[7], [7, 7, 7], [MISSING_STEP, 7]])
def test_the_only_value_of_a_column_is_its_own_whole_distribution(column):
    margin = QuantityMargin.fit(np.array(column), knots=10)
    assert set(margin.quantile(EVERYWHERE).tolist()) == {7}
    assert margin.intervals(Between(7, 7)).tolist() == [[0, 1]]


@given(small_steps, st.integers(-35, 35), st.integers(0, 20), st.sampled_from([2, 5, 1000]))
def test_a_draw_under_a_range_of_steps_always_lies_in_it(values, low, width, knots):
    margin, condition = QuantityMargin.fit(values, knots), Between(low, low + width)
    found = margin.intervals(condition)
    if condition.accepts(values).any() and knots == 1000:
        assert len(found) == 1
    if len(found):
        drawn = margin.quantile(inside(found, EVERYWHERE))
        # A light value shares its line with its neighbours, so rounding may put a draw half a step outside.
        assert drawn.min() >= low - 1
        assert drawn.max() <= low + width + 1


@given(small_steps, st.integers(-35, 35), st.integers(0, 20))
def test_a_range_of_steps_that_rows_share_holds_exactly_their_share(values, low, width):
    condition = Between(low, low + width)
    margin = QuantityMargin.fit(np.repeat(values, 2), knots=1000)
    found = margin.intervals(condition)
    mass = float((found[:, 1] - found[:, 0]).sum())
    assert mass == pytest.approx(float(condition.accepts(values).mean()), abs=1e-12)
    if len(found):
        assert condition.accepts(margin.quantile(inside(found, EVERYWHERE))).all()


@given(any_floats, st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_range_of_floats_holds_exactly_the_share_of_the_values_in_it(values, one, other):
    condition = Between(min(one, other), max(one, other))
    found = QuantityMargin.fit(np.repeat(values, 2), knots=100).intervals(condition)
    mass = float((found[:, 1] - found[:, 0]).sum())
    assert mass == pytest.approx(float(condition.accepts(values).mean()), abs=1e-12)


@given(any_floats, st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_range_of_floats_of_single_rows_holds_their_share_to_within_one_row(values, one, other):
    values = np.unique(values)
    condition = Between(min(one, other), max(one, other))
    found = QuantityMargin.fit(values, knots=100).intervals(condition)
    mass = float((found[:, 1] - found[:, 0]).sum())
    assert abs(mass - float(condition.accepts(values).mean())) <= 1 / len(values) + 1e-12


def test_conditions_on_moments_counted_in_nanoseconds_are_exact():
    # Floats are 256 apart at this size: a range of one nanosecond must not take in its neighbours.
    values = 1_700_000_000_000_000_000 + np.arange(10)
    margin = QuantityMargin.fit(np.repeat(values, 2), knots=100)
    found = margin.intervals(Between(int(values[3]), int(values[4])))
    assert found.tolist() == [[0.3, 0.5]]
    assert set(margin.quantile(inside(found, EVERYWHERE)).tolist()) == {int(values[3]), int(values[4])}


def test_a_range_that_holds_no_value_has_no_interval():
    margin = QuantityMargin.fit(np.array([1, 1, 2, 2, 9, 9]), knots=10)
    assert margin.intervals(Between(3, 8)).shape == (0, 2)
    assert margin.intervals(Between(10, 2**62)).shape == (0, 2)
    assert margin.intervals(Between(-(2**62), 0)).shape == (0, 2)


def test_a_float_of_a_single_row_has_no_interval_and_a_range_around_it_has_one():
    margin = QuantityMargin.fit(np.array([1.5, 2.5, 4.5]), knots=10)
    assert margin.intervals(Between(2.5, 2.5)).shape == (0, 2)
    assert margin.intervals(Between(2.0, 3.5)).tolist() == [[0.25, 0.75]]


def test_a_column_without_any_value_has_no_interval_and_is_all_missing():
    margin = QuantityMargin.fit(np.array([MISSING_STEP, MISSING_STEP]), knots=10)
    assert margin.missing == 1
    assert margin.intervals(Between(-5, 5)).shape == (0, 2)


def test_open_ends_leave_the_whole_distribution():
    steps, floats = np.array([1, 2, 9]), np.array([1.0, 2.0, 9.0])
    assert QuantityMargin.fit(steps, 10).intervals(Between(-(2**62), 2**62)).tolist() == [[0, 1]]
    assert QuantityMargin.fit(floats, 10).intervals(Between(-np.inf, np.inf)).tolist() == [[0, 1]]


def test_a_heavy_value_keeps_its_exact_share_among_thousands_of_light_ones():
    rng = np.random.default_rng(1)
    values = np.concatenate([np.zeros(7_000), rng.normal(50, 10, 13_000)])
    margin = QuantityMargin.fit(values, knots=100)
    drawn = margin.quantile((np.arange(20_000) + 0.5) / 20_000)
    assert np.mean(drawn == 0) == pytest.approx(0.35, abs=2e-4)
    assert len(margin.values) <= 110
    light = np.sort(drawn[drawn != 0])
    assert np.quantile(light, [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(values[7_000:], [0.1, 0.5, 0.9]), 0.01
    )


def test_few_knots_follow_the_distribution_of_many_values_closely():
    values = np.sort(np.random.default_rng(2).lognormal(0, 1, 20_000))
    margin = QuantityMargin.fit(values, knots=200)
    drawn = margin.quantile((np.arange(20_000) + 0.5) / 20_000)
    shares = np.searchsorted(values, drawn, side="right") / 20_000
    assert np.abs(shares - (np.arange(20_000) + 0.5) / 20_000).max() < 1 / 200


def test_the_share_of_missing_entries_is_kept():
    assert QuantityMargin.fit(np.array([1.0, np.nan, np.nan, 2.0]), 10).missing == 0.5
    assert QuantityMargin.fit(np.array([1, MISSING_STEP, 3, 4]), 10).missing == 0.25
    assert QuantityMargin.fit(np.array([1, 2]), 10).missing == 0


@given(
    st.lists(st.floats(0.001, 1), min_size=1, max_size=6),
    hnp.arrays(np.float64, 50, elements=st.floats(0, 1)),
)
def test_inside_never_leaves_the_intervals_and_keeps_the_order(widths, uniforms):
    ends = np.cumsum(np.repeat(widths, 2)) / (2 * sum(widths))
    intervals = np.stack([ends[0::2], ends[1::2]], axis=1)
    drawn = inside(intervals, np.sort(uniforms))
    assert (drawn[1:] >= drawn[:-1]).all()
    held = (drawn[:, None] >= intervals[:, 0]) & (drawn[:, None] < intervals[:, 1])
    assert held.any(axis=1).all()


def test_inside_spreads_evenly_over_a_union():
    intervals = np.array([[0.1, 0.2], [0.5, 0.8]])
    drawn = inside(intervals, np.linspace(0, 1, 4_001))
    assert np.mean(drawn < 0.2) == pytest.approx(0.25, abs=1e-3)
    assert np.mean((drawn >= 0.5) & (drawn < 0.65)) == pytest.approx(0.375, abs=1e-3)


def test_margins_survive_being_written_down():
    columns = {
        "level": np.array([0, 1, -1, 1], dtype=np.int32),
        "step": np.array([5, MISSING_STEP, 7, 7]),
        "float": np.array([0.5, np.nan, 1.5, 2.5]),
    }
    margins = fit_margins(columns, {"level": 2}, knots=10)
    again = unpack(pack(margins), list(margins))
    for name, margin in margins.items():
        assert type(again[name]) is type(margin)
        assert np.array_equal(again[name].quantile(EVERYWHERE), margin.quantile(EVERYWHERE))
    assert again["step"].missing == margins["step"].missing


def test_a_condition_of_the_wrong_kind_is_a_mistake_of_the_caller():
    with pytest.raises(AssertionError):
        LevelMargin.fit(np.array([0], dtype=np.int32), 1).intervals(Between(0, 1))
    with pytest.raises(AssertionError):
        QuantityMargin.fit(np.array([1]), 10).intervals(IsMissing())


@pytest.mark.parametrize(("condition", "said"), [
    (Between(5, 5), "no mass at exactly that value; ask for a range"),
    (Between(5, 6), "no mass in that range"),
    (Among(np.array([True, False])), "no row had such a level"),
])  # fmt: skip
def test_the_error_for_a_condition_without_mass_claims_nothing_of_what_was_seen(condition, said):
    assert said in str(nothing_at("age", condition))
    assert "'age'" in str(nothing_at("age", condition))
