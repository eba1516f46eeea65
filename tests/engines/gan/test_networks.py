"""Generator and critic: shapes, packs of rows, and a derivative that is written out."""

import pytest
import torch

from understudy.engines.gan.networks import Critic, GeneratorNetwork, Size
from understudy.errors import ParameterError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def critic(pac=1, dropout=0.0):
    return Critic(3, 2, Size(4, 8, 2, pac=pac, dropout=dropout), seeded()).double()


def test_the_slope_is_that_of_automatic_differentiation():
    network, x = critic(pac=2), torch.randn(5, 6, dtype=torch.float64, requires_grad=True)
    places = torch.tensor([[0, 1]]).expand(5, 2)
    (slope,) = torch.autograd.grad(network(x, places).sum(), x, create_graph=True)
    wanted, found = slope.norm(dim=1), network.slopes(x.detach(), places)
    assert torch.allclose(wanted, found)
    weights = [network.layers[0].weight, network.layers[1].weight, network.leave.weight]
    for left, right in zip(
        torch.autograd.grad((wanted - 1).square().sum(), weights),
        torch.autograd.grad((found - 1).square().sum(), weights),
        strict=True,
    ):
        assert torch.allclose(left, right)


def test_the_slope_leaves_out_what_dropout_leaves_out():
    network, x = Critic(3, 0, Size(4, 64, 1, dropout=0.5), seeded()), torch.randn(400, 3, generator=seeded(1))
    none = torch.zeros(400, 1, dtype=torch.int64)
    assert not torch.allclose(network.slopes(x, none, seeded(2)), network.slopes(x, none))
    assert torch.equal(network.slopes(x, none, seeded(2)), network.slopes(x, none, seeded(2)))


def test_rows_stand_side_by_side_for_the_critic():
    rows = torch.arange(12.0).view(4, 3)
    assert critic(pac=2).together(rows).tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    network, places = critic(pac=2), critic(pac=2).together(torch.tensor([0, 1, 1, 0]))
    assert network(network.together(rows).double(), places).shape == (2,)


def test_a_frozen_critic_teaches_rows_and_learns_nothing():
    network, x = critic(), torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    places = torch.tensor([[0], [1], [1], [0], [0]])
    scores = network.frozen(x, places)
    assert torch.equal(scores, network(x, places))
    scores.sum().backward()
    assert x.grad is not None and all(p.grad is None for p in network.parameters())


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_dropout_is_of_the_noise_given_and_of_training_alone(dropout):
    network, x = critic(dropout=dropout), torch.randn(50, 3, dtype=torch.float64)
    places = torch.zeros(50, 1, dtype=torch.int64)
    assert torch.equal(network(x, places), network(x, places))
    assert torch.equal(network(x, places, seeded()), network(x, places, seeded()))
    assert torch.equal(network(x, places, seeded()), network(x, places)) is (dropout == 0)
    assert torch.equal(network.frozen(x, places, seeded()), network(x, places, seeded()))


@pytest.mark.parametrize("norm", ["batch", "layer", "none"])
def test_a_generator_draws_row_by_row_in_evaluation(norm):
    network = GeneratorNetwork(4, 2, 5, Size(4, 8, 2, norm), seeded())
    noise, asked = torch.randn(6, 4, generator=seeded(1)), torch.tensor([0, 1] * 3)
    network(noise, asked)  # batch norm learns what is usual
    network.eval()
    whole = network(noise, asked)
    assert whole.shape == (6, 5)
    assert torch.allclose(network(noise[:1], asked[:1]), whole[:1], atol=1e-6)


def test_a_size_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="pac"):
        Size(pac=0)
    with pytest.raises(ParameterError, match="dropout"):
        Size(dropout=1.0)


def test_a_place_is_worth_what_its_one_hot_is():
    network = GeneratorNetwork(4, 3, 5, Size(4, 8, 1, "none"), seeded())
    noise, places = torch.randn(2, 4, generator=seeded(1)), torch.tensor([2, 0])
    onehot = torch.eye(3)[places]
    first, last = network.layers[0], network.leave
    inner = torch.relu(first.linear(noise) + onehot @ first.table)
    wanted = last.linear(torch.cat([inner, noise], -1)) + onehot @ last.table
    assert torch.allclose(network(noise, places), wanted, atol=1e-6)
    assert GeneratorNetwork(4, 0, 5, Size(4, 8, 1, "none"), seeded())(noise, places).shape == (2, 5)


def test_a_place_in_a_pack_adds_a_row_of_its_own():
    network = critic(pac=2)
    x = torch.randn(1, 6, dtype=torch.float64)
    told = network.table.weight  # (2 levels, 2 rows of a pack)
    inner = network.layers[0](x) + told[1] + told[2 + 0]
    for layer in network.layers[1:]:
        inner = layer(torch.nn.functional.leaky_relu(inner, 0.2))
    wanted = network.leave(torch.nn.functional.leaky_relu(inner, 0.2))[:, 0]
    assert torch.allclose(network(x, torch.tensor([[1, 0]])), wanted)
