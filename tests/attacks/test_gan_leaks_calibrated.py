"""GAN-Leaks, calibrated: the known answers, and what the reference is for."""

import numpy as np
import pytest

from attacks.tried import scores, wide
from understudy.attacks.gan_leaks_calibrated import GANLeaksCalibrated

# The reference rows have deviations 1 and 1, so the encoder leaves straight distances as they are.
REFERENCE = [(1.0, 0.0), (3.0, 2.0), (1.0, 2.0), (3.0, 0.0)]


@pytest.mark.parametrize(("squared", "expected"), [(True, -24.0), (False, -4.0)])
def test_the_reference_row_at_1_takes_off_from_the_synthetic_row_at_5(squared, expected):
    found = scores(GANLeaksCalibrated(squared=squared), [(0.0, 0.0)], [(3.0, 4.0)], REFERENCE)
    assert found[0] == pytest.approx(expected)


def test_the_published_score_is_its_sigmoid():
    found = scores(GANLeaksCalibrated(), [(0.0, 0.0)], [(3.0, 4.0)], REFERENCE)
    assert 1 / (1 + np.exp(-found[0])) == pytest.approx(3.77513e-11, rel=1e-5)


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (GANLeaksCalibrated()(wide(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
