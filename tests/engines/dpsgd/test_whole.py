import numpy as np
import pytest
import torch
from scipy import stats

from understudy.engines.dpsgd.whole import WholeNormals
from understudy.privacy.stream import Stream

N = 300_000


def drawn(scale, seed=1, n=N, step=0):
    out, normals = torch.empty(n), WholeNormals(n)
    normals.fill(Stream.unsafe_test_noise(seed), step * normals.cipher_blocks, scale, out)
    return out.numpy()


@pytest.mark.parametrize("scale", [50.0, 1000.0, 2.0**19, 2.0**20 - 1])
def test_the_noise_is_normal_at_its_scale_and_at_no_other(scale):
    found = drawn(scale)
    assert np.array_equal(found, np.rint(found))
    smooth = found + np.random.default_rng(0).uniform(-0.5, 0.5, N)  # undoes the rounding at small scales
    assert stats.kstest(smooth / scale, "norm").pvalue > 1e-6
    assert stats.kstest(smooth / scale * 1.05, "norm").pvalue < 1e-6


@pytest.mark.parametrize("n", [1, 2, 32_767, 32_769, 262_143, 262_144, 262_145])
def test_every_place_is_filled(n):
    assert np.count_nonzero(drawn(2.0**19, n=n)) >= n - 1


def test_neighbours_are_not_correlated_and_streams_differ():
    one, other = drawn(1000.0), drawn(1000.0, seed=2)
    for pair in ((one[1:], one[:-1]), (one, other), (one[: N // 2], one[N // 2 :])):
        assert abs(np.corrcoef(*pair)[0, 1]) < 0.012


@pytest.mark.parametrize("n", [1, 5, 1_000, 262_145])
def test_no_two_steps_take_a_block_in_common(n):
    normals, taken = WholeNormals(n), []

    class Watched:
        def fill_at(self, first, room):
            taken.append(range(first, first - (-len(room) // 16)))
            room[:] = 1

    for step in range(3):
        normals.fill(Watched(), step * normals.cipher_blocks, 100.0, torch.empty(n))
    blocks = [block for each in taken for block in each]
    assert len(blocks) == len(set(blocks))
    assert max(blocks) < 3 * normals.cipher_blocks


def test_a_step_can_be_drawn_again_and_differs_from_the_next():
    first, again, other = drawn(1000.0, step=4), drawn(1000.0, step=4), drawn(1000.0, step=5)
    assert np.array_equal(first, again)
    assert abs(np.corrcoef(first, other)[0, 1]) < 0.012
