"""Identical matches: cell for cell, beside what chance makes."""

import numpy as np
import pandas as pd
import pytest

from attacks.tried import laws
from understudy.attacks.identical_match import IdenticalMatch
from understudy.measuring.nearby import DESCRIPTION
from understudy.table.evidence import Evidence


def test_a_copy_matches_in_every_row_and_half_a_copy_in_half():
    copy, half, fresh = (IdenticalMatch()(laws(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value == 1.0
    assert half.value == pytest.approx(0.5, abs=0.01)
    assert fresh.value <= 0.01
    assert fresh.low <= fresh.null <= fresh.high
    assert DESCRIPTION in copy.notes


def test_the_interval_covers_the_null_for_fresh_tables():
    found = [IdenticalMatch()(laws("fresh", rows=60, seed=seed)) for seed in range(100)]
    assert sum(result.low <= result.null <= result.high for result in found) >= 93


def test_missing_cells_match_and_a_hair_of_difference_does_not():
    train = pd.DataFrame({"x": [1.5, np.nan, 2.5, 4.5], "y": ["a", "b", "b", "a"]})
    holdout = pd.DataFrame({"x": [7.5, 8.5, 9.5, 3.5], "y": ["a", "b", "b", "a"]})
    synthetic = pd.DataFrame({"x": [1.5, np.nan, 2.5 + 1e-12, 4.5], "y": ["a", "b", "b", "b"]})
    found = IdenticalMatch()(Evidence(train=train, holdout=holdout, synthetic=synthetic))
    assert found.value == 0.5
    assert found.null == 0.0


def test_rows_that_coincide_by_chance_coincide_with_the_holdout_too():
    rng = np.random.default_rng(0)
    tables = {r: pd.DataFrame({"x": rng.choice(list("abc"), 200)}) for r in ("train", "holdout", "synthetic")}
    found = IdenticalMatch()(Evidence(**tables))
    assert found.value == found.null == 1.0


def test_the_whole_training_table_is_looked_at_too():
    train = pd.DataFrame({"x": np.arange(100) + 0.5})
    other = pd.DataFrame({"x": np.arange(10) + 500.5})
    found = IdenticalMatch()(Evidence(train=train, holdout=other, synthetic=train))
    assert found.parts["among_all_training_rows"] == 1.0
    assert found.value == pytest.approx(0.1)


def test_without_a_holdout_a_copy_is_told_from_rows_that_coincide_by_chance():
    copy, fresh = (laws(kind) for kind in ("copy", "fresh"))
    copied, drawn = (
        IdenticalMatch()(Evidence(train=shown.table("train"), synthetic=shown.table("synthetic")))
        for shown in (copy, fresh)
    )
    assert copied.value == 1.0
    assert copied.low > copied.null + 0.5
    assert drawn.low <= drawn.null <= drawn.high
    assert any("holdout" in note for note in drawn.notes)


def test_without_a_holdout_few_levels_are_no_copies():
    rng = np.random.default_rng(0)
    tables = {role: pd.DataFrame({"x": rng.choice(list("abc"), 200)}) for role in ("train", "synthetic")}
    found = IdenticalMatch()(Evidence(**tables))
    assert found.value == found.null == 1.0


def test_a_single_training_row_says_nothing_without_a_holdout():
    one = pd.DataFrame({"x": [1.5]})
    assert np.isnan(IdenticalMatch()(Evidence(train=one, synthetic=one)).value)
