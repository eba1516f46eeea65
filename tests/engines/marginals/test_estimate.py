import numpy as np
import pytest

from engines.marginals.joint import joint_of, marginal_of
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured, estimate, total_of

SIZES = (3, 4, 2, 3)
PAIRS = [(0, 1), (1, 2), (2, 3), (0, 3)]


def rows(seed, n=5_000):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3, n)
    second = (first + rng.integers(0, 2, n)) % 4
    third = (second > rng.integers(0, 4, n)).astype(int)
    return [first, second, third, (first + third + rng.integers(0, 2, n)) % 3]


def test_exact_tables_are_met_exactly():
    codes = rows(0)
    measured = [Measured(of, count(codes, of, SIZES), 1.0) for of in PAIRS]
    model = estimate(measured, SIZES, steps=3_000)
    for each in measured:
        assert np.abs(model.marginal(each.of) - each.table).sum() < 1e-3 * model.total


def test_of_noisy_tables_the_estimate_is_closer_to_the_truth_than_they_are():
    codes, rng = rows(1), np.random.default_rng(7)
    truth = {of: count(codes, of, SIZES) for of in [*PAIRS, (0,), (1,), (2,), (3,)]}
    measured = [Measured(of, table + rng.normal(0, 60, table.shape), 60.0) for of, table in truth.items()]
    model = estimate(measured, SIZES)
    before = sum(np.abs(each.table - truth[each.of]).sum() for each in measured)
    after = sum(np.abs(model.marginal(of) - table).sum() for of, table in truth.items())
    assert after < 0.75 * before
    assert all((model.marginal(of) >= 0).all() for of in truth)


def test_a_fine_table_counts_for_more_than_a_coarse_one():
    fine, coarse = Measured((0,), np.array([80.0, 20.0]), 1.0), Measured((0,), np.array([20.0, 80.0]), 10.0)
    found = estimate([fine, coarse], (2,), total=100.0).marginal((0,))
    assert np.allclose(found, [(80 + 20 / 100) / 1.01, (20 + 80 / 100) / 1.01], atol=1e-3)


def test_the_least_squares_answer_with_a_floor_at_nought():
    # Of (12, -4) the nearest table of 8 rows without negative counts is (8, 0).
    found = estimate([Measured((0,), np.array([12.0, -4.0]), 1.0)], (2,), total=8.0, steps=5_000)
    assert np.allclose(found.marginal((0,)), [8.0, 0.0], atol=0.05)


def test_a_start_gives_the_same_answer_in_fewer_steps():
    codes = rows(2)
    measured = [Measured(of, count(codes, of, SIZES), 1.0) for of in PAIRS]
    slow = estimate(measured, SIZES, steps=2_000)
    again = estimate(measured, SIZES, steps=5, start=slow)
    cold = estimate(measured, SIZES, steps=5)
    gap = lambda model: np.abs(joint_of(model) - joint_of(slow)).sum()
    assert gap(again) < 0.1 * gap(cold)


def test_potentials_of_smaller_cliques_are_kept_when_the_tree_grows():
    codes = rows(3)
    two = [Measured(of, count(codes, of, SIZES), 1.0) for of in PAIRS[:2]]
    small = estimate(two, SIZES, steps=2_000)
    third = Measured(PAIRS[2], small.marginal((2,))[:, None] * np.ones(3) / 3, 1.0)
    grown = estimate([*two, third], SIZES, steps=1, start=small)
    assert np.allclose(marginal_of(joint_of(grown), (0, 1)), small.marginal((0, 1)), rtol=1e-3)


@pytest.mark.parametrize("sigma", [1.0, 4.0])
def test_the_number_of_rows_is_the_inverse_variance_mean_of_the_sums(sigma):
    tables = [
        Measured((0,), np.array([40.0, 60.0]), sigma),
        Measured((1,), np.array([25.0, 25.0, 20.0, 50.0]), sigma),
    ]
    assert np.isclose(total_of(tables), (100 / 2 + 120 / 4) / (1 / 2 + 1 / 4))


def test_without_tables_every_cell_is_alike():
    assert np.allclose(estimate([], (2, 5), total=10.0).marginal((1,)), 2.0)
