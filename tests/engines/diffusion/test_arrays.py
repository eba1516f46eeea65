"""Weights leave a network as arrays and come back to one of the same build."""

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.arrays import arrays_of, load_arrays


def linear(seed, inputs=3):
    torch.manual_seed(seed)
    return torch.nn.Linear(inputs, 2)


def test_networks_come_back_with_their_own_weights():
    first, second = linear(0), linear(1)
    arrays = arrays_of(first=first, second=second)
    one, two = linear(2), linear(3)
    load_arrays(arrays, first=one, second=two)
    rows = torch.ones(1, 3)
    assert torch.equal(one.cpu()(rows), first(rows))
    assert torch.equal(two.cpu()(rows), second(rows))


def test_what_was_written_down_is_not_shared_with_the_network():
    network = linear(0)
    arrays = arrays_of(network=network)
    before = arrays["network.bias"].copy()
    for _ in range(2):  # written down from it, then loaded into it
        with torch.no_grad():
            network.bias.add_(1)
        assert np.array_equal(arrays["network.bias"], before)
        load_arrays(arrays, network=network)


@pytest.mark.parametrize("other", [linear(0, inputs=4), torch.nn.Sequential(linear(0))])
def test_weights_of_another_build_are_refused(other):
    with pytest.raises(RuntimeError):
        load_arrays(arrays_of(network=linear(0)), network=other)


def test_weights_under_another_name_are_refused():
    with pytest.raises(RuntimeError):
        load_arrays(arrays_of(vae=linear(0)), denoiser=linear(1))
