from itertools import combinations

import numpy as np
import pytest

from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.gum import gum, independent_rows
from understudy.engines.marginals.settle import settle


def hidden(n, sizes, seed=0):
    """Return rows in which all attributes follow one that is not there."""
    rng = np.random.default_rng(seed)
    cause = rng.random(n)
    return [np.clip((size * (cause + 0.1 * rng.normal(size=n))).astype(int), 0, size - 1) for size in sizes]


def pairs_of(codes, sizes):
    return [Measured(pair, count(codes, pair, sizes), 1.0) for pair in combinations(range(len(sizes)), 2)]


def error(rows, tables, sizes):
    """Return the mean total variation of the rows' tables from the wanted ones."""
    apart = [
        np.abs(count(list(rows), t.of, sizes) / rows.shape[1] - t.table / t.table.sum()).sum() / 2
        for t in tables
    ]
    return float(np.mean(apart))


def start(codes, sizes, rows):
    one_way = [count(codes, (place,), sizes) for place in range(len(sizes))]
    return independent_rows(one_way, rows, np.random.default_rng(1))


def test_tables_with_more_cells_than_rows_are_met_where_gum_is_lost():
    sizes = (25,) * 6
    codes = hidden(600, sizes)
    tables = pairs_of(codes, sizes)
    moved = gum(start(codes, sizes, 600), tables, sizes, np.random.default_rng(2))
    found = settle(moved, tables, sizes, np.random.default_rng(3), 10)
    assert error(found, tables, sizes) < 0.12 < 0.2 < error(moved, tables, sizes)


@pytest.mark.parametrize("rows", [1_000, 30_000])
def test_what_gum_leaves_of_dense_tables_is_halved(rows):
    sizes = (2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 2, 2)
    codes = hidden(rows, sizes)
    tables = pairs_of(codes, sizes)
    moved = gum(start(codes, sizes, rows), tables, sizes, np.random.default_rng(2))
    found = settle(moved, tables, sizes, np.random.default_rng(3), 6)
    assert error(found, tables, sizes) < 0.5 * error(moved, tables, sizes)


def test_rows_that_fit_stay_as_they_are():
    sizes = (5, 4, 6)
    codes = np.array(hidden(500, sizes), dtype=np.int32)
    assert np.array_equal(settle(codes, pairs_of(list(codes), sizes), sizes, np.random.default_rng(0)), codes)


@pytest.mark.parametrize("rows", [5, 40, 3_000])
def test_squared_gaps_never_grow(rows):
    sizes = (4, 3, 5)
    codes = hidden(rows, sizes)
    tables = pairs_of(codes, sizes)

    def gaps(of):
        return sum(((count(list(of), t.of, sizes) - t.table) ** 2).sum() for t in tables)

    found = start(codes, sizes, rows)
    for seed in range(10):
        before = gaps(found)
        found = settle(found, tables, sizes, np.random.default_rng(seed), 1)
        assert gaps(found) <= before


def test_tables_of_one_and_of_three_attributes_count_too():
    sizes = (3, 3, 3, 4)
    codes = hidden(2_000, sizes)
    tables = [Measured((0, 1, 2), count(codes, (0, 1, 2), sizes), 1.0), Measured((3,), np.ones(4), 1.0)]
    found = settle(start(codes, sizes, 2_000), tables, sizes, np.random.default_rng(0), 20)
    assert error(found, tables, sizes) < 0.02


def test_the_same_seed_gives_the_same_rows_and_the_given_ones_are_left_alone():
    sizes = (5, 4, 6)
    codes = hidden(300, sizes)
    rows = start(codes, sizes, 300)
    kept = rows.copy()
    first, second = (settle(rows, pairs_of(codes, sizes), sizes, np.random.default_rng(4)) for _ in range(2))
    assert np.array_equal(first, second) and np.array_equal(rows, kept)


def test_no_rows_one_row_and_no_tables():
    rng = np.random.default_rng(0)
    tables = [Measured((0, 1), np.zeros((2, 2)), 1.0), Measured((0, 1), np.eye(2), 1.0)]
    assert settle(np.zeros((2, 0), dtype=np.int32), tables, (2, 2), rng).shape == (2, 0)
    assert settle(np.zeros((2, 1), dtype=np.int32), tables, (2, 2), rng).shape == (2, 1)
    assert settle(np.zeros((2, 5), dtype=np.int32), [], (2, 2), rng).tolist() == np.zeros((2, 5)).tolist()
