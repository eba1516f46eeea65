"""Gen-LRA: the known answer, and the closed form against the definition."""

import numpy as np
import pytest
from scipy import stats

from attacks.tried import scores, wide
from understudy.attacks.gen_lra import GenLRA
from understudy.engines.density import bandwidth

REFERENCE = np.array([0.0, 1.0, 2.0, 5.0])
SYNTHETIC = np.array([1.4, 1.6, 3.0])


def of_width(width, **settings):
    """The attack whose kernels are as wide as this, whatever the rule says."""
    return GenLRA(width=width / (bandwidth("scott", 4, 1) * REFERENCE.std(ddof=1)), **settings)


def test_the_gain_of_three_rows_is_known():
    found = scores(of_width(0.7, k=3), [1.5], SYNTHETIC, REFERENCE)
    assert found[0] == pytest.approx(0.499743, abs=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_closed_form_is_the_definition_for_the_nearest_rows_in_their_own_order(k):
    def log_density(points, at):
        return np.log(stats.norm.pdf(np.subtract.outer(at, points), scale=0.7).mean(axis=1))

    for x in (1.5, 2.9, -4.0):
        near = SYNTHETIC[np.argsort(np.abs(SYNTHETIC - x))[:k]]
        expected = (log_density(np.append(REFERENCE, x), near) - log_density(REFERENCE, near)).sum()
        found = scores(of_width(0.7, k=k), [x], SYNTHETIC, REFERENCE)
        assert found[0] == pytest.approx(expected, abs=1e-9)


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (GenLRA()(wide(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
