"""The residual network: what it starts as, and what it is told of the time."""

import pytest
import torch

from understudy.engines.dpsgd.tape import can_be_taped
from understudy.engines.nets.residual import Residual, once
from understudy.errors import ParameterError


def made(**given):
    return Residual(3, 2, **({"width": 8, "depth": 2, "generator": torch.Generator().manual_seed(0)} | given))


def stirred():
    network = made()
    with torch.no_grad():
        network.leave.weight.normal_(generator=torch.Generator().manual_seed(1))
    return network


def test_it_starts_as_its_bias_whatever_comes_in():
    network = made()
    network.begin_at(torch.tensor([1.0, -2.0]))
    assert network(torch.randn(5, 3), torch.rand(5)).tolist() == [[1.0, -2.0]] * 5


def test_the_same_generator_gives_the_same_network_and_the_global_one_is_left_alone():
    before = torch.get_rng_state()
    first, second = made(), made()
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert torch.equal(before, torch.get_rng_state())


def test_a_time_that_all_records_share_is_the_time_of_each():
    network, x = stirred(), torch.randn(6, 3, generator=torch.Generator().manual_seed(2))
    shared, each = torch.tensor(250.0).expand(6), torch.full((6,), 250.0)
    assert torch.allclose(network(x, shared), network(x, each), atol=1e-6)
    assert not torch.allclose(network(x, each), network(x, 3 * each), atol=1e-3)


def test_a_time_that_a_group_shares_is_looked_up_once_for_it():
    network, x = stirred(), torch.randn(3, 4, 3, generator=torch.Generator().manual_seed(2))
    shared = torch.tensor([[10.0], [500.0], [900.0]]).expand(-1, 4)
    assert once(shared).shape == (3, 1)
    assert torch.allclose(network(x, shared), network(x, shared.contiguous()), atol=1e-6)


def test_axes_before_the_last_are_records():
    network, x = stirred(), torch.randn(4, 5, 3, generator=torch.Generator().manual_seed(2))
    t = torch.rand(4, 5, generator=torch.Generator().manual_seed(3)) * 1_000
    assert torch.allclose(network(x, t)[2], network(x[2], t[2]), atol=1e-6)


def test_private_training_needs_no_other_road():
    assert can_be_taped(made())


@pytest.mark.parametrize("size", [{"width": 0}, {"depth": -1}])
def test_no_width_and_less_than_no_depth_are_refused(size):
    with pytest.raises(ParameterError, match="Residual"):
        made(**size)
