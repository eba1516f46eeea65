import math

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from engines.dpsgd.networks import plan_of
from understudy.engines.dpsgd.grid import Grid
from understudy.engines.dpsgd.whole import WholeNormals
from understudy.errors import ParameterError
from understudy.privacy.noise import normals
from understudy.privacy.stream import Stream

PLANS = st.builds(
    plan_of,
    noise=st.floats(0.01, 100),
    clip=st.floats(1e-3, 1e3),
    style=st.sampled_from(["flat", "batch"]),
)


@given(PLANS, st.integers(1, 10**6))
def test_clip_and_both_roundings_together_stay_within_the_sensitivity(plan, dimension):
    grid = Grid.of(plan, dimension)
    multiple = plan.sensitivity / plan.clip
    moved = multiple * grid.inner * (1 + 2**-9 + 2**-10) + grid.step * math.sqrt(dimension)
    assert moved <= plan.sensitivity
    assert grid.deviation / grid.step < 2**20 and math.log2(grid.step).is_integer()


def test_a_grid_that_would_eat_the_clip_is_refused():
    with pytest.raises(ParameterError, match="too large"):
        Grid.of(plan_of(noise=1e4), 10**7)


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=20), PLANS, st.integers(-(2**23), 2**23))
def test_what_is_released_is_a_function_of_the_exact_sum_of_two_whole_numbers(values, plan, noise):
    grid = Grid.of(plan, len(values))
    total = torch.tensor(values)
    exact = [round(v / grid.step) + noise for v in total.tolist()]
    grid.release(total, torch.full((len(values),), float(noise)), 1.0)
    assert total.tolist() == [float(np.float32(whole)) * grid.step for whole in exact]


def whole(stream, scale, out):
    WholeNormals(len(out)).fill(stream, 0, scale, torch.from_numpy(out))


def low_bits(value, grid, draw):
    """Return how often each remainder by 8 comes out of a million releases of one sum."""
    total, noise = torch.full((10**6,), value), np.empty(10**6, np.float32)
    draw(Stream.unsafe_test_noise(3), grid.scale, noise)
    grid.release(total, torch.from_numpy(noise), 1.0)
    return torch.bincount((total / grid.step).long() & 7, minlength=8).double() / 10**6


SUMS = (0.1, 0.5, 1 / 3, -2.7)


@pytest.mark.parametrize("noise", [0.3, 1.0, 1.9, 7.0])
def test_the_last_bits_do_not_tell_which_sum_was_used(noise):
    grid = Grid.of(plan_of(noise=noise, clip=1.0), 10)
    for value in SUMS:
        assert (low_bits(value, grid, whole) - 1 / 8).abs().max() < 0.002  # six standard errors


def test_the_planted_bug_of_coarse_noise_is_caught():
    def coarse(stream, scale, out):
        out[:] = np.rint(normals(stream, len(out), np.float32) * np.float32(scale))

    grid = Grid.of(plan_of(noise=1.0, clip=1.0), 10)
    assert max(float((low_bits(value, grid, coarse) - 1 / 8).abs().max()) for value in SUMS) > 0.004
