"""Bars: of synthetic rows alone, none of fewer than ten, with round ends, and no level of real rows alone."""

import numpy as np
import pandas as pd

from understudy.study.histograms import FEWEST, MOST_LEVELS, histograms
from understudy.table.evidence import Evidence


def bars(train, synthetic):
    return {each.column: each for each in histograms(Evidence(train=train, synthetic=synthetic))}


def test_no_bar_has_fewer_than_ten_rows_and_all_rows_are_counted():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"x": rng.normal(size=500), "y": rng.choice(list("abcdefgh"), 500, p=[0.6, 0.3, *[1 / 60] * 6])}
    )
    for each in bars(table, table).values():
        assert min(each.synthetic) * 500 >= FEWEST - 1e-9
        assert abs(sum(each.synthetic) + each.hidden - 1) < 1e-9
        assert each.real == each.synthetic


def test_a_level_that_only_real_rows_have_is_never_named():
    train = pd.DataFrame({"y": ["secret"] * 50 + ["a"] * 50})
    found = bars(train, pd.DataFrame({"y": ["a"] * 40 + ["b"] * 60}))["y"]
    assert found.labels == ("a", "b")
    assert found.real == (0.5, 0.0)


def test_the_ends_of_cells_are_round_and_no_extreme_is_told():
    values = np.append(np.linspace(20, 80, 300), 98_765.4321)
    found = bars(pd.DataFrame({"x": values}), pd.DataFrame({"x": values}))["x"]
    assert not any("98" in label for label in found.labels)
    assert found.labels[-1].startswith("above") and found.labels[0].startswith("up to")


def test_missing_cells_have_a_bar_and_many_levels_one_for_the_rest():
    rng = np.random.default_rng(1)
    many = pd.DataFrame({"y": [*(f"v{n}" for n in rng.integers(0, 30, 900)), *[None] * 100]})
    found = bars(many, many)["y"]
    assert found.labels[0] == "missing" and found.labels[-1] == "other"
    assert len(found.labels) == MOST_LEVELS + 2


def test_tables_of_a_few_rows_show_nothing():
    found = bars(pd.DataFrame({"x": [1.5, 2.5]}), pd.DataFrame({"x": [1.5, 2.5]}))["x"]
    assert found.labels == () and found.hidden == 1.0
