"""LOGAN: the classifier really sees both tables."""

import numpy as np

from attacks.tried import scores, wide
from understudy.attacks.logan import LOGAN

QUICK = LOGAN(trees=30)


def test_records_among_reference_rows_are_acquitted_and_those_among_synthetic_rows_accused():
    synthetic, reference = np.linspace(0, 1, 40), np.linspace(10, 11, 40)
    assert scores(QUICK, [0.5, 10.5], synthetic, reference).tolist() == [1.0, 0.0]


def test_the_reference_matters():
    # Trained on synthetic rows alone, as public code is, no reference could change a score.
    synthetic = np.linspace(0, 10, 60)
    one, other = (
        scores(QUICK, [2.0, 8.0], synthetic, where)
        for where in (np.linspace(0, 5, 60), np.linspace(5, 10, 60))
    )
    assert one[0] < one[1]
    assert other[0] > other[1]


def test_both_tables_count_the_same_whatever_their_sizes():
    rng = np.random.default_rng(0)
    found = scores(QUICK, rng.random(300), rng.random(3_000), rng.random(300))
    assert abs(found.mean() - 0.5) < 0.06


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (QUICK(wide(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
