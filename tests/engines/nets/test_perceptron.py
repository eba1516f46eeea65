import math

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from understudy.engines.dpsgd.tape import can_be_taped  # noqa: E402
from understudy.engines.nets.perceptron import Perceptron, Shape, linear, sinusoidal  # noqa: E402
from understudy.errors import ParameterError  # noqa: E402

SMALL = {"hidden": (16, 16, 8), "entry": 6}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def network(labels=0, **settings):
    return Perceptron(3, 2, Shape(**{**SMALL, **settings}), seeded(), labels=labels)


def rows(count=7):
    return torch.randn(count, 3, generator=seeded(1)), torch.arange(count)


def test_times_become_cosines_and_sines_of_falling_frequency():
    t = torch.tensor([0.0, 3.0])
    expected = [[1, 1, 0, 0], [math.cos(3), math.cos(0.03), math.sin(3), math.sin(0.03)]]
    assert torch.allclose(sinusoidal(t, 4), torch.tensor(expected))
    assert sinusoidal(t.long(), 4).equal(sinusoidal(t, 4))


@pytest.mark.parametrize("width", [1, 2, 5])
def test_times_fill_any_width(width):
    assert sinusoidal(torch.arange(3), width).shape == (3, width)


@pytest.mark.parametrize("activation", ["relu", "silu", "leaky"])
@pytest.mark.parametrize("residual", [False, True])
def test_every_parameter_is_of_a_kind_that_gradients_per_record_are_known_of(activation, residual):
    model = network(labels=4, activation=activation, residual=residual)
    assert can_be_taped(model)
    owners = [m for m in model.modules() if list(m.parameters(recurse=False))]
    assert {type(owner) for owner in owners} == {nn.Linear, nn.Embedding}


def test_hidden_layers_are_one_chain_where_nothing_happens_between_them():
    (block,) = network().blocks
    assert [type(member).__name__ for member in block] == ["Linear", "ReLU"] * 3


def test_the_layers_are_those_of_the_drawing():
    model, (x, t) = network(labels=4, activation="silu"), rows()
    label = torch.tensor([0, 1, 2, 3, 0, 1, 2])
    inner = model.enter(x) + model.time(sinusoidal(t, 6)) + nn.functional.silu(model.label(label))
    assert torch.allclose(model(x, t, label), model.leave(model.blocks[0](inner)))


def test_a_residual_layer_adds_its_input_where_widths_agree():
    model, (x, t) = network(residual=True), rows()
    inner = model.blocks[0](model.enter(x) + model.time(sinusoidal(t, 6)))  # 6 -> 16: nothing to add to
    expected = model.leave(model.blocks[2](inner + model.blocks[1](inner)))
    assert torch.allclose(model(x, t), expected)


@pytest.mark.parametrize("settings", [{}, {"residual": True}])
def test_each_record_is_denoised_by_itself(settings):
    model, (x, t) = network(**settings), rows()
    assert torch.allclose(model(x, t)[3:4], model(x[3:4], t[3:4]), atol=1e-6)


def test_time_and_label_matter():
    model, (x, t) = network(labels=2), rows()
    label = torch.zeros(7, dtype=torch.int64)
    assert not torch.allclose(model(x, t, label)[1:], model(x, torch.zeros_like(t), label)[1:])
    assert not torch.allclose(model(x, t, label), model(x, t, label + 1))


def test_a_quiet_network_begins_at_zero_and_learns_all_the_same():
    model, (x, t) = network(quiet=True), rows()
    out = model(x, t)
    assert not out.any()
    (out - 1).pow(2).sum().backward()
    assert model.leave.weight.grad.any()


def test_dropout_drops_its_share_by_the_noise_given_and_nothing_without():
    model = network(hidden=(4000,), dropout=0.25)
    x = torch.ones(1, 4000)
    dropped = model._dropped(x, seeded())
    assert abs(float((dropped == 0).double().mean()) - 0.25) < 5 * (0.25 * 0.75 / 4000) ** 0.5
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    inputs = rows()
    assert torch.equal(model(*inputs), model(*inputs))
    assert torch.equal(model(*inputs, noise=seeded(3)), model(*inputs, noise=seeded(3)))
    assert not torch.equal(model(*inputs, noise=seeded(3)), model(*inputs))


def test_one_seed_makes_one_network_and_the_global_generator_is_left_alone():
    before = torch.random.get_rng_state()
    first, second = (network(labels=3).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert torch.equal(before, torch.random.get_rng_state())


def test_weights_reach_as_far_as_torch_has_them():
    layer = linear(100, 50, seeded())
    assert 0.099 < float(layer.weight.detach().abs().max()) <= 0.1
    assert 0.05 < float(layer.bias.detach().abs().max()) <= 0.1


def test_a_network_without_hidden_layers_or_of_double_precision_is_served_too():
    x, t = rows()
    assert network(hidden=()).double()(x.double(), t).dtype == torch.float64


@pytest.mark.parametrize(
    "settings", [{"entry": 0}, {"hidden": (3, 0)}, {"dropout": 1.0}, {"activation": "none"}]
)
def test_shapes_that_make_no_sense_are_refused(settings):
    with pytest.raises(ParameterError):
        Shape(**settings)


def test_a_network_made_for_labels_is_not_used_without_them_nor_another_with():
    x, t = rows()
    with pytest.raises(ParameterError):
        network(labels=2)(x, t)
    with pytest.raises(ParameterError):
        network()(x, t, torch.zeros(7, dtype=torch.int64))
