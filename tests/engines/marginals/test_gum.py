from itertools import combinations

import numpy as np
import pytest

from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.gum import Pace, gum, independent_rows

SIZES = (4, 5, 3, 2, 6)


def real(n=5_000, seed=0):
    """Return rows in which every attribute hangs on two before it."""
    rng = np.random.default_rng(seed)
    codes = [rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])]
    for size in SIZES[1:]:
        mixed = (codes[-1] + (codes[-2] if len(codes) > 1 else 0)) % size
        codes.append(np.where(rng.random(n) < 0.7, mixed, rng.integers(0, size, n)))
    return codes


def wanted(codes, of=None):
    pairs = of or list(combinations(range(len(SIZES)), 2))
    return [Measured(pair, count(codes, pair, SIZES), 1.0) for pair in pairs]


def start(codes, rows, seed=1):
    one_way = [count(codes, (place,), SIZES) for place in range(len(SIZES))]
    return independent_rows(one_way, rows, np.random.default_rng(seed))


def error(rows, tables):
    """Return the mean total variation of the rows' tables from the wanted ones."""
    apart = [
        np.abs(count(list(rows), t.of, SIZES) / rows.shape[1] - t.table / t.table.sum()).sum() / 2
        for t in tables
    ]
    return float(np.mean(apart))


def test_the_rows_tables_are_the_wanted_ones_for_every_pair():
    codes = real()
    tables, rows = wanted(codes), start(codes, 5_000)
    found = gum(rows, tables, SIZES, np.random.default_rng(2))
    assert error(found, tables) < 0.004 < 0.1 < error(rows, tables)


@pytest.mark.parametrize("rows", [1_000, 20_000])
def test_the_number_of_rows_need_not_be_that_of_the_tables(rows):
    codes = real()
    tables = wanted(codes)
    found = gum(start(codes, rows), tables, SIZES, np.random.default_rng(2))
    assert found.shape == (len(SIZES), rows)
    assert error(found, tables) < 12 / rows + 0.004


def test_one_table_is_reached_to_the_row():
    codes = real()
    tables = wanted(codes, [(1, 4)])
    found = gum(start(codes, 5_000), tables, SIZES, np.random.default_rng(3))
    assert np.abs(count(list(found), (1, 4), SIZES) - tables[0].table).sum() <= 2


def test_tables_of_three_are_reached():
    codes = real()
    tables = wanted(codes, [(0, 1, 2), (2, 3, 4)])
    found = gum(start(codes, 5_000), tables, SIZES, np.random.default_rng(3))
    assert error(found, tables) < 0.004


def test_attributes_without_a_table_keep_their_own_when_it_is_given():
    codes = real()
    tables = [*wanted(codes, [(0, 1)]), Measured((4,), count(codes, (4,), SIZES), 1.0)]
    found = gum(start(codes, 5_000), tables, SIZES, np.random.default_rng(3))
    assert error(found, tables) < 0.002


def test_tables_at_odds_with_each_other_are_met_in_between():
    told = [Measured((0, 1), np.eye(2), 1.0), Measured((0, 1), np.ones((2, 2)), 1.0)]
    rows = independent_rows([np.ones(2), np.ones(2)], 4_000, np.random.default_rng(0))
    found = gum(rows, told, (2, 2), np.random.default_rng(1), Pace(rounds=100))
    same = float((found[0] == found[1]).mean())
    assert 0.6 < same < 0.9


def test_empty_cells_are_filled_and_cells_that_must_be_empty_emptied():
    target = np.array([[0.0, 50.0], [50.0, 0.0]])
    rows = np.zeros((2, 100), dtype=np.int32)
    found = gum(rows, [Measured((0, 1), target, 1.0)], (2, 2), np.random.default_rng(0))
    assert count(list(found), (0, 1), (2, 2)).tolist() == target.tolist()


def test_the_same_seed_gives_the_same_rows_and_the_given_ones_are_left_alone():
    codes = real(500)
    rows = start(codes, 500)
    kept = rows.copy()
    first, second = (gum(rows, wanted(codes), SIZES, np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(first, second) and np.array_equal(rows, kept)


def test_no_rows_one_row_and_tables_without_any_mass():
    empty = Measured((0, 1), np.zeros((4, 5)), 1.0)
    rng = np.random.default_rng(0)
    assert gum(np.zeros((5, 0), dtype=np.int32), [empty], SIZES, rng).shape == (5, 0)
    one = gum(np.zeros((5, 1), dtype=np.int32), [empty, *wanted(real(50))], SIZES, rng)
    assert one.shape == (5, 1)


def test_more_cells_than_sixteen_bits_are_counted_as_well():
    sizes, rng = (300, 300), np.random.default_rng(0)
    first = rng.integers(0, 300, 3_000)
    table = count([first, first], (0, 1), sizes)
    rows = independent_rows([table.sum(axis=1), table.sum(axis=0)], 3_000, rng)
    found = gum(rows, [Measured((0, 1), table, 1.0)], sizes, rng)
    assert (found[0] == found[1]).mean() > 0.99


def test_independent_rows_follow_each_table_to_the_row():
    rows = independent_rows([np.array([3.0, 1.0]), np.array([1.0, 1.0])], 400, np.random.default_rng(0))
    assert np.bincount(rows[0]).tolist() == [300, 100] and np.bincount(rows[1]).tolist() == [200, 200]
    assert abs(np.corrcoef(rows)[0, 1]) < 0.2
    assert independent_rows([], 7, np.random.default_rng(0)).shape == (0, 7)
