import math
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import ALPHA, gaussian_cdf, noise_of, p_of_noise, proofs
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanisms.counts import CountTables, Margin, rows_of

N = 100_000
SIGMA = 7.3


def wide(sigma, cells=N):
    return CountTables((Margin(("code",), (cells - 1,)),), DiscreteGaussian(sigma))


codes = st.lists(st.tuples(st.integers(-3, 6), st.integers(-1, 2)), max_size=30)


def columns_of(rows):
    pairs = np.array(rows, dtype=np.int32).reshape(-1, 2)
    return {"a": pairs[:, 0], "b": pairs[:, 1]}


TABLES = (Margin(("a",), (4,)), Margin(("b",), (2,)), Margin(("a", "b"), (4, 2)))


@pytest.mark.parametrize("sigma", [0.4, SIGMA, 250.0])
def test_the_noise_is_accepted_at_its_scale_and_refused_at_085_of_it(sigma):
    zeros = np.zeros(N, dtype=np.int64)
    law = gaussian_cdf(sigma)
    assert p_of_noise(noise_of(wide(sigma), zeros, seed=1), law, sigma) > 1e-3
    assert p_of_noise(noise_of(wide(0.85 * sigma), zeros, seed=1), law, sigma) < ALPHA
    assert p_of_noise(noise_of(wide(sigma / 0.85), zeros, seed=1), law, sigma) < ALPHA


def test_the_noise_does_not_depend_on_the_counts():
    low, high = np.zeros(500, dtype=np.int64), np.full(500, 10**12)
    assert np.array_equal(noise_of(wide(SIGMA, 500), low, 3), noise_of(wide(SIGMA, 500), high, 3))


@given(codes, st.tuples(st.integers(-3, 6), st.integers(-1, 2)), st.integers(0, 30))
def test_one_row_moves_the_tables_by_exactly_the_stated_distance(rows, row, place):
    mechanism = CountTables(TABLES, DiscreteGaussian(SIGMA, count=3))
    more = [*rows[:place], row, *rows[place:]]
    before, after = (mechanism.statistic(columns_of(table)) for table in (rows, more))
    gap = np.abs(after - before)
    assert int((gap**2).sum()) == 3
    assert gap.max() == 1
    assert mechanism.distance(before, after) <= mechanism.sensitivity.value == math.sqrt(3)


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_no_neighbour_of_any_tiny_table_moves_more_than_one_cell_of_each_table(size):
    cells = list(product((-1, 0, 1, 4, 9), (-1, 0, 2)))  # missing, known and unknown codes
    mechanism = CountTables(TABLES, DiscreteGaussian(SIGMA, count=3))
    ends = np.cumsum([math.prod(table.shape) for table in TABLES])[:-1]
    for rows in combinations_with_replacement(cells, size):
        before = mechanism.statistic(columns_of(rows))
        for row in cells:
            gap = mechanism.statistic(columns_of([*rows, row])) - before
            assert [sorted(part)[-2:] for part in np.split(gap, ends)] == [[0, 1]] * 3
            assert gap.sum() == 3 and gap.min() == 0


def test_every_row_lies_in_one_cell_of_each_table_and_unknown_codes_are_missing():
    counts = Margin(("a", "b"), (2, 2)).count(columns_of([(0, 0), (1, -1), (-1, 1), (5, 9), (-7, 0)]))
    assert counts.reshape(3, 3).tolist() == [[1, 0, 0], [0, 0, 1], [1, 1, 1]]


@pytest.mark.parametrize("rows", [0, 1, 50])
def test_no_rows_and_rows_without_a_value_are_counted_like_any_other(rows):
    columns = {"a": np.full(rows, -1, dtype=np.int32), "b": np.full(rows, -1, dtype=np.int32)}
    mechanism = CountTables(TABLES, DiscreteGaussian(SIGMA, count=3))
    released = mechanism.release(mechanism.statistic(columns), _stream())
    assert [table.shape for table in released] == [(5,), (3,), (5, 3)]
    assert mechanism.statistic(columns).sum() == 3 * rows


def test_tables_that_are_not_paid_for_are_refused():
    with pytest.raises(ParameterError, match="3 tables at the price of 1"):
        CountTables(TABLES, DiscreteGaussian(SIGMA))


@pytest.mark.parametrize("sigma", [0.6, 2.0, 30.0])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
def test_the_price_of_one_table_is_the_divergence_of_two_neighbours_added_up_cell_by_cell(sigma, epsilon):
    support = np.arange(-math.ceil(40 * sigma), math.ceil(40 * sigma) + 1)
    law = np.exp(-(support**2) / (2 * sigma**2))
    law /= law.sum()
    truth = float(np.maximum(law[1:] - math.exp(epsilon) * law[:-1], 0.0).sum())
    priced = account((wide(sigma).event,)).delta(epsilon)
    assert truth <= priced * (1 + 1e-9)
    assert priced <= truth * 1.02 + 1e-9


def test_the_price_of_several_tables_agrees_with_dp_accounting():
    from dp_accounting.pld import privacy_loss_distribution as pld

    mechanism = CountTables(TABLES, DiscreteGaussian(SIGMA, count=3))
    theirs = pld.from_discrete_gaussian_mechanism(SIGMA).self_compose(3).get_epsilon_for_delta(1e-6)
    assert account((mechanism.event,)).epsilon(1e-6) == pytest.approx(theirs, rel=1e-3)


def test_none_of_a_million_counts_proves_which_table_it_comes_from():
    released = wide(4.0, 1_000_000).release(np.zeros(1_000_000, dtype=np.int64), _stream())[0]
    assert released.dtype == np.int64
    assert proofs(released.astype(np.float64), 1.0) == 0
    # The same from a neighbour reaches all that was reached, but for the far tails.
    other = wide(4.0, 1_000_000).release(np.ones(1_000_000, dtype=np.int64), _stream(8))[0]
    common = np.abs(released) < 12
    assert set(np.unique(released[common])) <= set(np.unique(other))


def test_the_number_of_rows_weighs_tables_by_their_noise():
    assert rows_of([np.array([100]), np.array([-1000] * 1000)]) > 0
    assert rows_of([np.array([5, 5])]) == 10
    assert rows_of([np.array([-50, 5])]) == 1


def _stream(seed=7):
    from privacy.releases import stream

    return stream(seed)
