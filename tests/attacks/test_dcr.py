"""DCR: a share beside the holdout, never a promise."""

import numpy as np
import pandas as pd
import pytest

from attacks.tried import laws
from understudy.attacks.dcr import DCR, closer_share
from understudy.measuring.nearby import DESCRIPTION
from understudy.measuring.verdict import verdict
from understudy.table.evidence import Evidence


def test_ties_count_half():
    assert closer_share(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0])) == 0.5


def test_a_copy_in_the_same_order_is_a_copy():
    copy = DCR()(laws("copy"))
    assert copy.value > 0.98
    assert copy.parts["train_percentile_5"] == copy.parts["train_median"] == 0.0
    assert copy.parts["holdout_median"] > 0
    assert verdict(copy) == "unlike"


def test_half_a_copy_lands_between_and_a_fresh_table_at_one_half():
    half, fresh = DCR()(laws("half")), DCR()(laws("fresh"))
    assert 0.6 < half.value < 0.9
    assert fresh.low <= 0.5 <= fresh.high


def test_the_interval_covers_one_half_for_fresh_tables():
    found = [DCR()(laws("fresh", rows=60, seed=seed)) for seed in range(100)]
    assert sum(result.low <= 0.5 <= result.high for result in found) >= 93  # of 400 seeds 95.5 %


def test_a_larger_training_table_is_not_nearer_for_its_size():
    rng = np.random.default_rng(0)
    sizes = {"train": 900, "holdout": 100, "synthetic": 400}
    tables = {
        role: pd.DataFrame({"x": rng.random(size), "y": rng.random(size)}) for role, size in sizes.items()
    }
    found = DCR()(Evidence(**tables))
    assert found.low <= 0.5 <= found.high


def test_it_is_never_called_better_and_says_that_it_describes():
    train, holdout = (laws("fresh").table(role) for role in ("train", "holdout"))
    found = DCR()(Evidence(train=train, holdout=holdout, synthetic=holdout))
    assert found.value < 0.05
    assert verdict(found) == "unlike"
    assert DESCRIPTION in found.notes


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_narrow_columns_count_like_wide_ones(scale):
    rng = np.random.default_rng(3)
    tables = {role: rng.random((80, 2)) * [scale, 1.0] for role in ("train", "holdout", "synthetic")}
    shown = Evidence(**{role: pd.DataFrame(rows, columns=["x", "y"]) for role, rows in tables.items()})
    same = Evidence(
        **{role: pd.DataFrame(rows / [scale, 1.0], columns=["x", "y"]) for role, rows in tables.items()}
    )
    assert DCR()(shown).value == DCR()(same).value


def test_without_a_holdout_there_is_no_value():
    shown = laws("fresh")
    found = DCR()(Evidence(train=shown.table("train"), synthetic=shown.table("synthetic")))
    assert np.isnan(found.value)
    assert any("holdout" in note for note in found.notes)
