import pytest
import torch
from torch import nn
from torch.autograd import forward_ad
from torch.nn.utils import parametrizations

from engines.dpsgd.networks import Words, batch_of, clipped, clipped_by_hand, perceptron, plan_of
from understudy.engines.dpsgd.clipper import Clipper
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


def penalty(model, x):
    """A derivative that is a part of the loss."""
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return slope.square().sum(1)


def steepness(model, x):
    """A derivative that is taken as a constant."""
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(model(x).sum(), x)
    return slope.square().sum(1) * model(x).sum(1)


def inner_slope(model, x):
    hidden = torch.tanh(model[0](x))
    return torch.func.grad(lambda value: model[2](value).sum())(hidden).square().sum(1)


def tangent(model, x):
    hidden = torch.tanh(model[0](x))
    with forward_ad.dual_level():
        out = model[2](forward_ad.make_dual(hidden, torch.ones_like(hidden)))
        return forward_ad.unpack_dual(out).tangent.square().sum(1)


def tape_of(model, passes):
    """Return a tape that has run before, or not: from the second pass on it runs the quick functions."""
    tape = Tape(model)
    for _ in range(passes):
        tape.run(lambda: model(torch.ones(4, 3)).sum(1), EVERYBODY)
    return tape


EVERYBODY = torch.ones(4, dtype=torch.bool)
FIRST_AND_LATER = pytest.mark.parametrize("passes", [0, 1], ids=["first", "later"])


@pytest.mark.parametrize("loss", [penalty, steepness, inner_slope])
@FIRST_AND_LATER
def test_a_loss_that_takes_derivatives_itself_is_refused(loss, passes):
    model = perceptron([3, 4, 2])
    tape = tape_of(model, passes)
    # On its first pass the tape computes by functions that torch.func refuses by itself.
    with pytest.raises((ParameterError, RuntimeError), match=r"takes derivatives|setup_context"):
        tape.run(lambda: loss(model, torch.ones(4, 3)), EVERYBODY)
    assert "forward" not in vars(model[0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch scripts some of its own rules
@FIRST_AND_LATER
def test_a_loss_of_forward_mode_derivatives_is_refused(passes):
    model = perceptron([3, 4, 2])
    with pytest.raises(NotImplementedError, match="jvp"):
        tape_of(model, passes).run(lambda: tangent(model, torch.ones(4, 3)), EVERYBODY)


@FIRST_AND_LATER
def test_a_weight_that_is_used_outside_its_layer_is_refused_on_every_pass(passes):
    model = perceptron([3, 4, 2])
    loss = lambda: model(torch.ones(4, 3)).sum(1) + model[2].weight.sum()
    with pytest.raises(ParameterError, match="outside its layer"):
        tape_of(model, passes).run(loss, EVERYBODY)


def test_an_input_that_is_changed_in_place_is_refused():
    def loss(model, x):
        hidden = torch.tanh(model[0](x)) * 1.0
        out = model[2](hidden)
        hidden.mul_(2.0)
        return out.sum(1)

    with pytest.raises(RuntimeError, match="inplace"):
        clipped(perceptron([3, 4, 2]), plan_of(), loss, torch.ones(4, 3))


def changed_in_place(model, x, y):
    hidden = model[0](x).relu_()
    out = model[2](hidden + 0.0)
    out[:, 0] *= 2.0
    return (out.relu_() - y).square().sum(1)


def used_three_times(model, x, y):
    hidden = model[1](model[0](x))
    model[2](hidden)  # that is not used adds nothing
    return (model[2](hidden) + model[2](torch.tanh(hidden)) - y).square().sum(1)


def half_without_gradient(model, x, y):
    with torch.no_grad():
        weight = model(x).square().sum(1)
    return weight * (model(x) - y).square().sum(1)


@pytest.mark.parametrize("loss", [changed_in_place, used_three_times, half_without_gradient])
def test_outputs_may_be_changed_in_place_used_again_or_kept_from_gradients(loss):
    torch.manual_seed(8)
    model, x, y, plan = perceptron([3, 4, 2]), torch.randn(5, 3), torch.randn(5, 2), plan_of()
    clipper = Clipper(model, plan, "tape")
    for _ in range(2):  # a first and a later pass
        clipper.run(batch_of(plan, x, y), loss)
        found = dict(zip(clipper.parameters, clipper.views, strict=True))
        expected = clipped_by_hand(model, loss, [[*found]], clipper.grid.inner, x, y)
        for name, value in expected.items():
            torch.testing.assert_close(found[name], value, rtol=2e-4, atol=2e-5)


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


def test_a_layer_that_only_some_micro_batches_touch_adds_what_those_add():
    model = nn.Sequential(nn.Linear(3, 1), nn.Linear(3, 1))
    loss = lambda m, x: m[int(x[0, 0])](x)[:, 0]
    x, plan = torch.tensor([[0.0, 1, 2], [1, 1, 2], [0, 3, 4]]), plan_of(clip=100.0)
    found, _ = clipped(model, plan, loss, x, microbatch=1)
    assert torch.equal(found["0.weight"], x[[0, 2]].sum(0)[None]) and torch.equal(found["1.weight"], x[[1]])


def test_a_constant_loss_adds_nothing():
    found, _ = clipped(nn.Linear(3, 1), plan_of(), lambda _, x: x.sum(1), torch.ones(4, 3))
    assert found["weight"].norm() == 0


@pytest.mark.parametrize("shape", [(), (3,), (4, 1)])
def test_a_loss_of_another_shape_is_refused(shape):
    with pytest.raises(ParameterError, match="one number per record"):
        refuse_odd_losses(torch.zeros(shape), 4)
