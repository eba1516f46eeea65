"""Closest distance, Hamming: columns that differ are counted, missing cells agree."""

import numpy as np
import pandas as pd
import pytest

from attacks.tried import laws, scores
from understudy.attacks.closest_distance_hamming import ClosestDistanceHamming
from understudy.table.evidence import Evidence


def test_the_score_is_minus_the_number_of_columns_that_differ():
    synthetic = [(1.0, 2.0, 3.0), (7.0, 8.0, 9.0)]
    found = scores(ClosestDistanceHamming(), [(1.0, 2.0, 3.0), (1.0, 2.0, 4.0), (4.0, 4.0, 9.0)], synthetic)
    assert found.tolist() == [0.0, -1.0, -2.0]


def test_two_missing_cells_agree_and_one_does_not():
    train = pd.DataFrame({"x": [np.nan, np.nan, 3.5], "y": ["a", None, "b"]})
    other = pd.DataFrame({"x": [9.5, 8.5, 7.5], "y": ["b", "a", "b"]})
    synthetic = pd.DataFrame({"x": [np.nan, 3.5], "y": ["a", None]})
    shown = Evidence(train=train, holdout=other, synthetic=synthetic)
    assert ClosestDistanceHamming()(shown).per_record == (0.0, -1.0, -1.0)


def test_copies_with_a_little_noise_are_found_in_bins_and_missed_by_equality():
    rng = np.random.default_rng(0)
    members, others = rng.random((200, 4)), rng.random((200, 4))
    shown = {"train": members, "holdout": others, "synthetic": members + 1e-6}
    evidence = Evidence(**{role: pd.DataFrame(rows, columns=list("abcd")) for role, rows in shown.items()})
    exact, binned = (ClosestDistanceHamming(bins=bins)(evidence).value for bins in (0, 20))
    assert exact == pytest.approx(0.5)
    assert binned > 0.95


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (ClosestDistanceHamming()(laws(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
