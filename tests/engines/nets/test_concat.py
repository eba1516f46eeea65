"""The perceptron that keeps its input: its shape, its start, and that a private training can tape it."""

import pytest
import torch

from understudy.engines.dpsgd.tape import can_be_taped
from understudy.engines.nets.concat import Concat
from understudy.errors import ParameterError


def made(width=8, depth=2, inputs=3, outputs=2):
    return Concat(inputs, outputs, width=width, depth=depth, generator=torch.Generator().manual_seed(0))


def test_every_layer_sees_the_input_and_all_layers_before_it():
    network = made(width=8, depth=3)
    assert [layer.in_features for layer in network.layers] == [3, 11, 19]
    assert network.leave.in_features == 27


def test_the_output_is_the_layers_beside_the_input_written_out():
    network = made(depth=1)
    torch.nn.init.normal_(network.leave.weight, generator=torch.Generator().manual_seed(1))
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(2))
    hidden = torch.relu(torch.nn.functional.layer_norm(network.layers[0](x), (8,)))
    wanted = hidden @ network.leave.weight[:, :8].T + x @ network.leave.weight[:, 8:].T
    assert torch.allclose(network(x), wanted, atol=1e-5)


def test_it_starts_at_what_it_is_told():
    network = made()
    network.begin_at(torch.tensor([1.5, -2.0]))
    assert network(torch.randn(2, 4, 3)).tolist() == [[[1.5, -2.0]] * 4] * 2


def test_the_tape_of_private_training_knows_all_of_its_layers():
    assert can_be_taped(made())


def test_one_record_does_not_see_the_others():
    network = made()
    torch.nn.init.ones_(network.leave.weight)
    x = torch.randn(6, 3, generator=torch.Generator().manual_seed(2))
    assert torch.allclose(network(x)[:1], network(x[:1]), atol=1e-6)


def test_weights_come_from_the_generator_given():
    before = torch.random.get_rng_state()
    first, second = made(), made()
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert torch.equal(torch.random.get_rng_state(), before)


def test_no_depth_is_one_layer_and_no_width_is_refused():
    assert made(depth=0)(torch.zeros(4, 3)).shape == (4, 2)
    with pytest.raises(ParameterError, match="width"):
        made(width=0)
