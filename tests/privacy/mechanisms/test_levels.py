import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import ALPHA, gaussian_cdf, p_of_noise, proofs, stream
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.events import DiscreteGaussian, Pure
from understudy.privacy.mechanisms.levels import CommonLevels

words = st.lists(st.sampled_from(["a", "b", "c", "new", "", None]), max_size=30)


def told(sigma=3.0, delta=1e-6):
    return CommonLevels("word", DiscreteGaussian(sigma), delta)


def columns_of(values):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return {"word": column}


def pairs_of(values, count):
    """Return the statistic of a column in which nothing is missing and so many rows have each value."""
    pairs = np.empty((1 + len(values), 2), dtype=object)
    pairs[0] = None, 0
    pairs[1:, 0], pairs[1:, 1] = values, count
    return pairs


def tail(sigma, least):
    """Return P(noise >= least) of the discrete Gaussian, added up from the far end."""
    far = np.arange(least, max(least, 0) + math.ceil(40 * sigma) + 10, dtype=np.float64)
    all_of_it = np.arange(-math.ceil(40 * sigma) - 10, math.ceil(40 * sigma) + 11, dtype=np.float64)
    weights = np.exp(-(all_of_it**2) / (2 * sigma**2)).sum()
    return math.fsum(np.exp(-(far**2) / (2 * sigma**2))) / weights


@pytest.mark.parametrize("sigma", [0.05, 0.3, 0.9, 1.0, 2.5, 17.0, 400.0])
@pytest.mark.parametrize("delta", [0.4, 0.05, 1e-3, 1e-6, 1e-12, 1e-30, 1e-200])
def test_a_value_of_one_row_is_told_with_at_most_the_stated_chance(sigma, delta):
    mechanism = told(sigma, delta)
    assert tail(sigma, mechanism.threshold - 1) <= delta
    # And not for want of trying: two steps lower it would be told more often than that, or never be hidden.
    assert tail(sigma, mechanism.threshold - 3) > delta or mechanism.threshold <= 3


def test_a_threshold_without_its_delta_would_be_caught():
    mechanism = told(2.5, 1e-6)
    careless = round(1 + 2.5 * 3)  # "three sigmas are plenty"
    assert tail(2.5, mechanism.threshold - 1) <= 1e-6 < tail(2.5, careless - 1)


@pytest.mark.parametrize("sigma", [0.6, 5.0])
def test_the_noise_is_accepted_at_its_scale_and_refused_at_085_of_it(sigma):
    pairs = pairs_of(np.arange(30_000), 10_000)
    law = gaussian_cdf(sigma)
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        counts = told(sigma * factor).release(pairs, stream(4))
        assert len(counts) == 30_000
        p = p_of_noise(np.array(list(counts.values())) - 10_000, law, sigma)
        assert (p > 1e-3) if accepted else (p < ALPHA)


@given(words, st.sampled_from(["a", "new", "", None, "never seen"]), st.integers(0, 30))
def test_one_row_moves_one_count_by_at_most_one(rows, row, place):
    mechanism = told()
    before, after = (
        mechanism.statistic(columns_of(table)) for table in (rows, [*rows[:place], row, *rows[place:]])
    )
    assert mechanism.distance(before, after) <= mechanism.sensitivity.value
    assert mechanism.distance(before, after) == 1


def test_values_that_many_rows_have_are_told_in_their_own_order_and_rare_ones_are_not():
    rows = ["b"] * 500 + ["rare"] + [None] * 900 + ["a"] * 700
    mechanism = told()
    found = mechanism.release(mechanism.statistic(columns_of(rows)), stream(1))
    assert list(found) == ["a", "b"]
    assert abs(found["a"] - 700) < 30 and abs(found.missing - 900) < 30
    shuffled = list(np.random.default_rng(0).permutation(np.array(rows, dtype=object)))
    assert list(mechanism.release(mechanism.statistic(columns_of(shuffled)), stream(2))) == ["a", "b"]


@pytest.mark.parametrize("rows", [[], [None] * 50, ["x"]])
def test_nothing_is_told_of_tables_without_a_common_value(rows):
    mechanism = told(2.0, 1e-9)
    assert mechanism.release(mechanism.statistic(columns_of(rows)), stream(3)) == {}


@pytest.mark.parametrize("missing", [0, 40])
def test_missing_rows_are_counted_whether_there_are_any_or_not(missing):
    mechanism = told(2.5)
    statistic = mechanism.statistic(columns_of([None] * missing + ["x"]))
    noise = np.array([mechanism.release(statistic, stream(seed)).missing for seed in range(4_000)]) - missing
    assert abs(noise.mean()) < 4 * 2.5 / math.sqrt(4_000)
    assert noise.std() == pytest.approx(2.5, rel=0.05)


def test_numbers_and_truth_values_are_levels_too():
    for cells in ([3, 1, 2], [True, False], [1.5, -0.5]):
        found = told(1.0).release(told(1.0).statistic(columns_of(cells * 100)), stream(3))
        assert list(found) == sorted(cells)


@pytest.mark.parametrize("first", [[], [-0.0]])
def test_the_first_row_does_not_say_under_which_sign_noughts_are_told(first):
    rows = first + [0.0] * 500 + [-0.0] * 500 + [1.0] * 500
    found = told().release(told().statistic(columns_of(rows)), stream(5))
    assert [repr(value) for value in found] == ["0.0", "1.0"]


def test_values_that_are_equal_but_not_the_same_would_be_found_apart():
    left, right = pairs_of([0.0], 3), pairs_of([-0.0], 3)
    assert told().distance(left, right) > told().sensitivity.value


def test_the_chance_is_told_apart_from_the_event_and_both_are_priced():
    mechanism = told(3.0, 1e-6)
    assert mechanism.chance == 1e-6
    curve = account((mechanism.event, Pure(0.0, mechanism.chance)))
    alone = account((mechanism.event,))
    assert curve.delta(1.0) >= alone.delta(1.0)
    assert curve.delta(30.0) >= 1e-6 * (1 - 1e-6)


@pytest.mark.parametrize("values", [["u"], ["a", "a", "u"], ["a"] * 9])
def test_the_price_covers_two_neighbours_whatever_is_told(values):
    """Both laws of what is told are computed exactly, and compared with the certified profile."""
    mechanism = told(1.2, 1e-3)
    fewer = values[:-1]
    curve = account((mechanism.event, Pure(0.0, mechanism.chance)))
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        here, there = (_law(mechanism, table, values[-1]) for table in (values, fewer))
        for one, other in ((here, there), (there, here)):
            apart = math.fsum(
                max(0.0, chance - math.exp(epsilon) * other.get(outcome, 0.0))
                for outcome, chance in one.items()
            )
            assert apart <= curve.delta(epsilon) * (1 + 1e-6)


def _law(mechanism, table, word):
    """Return the chance of every outcome for one word: not told, or told with a noisy count."""
    count, sigma = table.count(word), mechanism.price.sigma
    if count == 0:
        return {"not told": 1.0}
    noise = np.arange(-60, 61)
    weights = np.exp(-(noise**2) / (2 * sigma**2))
    weights /= weights.sum()
    law = {"not told": 0.0}
    for step, chance in zip(noise.tolist(), weights.tolist(), strict=True):
        outcome = count + step if count + step >= mechanism.threshold else "not told"
        law[outcome] = law.get(outcome, 0.0) + chance
    return law


def test_none_of_a_million_counts_proves_which_table_it_comes_from():
    pairs = pairs_of(np.arange(1_000_000), 1_000)
    counts = np.array(list(told(4.0).release(pairs, stream(6)).values()))
    assert counts.dtype == np.int64
    assert proofs(counts.astype(np.float64), 1_001.0) == 0


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan])
def test_a_delta_that_hides_nothing_is_refused(delta):
    with pytest.raises(ParameterError, match="delta above 0"):
        told(delta=delta)


def test_the_price_of_more_than_one_count_is_refused():
    with pytest.raises(ParameterError, match="price of one count"):
        CommonLevels("word", DiscreteGaussian(1.0, count=2), 1e-6)
