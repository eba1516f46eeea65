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


def test_halves_of_one_law_are_alike_in_60_draws():
    assert sum(bool(unlike(rows(300, seed))) for seed in range(2, 62)) <= 1


def test_a_shift_other_shares_and_other_gaps_are_seen():
    assert unlike(rows(300, 3, shift=0.6)) == ["x"]
    assert unlike(rows(300, 3, rare=0.6)) == ["y"]
    assert unlike(rows(300, 3, holes=0.4)) == ["x"]


def test_without_a_holdout_there_is_nothing_to_tell():
    assert unlike_columns(Evidence(train=rows(60, 0), synthetic=rows(50, 1))) == []


def test_a_column_that_is_missing_in_one_table_is_unlike():
    assert unlike(rows(300, 3, holes=1.1)) == ["x"]


def test_columns_that_go_together_otherwise_are_seen_as_a_whole():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 400))
    one, other, more = (
        pd.DataFrame({"x": each, "y": sign * each}) for each, sign in zip(x, (1, -1, 1), strict=True)
    )
    assert unlike_columns(Evidence(train=one, holdout=other, synthetic=more)) == ["rows as a whole"]


def test_a_small_holdout_and_many_levels_raise_no_false_alarms():
    # At one in a thousand, 300 draws raise 0.3 false alarms.
    alarms = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        train, holdout = (pd.DataFrame({"z": rng.integers(0, 16, size).astype(str)}) for size in (1_000, 12))
        alarms += bool(unlike_columns(Evidence(train=train, holdout=holdout, synthetic=train[:50])))
    assert alarms <= 3
