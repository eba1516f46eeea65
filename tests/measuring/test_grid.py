import numpy as np
import pytest

from known_tables import drawn
from understudy.measuring.grid import Grid, level_cells
from understudy.table.evidence import Evidence


@pytest.fixture(scope="module")
def tables():
    evidence = Evidence(train=drawn(400, 0, holes=0.2), synthetic=drawn(300, 1, holes=0.1))
    return evidence.coded("train"), evidence.coded("synthetic")


def test_the_bins_of_both_tables_are_those_of_the_real_rows(tables):
    real, synthetic = tables
    grid = Grid.fit(real, 5)
    for table in (real, synthetic):
        values, cells = table["income"], grid.cells(table, "income")
        assert all(values[cells == k].max() < values[cells == k + 1].min() for k in range(1, 5))


def test_missing_cells_are_cell_0_of_every_column(tables):
    real, _ = tables
    columns = Grid.fit(real, 5).columns(real)
    assert np.array_equal(columns["age"] == 0, np.isnan(real["age"]))
    assert np.array_equal(columns["place"] == 0, real["place"] < 0)
    assert np.array_equal(level_cells(real, "place"), columns["place"])


def test_counts_of_pairs_sum_to_counts_of_columns(tables):
    real, synthetic = tables
    grid = Grid.fit(real, 5, "width")
    one, other = grid.columns(real), grid.columns(synthetic)
    pair = grid.pair_counts(one, other, ("place", "age"))
    single = grid.counts(one["place"], other["place"], "place")
    for joint, alone in zip(pair, single, strict=True):
        assert joint.reshape(grid.widths["place"], -1).sum(axis=1).tolist() == alone.tolist()
