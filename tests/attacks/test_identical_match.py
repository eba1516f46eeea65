"""Identical matches: cell for cell, beside what chance makes."""

import numpy as np
import pandas as pd
import pytest

from attacks.tried import laws
from understudy.attacks.identical_match import IdenticalMatch
from understudy.measuring.nearby import DESCRIPTION
from understudy.study.judging import judged
from understudy.study.policy import default_policy
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


def test_every_training_row_counts_however_few_holdout_rows_there_are():
    train = pd.DataFrame({"x": np.arange(3_000) + 0.5})
    fresh = pd.DataFrame({"x": np.arange(2_800) + 9_000.5})
    other = pd.DataFrame({"x": np.arange(600) + 5_000.5})
    found = IdenticalMatch()(
        Evidence(train=train, holdout=other, synthetic=pd.concat([train[:200], fresh], ignore_index=True))
    )
    assert found.value == pytest.approx(200 / 3_000)
    assert found.null == pytest.approx(0.0, abs=1e-9)
    assert found.parts["among_as_many_training_rows"] == pytest.approx(200 / 3_000 / 5)
    assert found.parts["among_holdout_rows"] == 0.0
    assert found.low > 0.02


def test_the_default_policy_is_broken_by_copies_beside_a_small_holdout():
    train = pd.DataFrame({"x": np.arange(3_000) + 0.5})
    fresh = pd.DataFrame({"x": np.arange(2_800) + 9_000.5})
    other = pd.DataFrame({"x": np.arange(600) + 5_000.5})
    copies = pd.concat([train[:200], fresh], ignore_index=True)
    found = IdenticalMatch()(Evidence(train=train, holdout=other, synthetic=copies))
    (line,) = [
        line for line in judged(default_policy(), [found], None) if line.what == "privacy.identical_match"
    ]
    assert line.verdict == "broken"


@pytest.mark.parametrize("levels", [200, 3_000, 100_000])
def test_chance_among_more_rows_than_the_holdout_has_is_no_copy(levels):
    rng = np.random.default_rng(0)
    sizes, within = {"train": 3_000, "holdout": 300, "synthetic": 2_000}, 0
    for _ in range(50):
        tables = {role: pd.DataFrame({"x": rng.integers(levels, size=n) + 0.5}) for role, n in sizes.items()}
        found = IdenticalMatch()(Evidence(**tables))
        within += found.low <= found.null <= found.high
    assert within >= 46


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
