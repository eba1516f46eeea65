"""Kernel estimator: known densities, no underflow, copies."""

import numpy as np
import pytest
from scipy import stats

from attacks.tried import laws, scores
from understudy.attacks.kernel_estimator import KernelEstimator


def test_the_score_is_the_log_density_in_deviations_of_the_synthetic_rows():
    synthetic = np.array([0.0, 1.0, 5.0])
    found = scores(KernelEstimator(bandwidth=0.5), [0.5, 4.0], synthetic)
    apart = (np.array([[0.5], [4.0]]) - synthetic) / synthetic.std()
    assert found == pytest.approx(np.log(stats.norm.pdf(apart, scale=0.5).mean(axis=1)))


def test_records_far_away_are_still_told_from_each_other():
    found = scores(KernelEstimator(bandwidth=0.01), [1e3, 2e3, 3e3], [0.0, 1.0, 2.0])
    assert np.isfinite(found).all()
    assert found[0] > found[1] > found[2]


def test_the_nearest_row_counts_although_it_was_not_drawn():
    few = KernelEstimator(rows=30)(laws("copy"))
    assert few.value > 0.95
    synthetic = np.linspace(0, 5, 40)
    found = scores(KernelEstimator(bandwidth=0.01, rows=1), synthetic[:9].tolist(), synthetic)
    alone = np.log(stats.norm.pdf(0, scale=0.01))
    assert found.min() == pytest.approx(alone) and (found > alone - 1e-9).all()


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (KernelEstimator()(laws(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
