import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations

from engines.dpsgd.networks import Words, clipped, perceptron, plan_of
from understudy.engines.dpsgd.tape import Tape, can_be_taped, refuse_odd_losses
from understudy.errors import ParameterError


def tied():
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    return model


@pytest.mark.parametrize("model", [perceptron([3, 4, 2], norm=True), Words(4)])
def test_networks_of_known_layers_can_be_taped(model):
    assert can_be_taped(model)


@pytest.mark.parametrize(
    "model",
    [
        nn.Conv1d(1, 1, 1),
        tied(),
        parametrizations.weight_norm(nn.Linear(2, 2)),
        nn.Embedding(3, 2, sparse=True),
        nn.Sequential(nn.Linear(2, 2), nn.PReLU()),
        nn.MultiheadAttention(4, 2),
    ],
    ids=["convolution", "tied", "weight norm", "sparse", "prelu", "attention"],
)
def test_other_and_shared_parameters_cannot(model):
    assert not can_be_taped(model)


def test_a_weight_that_is_used_outside_its_layer_is_refused_and_left_without_gradient():
    model = nn.Linear(3, 2)
    loss = lambda m, x: m(x).sum(1) + m.weight.sum()
    with pytest.raises(ParameterError, match="outside its layer"):
        clipped(model, plan_of(), loss, torch.ones(4, 3))
    assert model.weight.grad is None and "forward" not in vars(model)
    clipped(model, plan_of(), loss, torch.ones(4, 3), route="functional")


def test_records_that_do_not_lie_on_the_first_axis_are_refused():
    model = nn.Linear(3, 1)
    flattened = lambda m, x: m(x.reshape(-1, 3)).reshape(len(x), -1).sum(1)
    with pytest.raises(ParameterError, match="first axis"):
        clipped(model, plan_of(), flattened, torch.ones(4, 2, 3))


def test_an_error_in_the_loss_leaves_the_layers_as_they_were():
    model = nn.Linear(3, 1)
    with pytest.raises(ZeroDivisionError):
        Tape(model).run(lambda: 1 / 0, torch.ones(2, dtype=torch.bool))
    assert "forward" not in vars(model)


def test_a_layer_that_the_loss_does_not_touch_adds_nothing():
    model = nn.Sequential(nn.Linear(3, 1), nn.Linear(3, 1))
    found, _ = clipped(model, plan_of(), lambda m, x: m[0](x)[:, 0], torch.ones(4, 3))
    assert found["1.weight"].norm() == 0 and found["0.weight"].norm() > 0


def test_a_constant_loss_adds_nothing():
    found, _ = clipped(nn.Linear(3, 1), plan_of(), lambda _, x: x.sum(1), torch.ones(4, 3))
    assert found["weight"].norm() == 0


@pytest.mark.parametrize("shape", [(), (3,), (4, 1)])
def test_a_loss_of_another_shape_is_refused(shape):
    with pytest.raises(ParameterError, match="one number per record"):
        refuse_odd_losses(torch.zeros(shape), 4)
