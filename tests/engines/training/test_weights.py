import pytest
import torch

from engines.training.networks import bytes_of, network
from understudy.engines.training.fit import Settings
from understudy.engines.training.pace import shares
from understudy.engines.training.weights import Weights
from understudy.errors import ParameterError


def stepped(weights, model, count):
    for _ in range(count):
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        weights.step()


def test_the_average_is_the_one_computed_by_hand():
    model, settings = network(), Settings(steps=5, lr=0.1, ema=0.5)
    weights, average, seen = Weights(model, settings), model[0].bias.detach().clone(), []
    for share in shares(settings):
        stepped(weights, model, 1)
        average += share * (model[0].bias.detach() - average)
        seen.append(model[0].bias.detach().clone())
    weights.finish()
    torch.testing.assert_close(model[0].bias.detach(), average)
    assert not torch.equal(model[0].bias, seen[-1])


def test_the_rate_of_each_step_is_that_of_the_schedule():
    model = network()
    start = model[0].bias.detach().clone()
    stepped(Weights(model, Settings(steps=4, lr=1.0, schedule="linear", optimizer="adam")), model, 4)
    # With one gradient all along, Adam moves by the rate itself: 1 + 0.75 + 0.5 + 0.25.
    torch.testing.assert_close(start - model[0].bias.detach(), torch.full_like(start, 2.5))


def test_decay_of_weights_is_apart_from_gradients_in_adamw():
    moved = []
    for kind in ("adam", "adamw"):
        model = network()
        stepped(Weights(model, Settings(steps=1, lr=0.1, optimizer=kind, weight_decay=0.5)), model, 1)
        moved.append(model[0].weight.detach().clone())
    start = network()[0].weight.detach()
    torch.testing.assert_close(moved[1], start * (1 - 0.1 * 0.5) - 0.1)
    assert not torch.allclose(moved[0], moved[1])


@pytest.mark.parametrize("ema", [0.0, 0.9])
def test_what_is_taken_up_goes_on_to_the_same_bytes(ema):
    settings = Settings(steps=6, lr=0.1, ema=ema, schedule="cosine")
    model = network()
    weights = Weights(model, settings)
    stepped(weights, model, 3)
    state = weights.state()
    stepped(weights, model, 3)
    weights.finish()
    other = network(seed=1)
    again = Weights(other, settings)
    again.load(state, 3)
    stepped(again, other, 3)
    again.finish()
    assert bytes_of(model) == bytes_of(other)


def test_the_average_is_in_the_model_for_a_while_only():
    model = network()
    weights = Weights(model, Settings(steps=2, lr=0.5, ema=0.9))
    stepped(weights, model, 2)
    before = bytes_of(model)
    with weights.averaged():
        assert bytes_of(model) != before
    assert bytes_of(model) == before


def test_a_model_without_anything_to_train_is_refused():
    with pytest.raises(ParameterError, match="no parameters"):
        Weights(network().requires_grad_(False), Settings())


def test_a_pull_draws_every_step_back_to_the_first_weights():
    """FedProx: the gradient of mu / 2 times the squared distance, by hand."""
    model, twin = network(), network()
    first = [p.detach().clone() for p in twin.parameters()]
    stepped(Weights(model, Settings(steps=4, lr=0.1, pull=2.0, optimizer="adam")), model, 4)
    adam = torch.optim.Adam(twin.parameters(), lr=0.1)
    for _ in range(4):
        for parameter, start in zip(twin.parameters(), first, strict=True):
            parameter.grad = torch.ones_like(parameter) + 2.0 * (parameter.detach() - start)
        adam.step()
    torch.testing.assert_close(list(model.parameters()), list(twin.parameters()))


def test_a_vector_that_all_parameters_are_pieces_of_is_moved_as_they_are_and_leaves_no_gradient():
    settings, found = Settings(steps=3, lr=0.1, ema=0.5), []
    for together in (False, True):
        model = network()
        own = list(model.parameters())
        whole = torch.nn.Parameter(torch.cat([parameter.detach().flatten() for parameter in own]))
        pieces = whole.detach().split([parameter.numel() for parameter in own])
        for parameter, piece in zip(own, pieces, strict=True):
            parameter.data = piece.view(parameter.shape) if together else parameter.data
        weights = Weights(model, settings, [whole] if together else None)
        for _ in range(3):
            for parameter in (whole, *own):
                parameter.grad = torch.ones_like(parameter)
            weights.step()
        weights.finish()
        assert all(parameter.grad is None for parameter in own)
        found.append([parameter.detach().clone() for parameter in own])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b)
