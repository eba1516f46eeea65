import numpy as np
import pytest
from scipy import stats

from understudy.engines.dpsgd.whole import WholeNormals
from understudy.privacy.stream import Stream

N = 300_000


def drawn(scale, seed=1, n=N):
    out = np.empty(n, np.float32)
    WholeNormals().fill(Stream.unsafe_test_noise(seed), scale, out)
    return out


@pytest.mark.parametrize("scale", [50.0, 1000.0, 2.0**19, 2.0**20 - 1])
def test_the_noise_is_normal_at_its_scale_and_at_no_other(scale):
    found = drawn(scale)
    assert np.array_equal(found, np.rint(found))
    smooth = found + np.random.default_rng(0).uniform(-0.5, 0.5, N)  # undoes the rounding at small scales
    assert stats.kstest(smooth / scale, "norm").pvalue > 1e-6
    assert stats.kstest(smooth / scale * 1.05, "norm").pvalue < 1e-6


@pytest.mark.parametrize("n", [0, 1, 2, 65_535, 65_536, 65_537])
def test_every_place_is_filled(n):
    assert np.count_nonzero(drawn(2.0**19, n=n)) >= n - 1


def test_neighbours_are_not_correlated_and_streams_differ():
    one, other = drawn(1000.0), drawn(1000.0, seed=2)
    for pair in ((one[1:], one[:-1]), (one, other), (one[: N // 2], one[N // 2 :])):
        assert abs(np.corrcoef(*pair)[0, 1]) < 0.012
