from itertools import combinations

import numpy as np
import pytest

from understudy.engines.marginals.consistency import agree, consistent, norm_sub, overlaps
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured

SIZES = (3, 4, 2)


def rows(n=2_000, seed=0):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3, n)
    second = np.where(rng.random(n) < 0.6, first, rng.integers(0, 4, n))
    return [first, second, (second > 1).astype(int)]


def noisy(sigma=20.0, seed=0, cliques=((0,), (0, 1), (1, 2), (0, 2))):
    rng, codes = np.random.default_rng(seed), rows()
    tables = [count(codes, of, SIZES) for of in cliques]
    return [
        Measured(of, t + sigma * rng.normal(size=t.shape), sigma)
        for of, t in zip(cliques, tables, strict=True)
    ]


def test_norm_sub_keeps_the_total_and_the_order_and_leaves_nothing_negative():
    rng = np.random.default_rng(1)
    for _ in range(200):
        table = rng.normal(3, 10, size=(4, 5))
        found = norm_sub(table, 50.0)
        assert found.min() >= 0 and found.sum() == pytest.approx(50.0)
        kept = found > 0
        gaps = (table - found)[kept]
        assert np.ptp(gaps) < 1e-9  # the same is taken from each that is left
        assert (table[~kept] <= gaps[0] + 1e-9).all()


def test_norm_sub_of_a_negative_table_and_of_no_rows():
    assert norm_sub(np.array([-5.0, -9.0]), 2.0).tolist() == [2.0, 0.0]
    assert norm_sub(np.array([5.0, -9.0]), 0.0).tolist() == [0.0, 0.0]


def test_tables_agree_on_everything_they_share():
    found = agree(noisy(), overlaps([each.of for each in noisy()]), 2_000.0)
    for first, second in combinations(found, 2):
        for attribute in set(first.of) & set(second.of):
            sides = [
                each.table.sum(axis=tuple(at for at, a in enumerate(each.of) if a != attribute))
                for each in (first, second)
            ]
            assert np.allclose(*sides)
    assert all(each.table.sum() == pytest.approx(2_000) for each in found)


def test_a_table_of_less_noise_counts_for_more():
    told = [Measured((0,), np.array([10.0, 10.0]), 1.0), Measured((0,), np.array([16.0, 4.0]), 2.0)]
    found = agree(told, overlaps([(0,), (0,)]), 20.0)
    assert np.allclose(found[0].table, [10 + 6 / 5, 10 - 6 / 5])
    assert np.allclose(found[0].table, found[1].table)


def test_a_projection_counts_by_the_noise_of_all_the_cells_it_adds_up():
    told = [
        Measured((0,), np.array([10.0, 10.0]), 1.0),
        Measured((0, 1), np.array([[8.0, 8.0], [2.0, 2.0]]), 1.0),
    ]
    found = agree(told, overlaps([(0,), (0, 1)]), 20.0)
    assert np.allclose(found[0].table, [12.0, 8.0])  # weights 1 and 1/2


def test_consistent_tables_are_closer_to_the_truth():
    before = after = 0.0
    for seed in range(20):
        told = noisy(seed=seed)
        truth = [count(rows(), each.of, SIZES) for each in told]
        before += sum(np.abs(each.table - t).sum() for each, t in zip(told, truth, strict=True))
        found = consistent(told, 2_000.0)
        assert min(each.table.min() for each in found) >= 0
        after += sum(np.abs(each.table - t).sum() for each, t in zip(found, truth, strict=True))
    assert after < 0.8 * before


def test_exact_tables_stay_as_they_are():
    told = noisy(sigma=1e-9)
    found = consistent(told, 2_000.0)
    assert all(np.allclose(a.table, b.table) for a, b in zip(told, found, strict=True))


def test_no_tables_are_consistent():
    assert consistent([], 5.0) == []
