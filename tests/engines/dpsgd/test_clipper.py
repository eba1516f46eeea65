"""Clipped sums against a loop over records, and against Opacus; and what each planted bug would change."""

import math
import warnings

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import nn

from engines.dpsgd.networks import (
    Words,
    batch_of,
    clipped,
    clipped_by_hand,
    norm_of,
    one_by_one,
    perceptron,
    plan_of,
    squared,
)
from understudy.engines.dpsgd import Batch, Plan, clipper as clipper_module
from understudy.engines.dpsgd.clipper import Clipper
from understudy.errors import ParameterError

NETWORKS = st.fixed_dictionaries(
    {
        "sizes": st.lists(st.integers(1, 9), min_size=2, max_size=5),
        "bias": st.booleans(),
        "norm": st.booleans(),
        "rows": st.integers(1, 7),
        "scale": st.sampled_from([0.01, 1.0, 30.0]),
        "clip": st.sampled_from([0.05, 1.0, 50.0]),
        "seed": st.integers(0, 10_000),
    }
)


def case(net):
    torch.manual_seed(net["seed"])
    # In float64: a layer norm over one or two numbers is little but rounding in float32.
    model = perceptron(net["sizes"], net["bias"], net["norm"]).double()
    x = torch.randn(net["rows"], net["sizes"][0]).double() * net["scale"]
    return model, x, torch.randn(net["rows"], net["sizes"][-1]).double()


def assert_close(found, expected, atol=0.0):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        rtol, usual = (1e-6, 1e-9) if value.dtype == torch.float64 else (2e-4, 2e-5)
        torch.testing.assert_close(found[name], value, rtol=rtol, atol=max(usual, atol))


def by_layer(model):
    names = [name for name, _ in model.named_parameters()]
    layers = dict.fromkeys(name.rpartition(".")[0] for name in names)
    return [[name for name in names if name.rpartition(".")[0] == layer] for layer in layers]


@given(NETWORKS)
@settings(max_examples=100)
def test_flat_clipping_equals_a_loop_over_records_on_100_networks(net):
    model, x, y = case(net)
    found, limit = clipped(model, plan_of(clip=net["clip"]), squared, x, y)
    assert_close(found, clipped_by_hand(model, squared, [[*found]], limit, x, y))


@given(NETWORKS)
@settings(max_examples=100)
def test_clipping_per_layer_equals_a_loop_over_records_on_100_networks(net):
    model, x, y = case(net)
    found, limit = clipped(model, plan_of(clip=net["clip"], style="layer"), squared, x, y)
    groups = by_layer(model)
    assert_close(found, clipped_by_hand(model, squared, groups, limit / math.sqrt(len(groups)), x, y))


@given(NETWORKS)
@settings(max_examples=25)
def test_the_functional_road_gives_what_the_tape_gives(net):
    model, x, y = case(net)
    plan = plan_of(clip=net["clip"])
    taped, _ = clipped(model, plan, squared, x, y, route="tape")
    assert_close(clipped(model, plan, squared, x, y, route="functional", microbatch=2)[0], taped)


def opacus_sum(model, x, y, limits, clipping):
    """Return what Opacus sums up before it adds noise."""
    pytest.importorskip("opacus", reason="opacus is not installed")
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer, DPPerLayerOptimizer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its hooks use what torch calls deprecated
        wrapped = GradSampleModule(model, loss_reduction="sum")
        kind = DPOptimizer if clipping == "flat" else DPPerLayerOptimizer
        inner = torch.optim.SGD(wrapped.parameters(), lr=0.0)
        optimizer = kind(inner, noise_multiplier=0.0, max_grad_norm=limits, expected_batch_size=1)
        squared(wrapped, x, y).sum().backward()
        optimizer.clip_and_accumulate()
    found = {name: p.summed_grad.clone() for name, p in model.named_parameters()}
    wrapped.to_standard_module()
    return found


@given(NETWORKS)
@settings(max_examples=100)
def test_flat_clipping_equals_opacus_on_100_networks(net):
    model, x, y = case(net)
    found, limit = clipped(model, plan_of(clip=net["clip"]), squared, x, y)
    # Opacus divides by norm + 1e-6, so each record may be 1e-6 short.
    assert_close(found, opacus_sum(model, x, y, limit, "flat"), atol=1e-5)


@given(NETWORKS)
@settings(max_examples=100)
def test_clipping_per_tensor_equals_opacus_on_100_networks(net):
    model, x, y = case(net)
    names = tuple(name for name, _ in model.named_parameters())
    found, limit = clipped(model, plan_of(clip=net["clip"], style="layer", groups=names), squared, x, y)
    each = [limit / math.sqrt(len(names))] * len(names)
    assert_close(found, opacus_sum(model, x, y, each, "per_layer"), atol=1e-5)


@pytest.mark.parametrize("clip", [0.05, 1.0, 50.0])
def test_tokens_embeddings_and_layers_used_twice_equal_a_loop(clip):
    torch.manual_seed(1)
    model = Words(5)
    index, y = torch.randint(0, 7, (6, 4)), 5 * torch.randn(6, 1)
    found, limit = clipped(model, plan_of(clip=clip), squared, index, y, route="tape")
    assert_close(found, clipped_by_hand(model, squared, [[*found]], limit, index, y))


@pytest.mark.parametrize("frozen", ["0.weight", "0.bias", "2.weight"])
def test_a_frozen_parameter_has_no_part_in_the_norm(frozen):
    torch.manual_seed(2)
    model, x, y = perceptron([3, 4, 2]), torch.randn(5, 3), torch.randn(5, 2)
    model.get_parameter(frozen).requires_grad_(False)
    found, limit = clipped(model, plan_of(), squared, x, y)
    assert frozen not in found
    assert_close(found, clipped_by_hand(model, squared, [[*found]], limit, x, y))


def test_convolutions_take_the_functional_road_and_equal_a_loop():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Conv1d(1, 2, 3), nn.GroupNorm(1, 2), nn.Tanh(), nn.Flatten(), nn.Linear(12, 2))
    x, y = torch.randn(5, 1, 8), torch.randn(5, 2)
    found, limit = clipped(model, plan_of(), squared, x, y, microbatch=2)
    assert_close(found, clipped_by_hand(model, squared, [[*found]], limit, x, y))


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_micro_batches_change_nothing(size):
    torch.manual_seed(4)
    model, x, y = perceptron([3, 4, 2]), torch.randn(7, 3), torch.randn(7, 2)
    for style in ("flat", "layer", "batch"):
        whole, _ = clipped(model, plan_of(style=style), squared, x, y)
        assert_close(clipped(model, plan_of(style=style), squared, x, y, microbatch=size)[0], whole)


@given(NETWORKS)
@settings(max_examples=50)
def test_no_record_adds_more_than_the_clip(net):
    """The planted bugs "no clip" and "clip after sum" end here."""
    model, x, y = case(net)
    for style in ("flat", "layer"):
        plan = plan_of(clip=net["clip"], style=style)
        whole, _ = clipped(model, plan, squared, x, y)
        for i in range(len(x)):
            keep = torch.arange(len(x)) != i
            without, _ = clipped(model, plan, squared, x, y, weight=keep)
            assert norm_of([whole[n] - without[n] for n in whole]) <= plan.sensitivity * (1 + 1e-6)


def largest_move():
    """Return by how many sensitivities one row moves the sum, on rows that pull in opposite directions."""
    model, plan = nn.Linear(1, 1, bias=False), plan_of()
    x = torch.tensor([[1.0]] * 9 + [[1000.0]])
    loss = lambda m, x: torch.where(x[:, 0] > 10, -m(x)[:, 0], m(x)[:, 0])
    few, _ = clipped(model, plan, loss, x[:9])
    more, _ = clipped(model, plan, loss, x)
    return float((few["weight"] - more["weight"]).norm()) / plan.sensitivity


def test_one_row_moves_the_sum_by_at_most_the_sensitivity():
    assert 0.99 < largest_move() <= 1


def test_the_planted_bug_no_clip_is_caught(monkeypatch):
    whole = clipper_module._factor
    monkeypatch.setattr(clipper_module, "_factor", lambda squares, _, weight: whole(squares, 1e6, weight))
    assert largest_move() > 1.5


def test_the_planted_bug_clip_after_sum_is_caught(monkeypatch):
    def clip_after_sum(self, found, weight, fresh):
        for view, part in zip(self.views, found.values(), strict=True):
            part.add_to(view, weight.float(), None, fresh=fresh)
        self.total.mul_(min(1.0, self._limit / float(self.total.norm())))

    monkeypatch.setattr(Clipper, "_sum_up", clip_after_sum)
    assert largest_move() > 1.5


@pytest.mark.parametrize("style", ["flat", "layer"])
def test_a_row_with_weight_zero_adds_nothing_even_if_it_is_not_finite(style):
    torch.manual_seed(5)
    model, x, y = perceptron([3, 4, 2]), torch.randn(4, 3), torch.randn(4, 2)
    expected, _ = clipped(model, plan_of(style=style), squared, x[:3], y[:3])
    x[3] = torch.inf
    found, _ = clipped(model, plan_of(style=style), squared, x, y, weight=torch.tensor([1, 1, 1, 0]).bool())
    assert_close(found, expected)


@pytest.mark.parametrize("poison", [torch.inf, -torch.inf, torch.nan, 1e30])
@pytest.mark.parametrize("route", ["tape", "functional"])
def test_a_gradient_that_is_not_finite_is_zero_and_the_step_goes_on(poison, route):
    torch.manual_seed(6)
    model, x, y = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)), torch.randn(4, 3), torch.randn(4, 2)
    expected, _ = clipped(model, plan_of(), squared, x[:3], y[:3])
    x[3] = poison
    assert_close(clipped(model, plan_of(), squared, x, y, route=route)[0], expected)


def test_a_huge_input_with_a_tiny_derivative_is_clipped_too():
    model = nn.Linear(4, 4, bias=False, dtype=torch.float32)
    x, plan = torch.full((1, 4), 1e18), plan_of(clip=1e-6)
    found, _ = clipped(model, plan, lambda m, x: (m(x) * 1e-23).sum(1), x)
    assert norm_of(found.values()) <= plan.clip


@pytest.mark.parametrize("limit", [1e-30, 1e-19, 1e-3, 1.0])
@pytest.mark.parametrize("norm", [0.0, 1e-30, 1e-20, 1e-19, 1e-2, 10.0])
def test_no_limit_is_too_small_for_the_squares_of_floats(limit, norm):
    squares = torch.tensor([norm, norm]).square()
    factor, bad = clipper_module._factor(squares, limit, torch.tensor([True, False]))
    assert bad is None and factor[1] == 0
    assert float(factor[0]) * norm <= limit * (1 + 1e-6) and float(factor[0]) <= 1 + 1e-6
    assert norm > 1e-18 or limit < 1e-18 or float(factor[0]) > 1 - 1e-6  # what is short stays as it is


def test_batch_clipping_clips_the_mean_of_each_group_as_paper_000_prints_it():
    torch.manual_seed(7)
    model, x, y = perceptron([3, 4, 2]), 9 * torch.randn(6, 3), torch.randn(6, 2)
    plan = plan_of(style="batch", groups=("0.", "2."), clip=0.3)
    found, limit = clipped(model, plan, squared, x, y)
    each = one_by_one(model, squared, x, y)
    mean = {n: sum(record[n] for record in each) / len(x) for n in found}
    for group in (["0.weight", "0.bias"], ["2.weight", "2.bias"]):
        size = norm_of([mean[n] for n in group])
        assert size > limit
        assert_close({n: found[n] for n in group}, {n: mean[n] * limit / size for n in group})


def test_batch_clipping_moves_by_nearly_twice_the_clip_when_one_row_comes_in():
    """So the sensitivity is 2 clip per group and does not shrink with the batch: the event says so."""
    model = nn.Linear(1, 1, bias=False)
    x = torch.tensor([[1.0]] * 9 + [[1000.0]])
    plan = plan_of(style="batch", clip=0.3)
    loss = lambda m, x: torch.where(x[:, 0] > 10, -m(x)[:, 0], m(x)[:, 0])
    few, _ = clipped(model, plan, loss, x[:9])
    more, _ = clipped(model, plan, loss, x)
    distance = float((few["weight"] - more["weight"]).norm())
    assert 1.98 * plan.clip < distance <= plan.sensitivity


def test_batch_clipping_takes_a_mean_that_is_not_finite_as_zero():
    model = perceptron([3, 2])
    found, _ = clipped(
        model, plan_of(style="batch"), squared, torch.full((4, 3), torch.nan), torch.zeros(4, 2)
    )
    assert norm_of(found.values()) == 0


@pytest.mark.parametrize("style", ["flat", "layer", "batch"])
def test_an_empty_batch_is_zero_before_noise(style):
    model = perceptron([3, 2])
    nobody = torch.zeros(4, dtype=torch.bool)
    found, _ = clipped(
        model, plan_of(style=style), squared, torch.zeros(4, 3), torch.ones(4, 2), weight=nobody
    )
    assert norm_of(found.values()) == 0
    nothing, _ = clipped(model, plan_of(style=style), squared, torch.zeros(0, 3), torch.ones(0, 2))
    assert norm_of(nothing.values()) == 0


def test_a_loss_that_is_not_one_number_per_record_is_refused():
    with pytest.raises(ParameterError, match="one number per record"):
        clipped(perceptron([3, 2]), plan_of(), lambda m, x: m(x), torch.zeros(4, 3))


def test_a_route_that_cannot_be_taken_is_refused():
    with pytest.raises(ParameterError, match="functional"):
        Clipper(nn.Conv1d(1, 1, 1), plan_of(), "tape")
    with pytest.raises(ParameterError, match="route"):
        Clipper(nn.Linear(1, 1), plan_of(), "fast")


def test_the_model_is_left_as_it_was():
    model, plan = perceptron([3, 2]), plan_of()
    before = {n: p.clone() for n, p in model.named_parameters()}
    Clipper(model, plan).run(batch_of(plan, torch.ones(2, 3), torch.ones(2, 2)), squared)
    assert "forward" not in vars(model[0])
    assert all(torch.equal(before[n], p) and p.grad is None for n, p in model.named_parameters())


def test_a_parameter_that_is_unfrozen_later_is_refused():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    model[0].requires_grad_(False)
    plan = Plan(noise=1.0, clip=1.0, rate=1.0, steps=2, batch=4)
    clipper = Clipper(model, plan)
    batch = Batch((torch.ones(4, 3),), torch.ones(4, dtype=torch.bool), plan, 0)
    clipper.run(batch, lambda net, x: net(x).squeeze(1).square())
    model[0].requires_grad_(True)
    with pytest.raises(ParameterError, match="frozen"):
        clipper.run(batch, lambda net, x: net(x).squeeze(1).square())
    assert model[0].weight.grad is None
