"""Squares of columns: symmetric, known answers, and the right half of them confidential."""

import numpy as np
import pandas as pd

from understudy.study.grids import MOST, associations, grids, pair_differences
from understudy.table.evidence import Evidence


def table(seed, size=2_000, flip=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=size)
    y = np.where(x > 0, "a", "b")
    return pd.DataFrame({"x": x, "minus": -flip * x, "y": y, "same": y, "noise": rng.normal(size=size)})


def test_associations_have_known_answers():
    shown = Evidence(train=table(0), synthetic=table(1))
    found = associations(shown.coded("train"))
    assert np.allclose(found, found.T, equal_nan=True)
    assert found[0, 1] == -1.0 and abs(found[2, 3] - 1) < 1e-9
    assert abs(found[0, 4]) < 0.1
    assert 0.75 < found[0, 2] < 0.85  # eta of a normal and its sign: the root of 2 over pi


def test_pairs_that_were_turned_round_differ_and_columns_do_not():
    shown = Evidence(train=table(0), synthetic=table(1, flip=-1.0))
    found = pair_differences(shown.coded("train"), shown.coded("synthetic"))
    assert found[0, 1] > 0.7
    assert np.diag(found).max() < 0.1


def test_what_real_rows_say_is_confidential():
    found = grids(Evidence(train=table(0), synthetic=table(1)))
    assert [grid.confidential for grid in found] == [False, True, True]
    assert all(len(grid.values) == len(grid.names) == 5 for grid in found)


def test_of_wide_tables_the_first_columns_are_shown():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(60, MOST + 5)), columns=[f"c{n}" for n in range(MOST + 5)])
    assert all(len(grid.names) == MOST for grid in grids(Evidence(train=wide, synthetic=wide)))


def test_constant_columns_and_levels_alone_do_no_harm():
    flat = pd.DataFrame({"k": ["one"] * 30, "y": ["a", "b"] * 15})
    assert len(grids(Evidence(train=flat, synthetic=flat))) == 3
