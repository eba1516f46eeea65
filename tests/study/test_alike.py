"""Train and holdout of one law are called alike, others are not."""

import numpy as np
import pandas as pd

from understudy.study.alike import unlike_columns
from understudy.table.evidence import Evidence


def rows(size, seed, shift=0.0, rare=0.3, holes=0.1):
    rng = np.random.default_rng(seed)
    x = rng.normal(shift, 1, size)
    x[rng.random(size) < holes] = np.nan
    return pd.DataFrame(
        {"x": x, "y": np.where(rng.random(size) < rare, "a", "b"), "z": rng.integers(0, 40, size).astype(str)}
    )


def unlike(holdout):
    return unlike_columns(Evidence(train=rows(600, 0), holdout=holdout, synthetic=rows(50, 1)))


def test_halves_of_one_law_are_alike_in_200_draws():
    assert sum(bool(unlike(rows(300, seed))) for seed in range(2, 202)) <= 2


def test_a_shift_other_shares_and_other_gaps_are_seen():
    assert unlike(rows(300, 3, shift=0.6)) == ["x"]
    assert unlike(rows(300, 3, rare=0.6)) == ["y"]
    assert unlike(rows(300, 3, holes=0.4)) == ["x"]


def test_without_a_holdout_there_is_nothing_to_tell():
    assert unlike_columns(Evidence(train=rows(60, 0), synthetic=rows(50, 1))) == []


def test_a_column_that_is_missing_in_one_table_is_unlike():
    assert unlike(rows(300, 3, holes=1.1)) == ["x"]
