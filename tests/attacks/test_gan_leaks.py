"""GAN-Leaks: the known answer, and no underflow."""

import numpy as np
import pytest

from attacks.tried import laws, scores
from understudy.attacks.gan_leaks import GANLeaks

# Two deviations of 1 each: the encoder then leaves straight distances as they are.
UNIT = [(-1.0, -1.0), (1.0, 1.0)]


def test_the_score_is_the_logarithm_of_the_published_one():
    # x = 0 and a synthetic row (3, 4): exp(-25) = 1.38879e-11; the synthetic rows have deviations 1 and 1.
    found = scores(GANLeaks(), [(0.0, 0.0)], [(3.0, 4.0), (5.0, 6.0)])
    assert np.exp(found[0]) == pytest.approx(1.38879e-11, rel=1e-5)


def test_records_far_away_are_not_all_tied():
    found = scores(GANLeaks(), [(100.0, 0.0), (200.0, 0.0)], UNIT)
    assert np.exp(found).tolist() == [0.0, 0.0]
    assert found[0] > found[1]


def test_copies_are_caught_and_half_of_them_half():
    copy, half, fresh = (GANLeaks()(laws(kind)) for kind in ("copy", "half", "fresh"))
    assert copy.value > 0.95
    assert copy.value > half.value > fresh.value
    assert fresh.low <= 0.5 <= fresh.high
