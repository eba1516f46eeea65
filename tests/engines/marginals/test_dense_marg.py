import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from understudy.engines.marginals.dense_marg import burden, dense_marg, join_triples, split_price


def noise_error(burdens, prices):
    """Return the expected absolute noise, each cell with the deviation that its table's price buys."""
    return sum(b / math.sqrt(math.pi * p) for b, p in zip(burdens, prices, strict=True))


def test_no_other_split_errs_less():
    burdens = np.array([4.0, 60.0, 900.0])
    best = split_price(burdens, 0.02)
    assert best.sum() == pytest.approx(0.02)
    found = minimize(
        lambda logits: noise_error(burdens, 0.02 * np.exp(logits) / np.exp(logits).sum()), np.zeros(3)
    )
    assert noise_error(burdens, best) <= found.fun * (1 + 1e-6)


def test_the_greedy_choice_is_the_best_of_all_subsets_for_pairs_of_one_size():
    rng = np.random.default_rng(0)
    for _ in range(20):
        apart, burdens, rho = 800 * rng.random(7), np.full(7, 25.0), 0.02

        def error(of, apart=apart, burdens=burdens, rho=rho):
            left = apart.sum() - apart[list(of)].sum()
            return left + (noise_error(burdens[list(of)], split_price(burdens[list(of)], rho)) if of else 0)

        every = (of for many in range(8) for of in combinations(range(7), many))
        best = min(every, key=error)
        assert sorted(dense_marg(apart, burdens, rho, 7)) == sorted(best)


def test_without_noise_every_dependent_pair_is_taken_and_without_dependence_none():
    assert dense_marg([3.0, 1.0, 2.0], [4.0] * 3, math.inf, 9) == [0, 2, 1]
    assert dense_marg([0.0, -5.0], [4.0] * 2, math.inf, 9) == []
    assert dense_marg([], [], 1.0, 9) == []


def test_no_more_pairs_than_allowed_are_taken():
    assert dense_marg([3.0, 1.0, 2.0], [4.0] * 3, math.inf, 2) == [0, 2]


def test_of_two_equally_dependent_pairs_the_smaller_comes_first():
    assert dense_marg([500.0, 500.0], [100.0, 4.0], 0.05, 1) == [1]


def test_a_burden_is_the_error_of_the_pairs_read_off_a_table():
    rng, sizes = np.random.default_rng(0), (2, 3, 4)
    noise = rng.normal(size=(4_000, *sizes))
    sums = [np.abs(noise.sum(axis=axis)).sum(axis=(1, 2)).mean() for axis in (1, 2, 3)]
    assert sum(sums) == pytest.approx(math.sqrt(2 / math.pi) * burden((0, 1, 2), sizes), rel=0.02)


def test_only_small_triangles_become_triples_and_no_pair_is_measured_twice():
    pairs = list(combinations(range(4), 2))
    found = join_triples(pairs, (2, 2, 2, 2))
    covered = [pair for of in found for pair in combinations(of, 2)]
    assert sorted(covered) == pairs and max(len(of) for of in found) == 3
    assert join_triples(pairs, (9, 9, 9, 9)) == pairs
    assert join_triples([(0, 1), (1, 2)], (2, 2, 2)) == [(0, 1), (1, 2)]
