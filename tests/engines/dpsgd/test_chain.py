import pytest
import torch
from torch import nn
from torch.autograd import forward_ad
from torch.nn.modules.module import register_module_forward_hook
from torch.nn.utils import parametrizations

from engines.dpsgd.networks import batch_of, clipped_by_hand, perceptron, plan_of, squared
from understudy.engines.dpsgd import chain
from understudy.engines.dpsgd.chain import chains_of
from understudy.engines.dpsgd.clipper import Clipper
from understudy.engines.dpsgd.tape import Tape
from understudy.errors import ParameterError

EVERYBODY = torch.ones(4, dtype=torch.bool)


@pytest.fixture
def runs(monkeypatch):
    """Count how often layers ran as one function."""
    found, original = [], chain.fused
    monkeypatch.setattr(chain, "fused", lambda *given: (found.append(given), original(*given))[1])
    return found


def sums(model, loss, *rows, fuse=True, weight=None, plan=None, **settings):
    """Return the clipped sums of two steps in a row, by parameter name."""
    plan = plan or plan_of()
    clipper, found = Clipper(model, plan, "tape", **settings), []
    if not fuse:
        clipper._tape._chains = []
    for _ in range(2):
        clipper.run(batch_of(plan, *rows, weight=weight), loss)
        found.append({n: v.clone() for n, v in zip(clipper.parameters, clipper.views, strict=True)})
    return found, clipper.grid.inner


def assert_same(found, expected, **tolerance):
    for one, other in zip(found, expected, strict=True):
        for name, value in one.items():
            torch.testing.assert_close(value, other[name], **tolerance)


def nested():
    inner = nn.Sequential(nn.Tanh(), nn.Identity(), nn.Linear(4, 5, bias=False), nn.SiLU())
    return nn.Sequential(nn.Identity(), nn.Linear(3, 4), inner, nn.Linear(5, 2), nn.Sequential())


def frozen():
    model = perceptron([3, 4, 5, 4, 2])
    model[0].requires_grad_(False)
    model[4].requires_grad_(False)
    model[2].weight.requires_grad_(False)
    return model


def one_layer_twice():
    layer = nn.Linear(3, 3)
    return nn.Sequential(layer, nn.ReLU(), layer, nn.GELU(), nn.Linear(3, 2))


def with_norm():
    """A Sequential that is none of ours, of two that are."""
    halves = [perceptron([3, 4]), perceptron([4, 5, 2])]
    return nn.Sequential(halves[0], nn.LayerNorm(4), halves[1])


def twice(model, x, y):
    return (model(x) + model(torch.tanh(x) + x.roll(1, 1)) - y).square().sum(1)


def elsewhere(model, x, y):
    first = next(m for m in model.modules() if type(m) is nn.Linear)
    return (model(x) - y).square().sum(1) + first(x.flip(1)).square().sum(1)


def in_place(model, x, y):
    out = model(x + 0.0)
    out[:, 0] *= 2.0
    return (out - y).square().sum(1)


def partly_without_gradient(model, x, y):
    with torch.no_grad():
        weight = model(x).square().sum(1)
    model(x)  # that is not used adds nothing
    return weight * (model(x) - y).square().sum(1)


NETWORKS = [lambda: perceptron([3, 4, 5, 2]), nested, frozen, one_layer_twice, with_norm]
LOSSES = [squared, twice, elsewhere, in_place, partly_without_gradient]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("microbatch", [None, 4])
def test_the_clipped_sums_are_those_of_the_layers_one_by_one_and_by_hand(network, loss, microbatch, runs):
    torch.manual_seed(3)
    model, x, y = network(), torch.randn(7, 3), torch.randn(7, 2)
    found, inner = sums(model, loss, x, y, microbatch=microbatch)
    assert runs
    many = len(runs)
    expected, _ = sums(model, loss, x, y, microbatch=microbatch, fuse=False)
    assert len(runs) == many
    assert_same(found, expected, rtol=1e-5, atol=1e-6)
    by_hand = clipped_by_hand(model, loss, [[*found[0]]], inner, x, y)
    assert_same(found, [by_hand] * 2, rtol=2e-4, atol=2e-5)
    assert all("forward" not in vars(module) for module in model.modules())


@pytest.mark.parametrize("kind", [nn.ReLU, nn.SiLU, nn.Tanh])
def test_in_float64_they_are_the_same_to_the_last_digits(kind, runs):
    torch.manual_seed(4)
    model = nn.Sequential(nn.Linear(3, 9), kind(), nn.Linear(9, 9), kind(), nn.Linear(9, 2)).double()
    x, y = torch.randn(8, 3).double(), torch.randn(8, 2).double()
    found, _ = sums(model, squared, x, y)
    assert len(runs) == 2
    assert_same(found, sums(model, squared, x, y, fuse=False)[0], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("odd", [torch.nan, torch.inf, 1e30])
def test_records_that_are_not_finite_count_as_zero_and_touch_no_other(odd):
    torch.manual_seed(5)
    model, x, y = perceptron([3, 4, 4, 2]), torch.randn(6, 3), torch.randn(6, 2)
    x[2], y[4] = odd, odd
    weight = torch.tensor([True] * 5 + [False])
    found, _ = sums(model, squared, x, y, weight=weight)
    assert_same(found, sums(model, squared, x, y, weight=weight, fuse=False)[0], rtol=1e-5, atol=1e-6)
    assert all(value.isfinite().all() for value in found[0].values())


def test_what_lay_in_the_rooms_before_leaves_no_trace():
    torch.manual_seed(6)
    model, x, y, plan = perceptron([3, 4, 4, 2]), torch.randn(6, 3), torch.randn(6, 2), plan_of()
    clipper = Clipper(model, plan, "tape")
    for rows in (x, torch.full_like(x, torch.nan), x):
        clipper.run(batch_of(plan, rows, y), squared)
        last = clipper.total.clone()
    clean = Clipper(model, plan, "tape")
    clean.run(batch_of(plan, x, y), squared)
    assert torch.equal(last, clean.total) and last.norm() > 0


def test_an_empty_batch_and_a_loss_without_the_model_add_nothing():
    model = perceptron([3, 4, 2])
    (empty, _), _ = sums(model, squared, torch.empty(0, 3), torch.empty(0, 2))
    (unused, _), _ = sums(model, lambda m, x: (m(x), x.sum(1))[1], torch.ones(4, 3))
    assert all(value.norm() == 0 for each in (empty, unused) for value in each.values())


class Louder(nn.Linear):
    def forward(self, x):
        return 2 * nn.Linear.forward(self, x)


def replaced(model):
    model[1] = nn.Softmax(1)


def own_forward(model):
    model[1].forward = lambda x: 2 * x


CHANGES = {
    "forward hook": lambda m: m[1].register_forward_hook(lambda _m, _x, out: 2 * out),
    "before forward": lambda m: m[2].register_forward_pre_hook(lambda _m, x: (2 * x[0],)),
    "backward hook": lambda m: m[1].register_full_backward_hook(lambda _m, before, _after: (2 * before[0],)),
    "before backward": lambda m: m[2].register_full_backward_pre_hook(lambda _m, after: (after[0].flip(1),)),
    "another layer": replaced,
    "own forward": own_forward,
    "in place": lambda m: setattr(m[1], "inplace", True),
    "compiled": lambda m: setattr(m[1], "_compiled_call_impl", lambda x: 2 * x),
}


@pytest.mark.parametrize("change", CHANGES)
def test_layers_that_do_more_than_their_kind_says_run_one_by_one(change, runs):
    torch.manual_seed(7)
    model, plan = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), plan_of()
    x, y = torch.randn(5, 3), torch.randn(5, 2)
    clipper = Clipper(model, plan, "tape")
    clipper.run(batch_of(plan, x, y), squared)
    assert len(runs) == 1
    before = clipper.total.clone()
    CHANGES[change](model)  # after the chain was found
    clipper.run(batch_of(plan, x, y), squared)
    assert len(runs) == 1
    (expected, _), _ = sums(model, squared, x, y, fuse=False)
    for view, value in zip(clipper.views, expected.values(), strict=True):
        torch.testing.assert_close(view, value, rtol=1e-5, atol=1e-6)
    assert change == "in place" or not torch.allclose(before, clipper.total, rtol=1e-3)


def test_a_hook_on_all_modules_sees_all_layers(runs):
    seen, model = [], perceptron([3, 4, 2])
    with register_module_forward_hook(lambda module, _x, _out: seen.append(module)):
        sums(model, squared, torch.ones(4, 3), torch.ones(4, 2))
    assert not runs and {*model} <= {*seen}


def test_a_hook_on_the_whole_chain_works_as_ever(runs):
    model, x, y = perceptron([3, 4, 2]), torch.randn(4, 3), torch.randn(4, 2)
    model.register_forward_hook(lambda _m, _x, out: 2 * out)
    found, _ = sums(model, squared, x, y)
    assert len(runs) == 2
    assert_same(found, sums(model, squared, x, y, fuse=False)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5)),
        nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)),
        nn.Sequential(nn.Linear(3, 4), Louder(4, 4)),
        nn.Sequential(nn.Linear(3, 4), parametrizations.weight_norm(nn.Linear(4, 4))),
        type("Own", (nn.Sequential,), {})(nn.Linear(3, 4)),
        nn.Sequential(nn.ReLU()),
        nn.Sequential(nn.Linear(3, 4)).requires_grad_(False),
        nn.Linear(3, 4),
    ],
    ids=["dropout", "norm", "subclass", "weight norm", "own kind", "nothing", "frozen", "one layer"],
)
def test_other_networks_have_no_chain(model):
    assert not chains_of(model)


def test_only_the_outermost_sequential_is_a_chain():
    model = nn.ModuleList([nested(), nn.Sequential(nn.Linear(3, 4), nn.Dropout(), perceptron([4, 2]))])
    assert [found.module for found in chains_of(model)] == [model[0], model[1][2]]


def test_tokens_and_other_types_go_one_by_one(runs):
    model, x = perceptron([3, 4, 2]), torch.randn(4, 5, 3)
    sums(model, lambda m, x: m(x).sum((1, 2)), x)
    sums(model, lambda m, x: m(input=x).sum(1), x[:, 0])
    with torch.autocast("cpu"), pytest.raises(RuntimeError, match="dtype"):  # as without chains
        sums(model, lambda m, x: m(x).float().sum(1), x[:, 0])
    assert not runs


def test_a_layer_that_is_thawed_later_is_not_passed_over(runs):
    model = frozen()
    tape = Tape(model)
    model[0].requires_grad_(True)
    tape.run(lambda: model(torch.ones(4, 3)).sum(1), EVERYBODY)
    assert not runs


def penalty(model, x):
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return slope.square().sum(1)


def steepness(model, x):
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(model(x).sum(), x)
    return slope.square().sum(1) * model(x).sum(1)


@pytest.mark.parametrize("loss", [penalty, steepness])
@pytest.mark.parametrize("passes", [0, 1])
def test_a_loss_that_takes_derivatives_itself_is_refused(loss, passes, runs):
    model = perceptron([3, 4, 2])
    tape = Tape(model)
    for _ in range(passes):
        tape.run(lambda: model(torch.ones(4, 3)).sum(1), EVERYBODY)
    with pytest.raises(ParameterError, match="takes derivatives"):
        tape.run(lambda: loss(model, torch.ones(4, 3)), EVERYBODY)
    assert len(runs) > passes and "forward" not in vars(model)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch scripts some of its own rules
def test_forward_mode_and_functional_derivatives_are_refused():
    model, x = perceptron([3, 4, 2]), torch.ones(4, 3)

    def tangent():
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(model(forward_ad.make_dual(x, x))).tangent.square().sum(1)

    slope = lambda: torch.func.grad(lambda value: model(value).sum())(x).square().sum(1)
    for loss, match in ((tangent, "jvp"), (slope, "setup_context")):
        with pytest.raises((NotImplementedError, RuntimeError), match=match):
            Tape(model).run(loss, EVERYBODY)


def test_an_input_that_is_changed_in_place_is_refused():
    def loss(model, x):
        x = x.clone()
        out = model(x)
        x.mul_(2.0)
        return out.sum(1)

    with pytest.raises(RuntimeError, match="inplace"):
        sums(perceptron([3, 4, 2]), loss, torch.ones(4, 3))


def test_what_is_left_of_an_earlier_pass_is_refused():
    model, left, x = perceptron([3, 4, 2]), [], torch.ones(4, 3)

    def loss(model, x):
        left.append(model(x).sum(1))
        return left[0] + model(x).sum(1) if len(left) > 1 else model(x).sum(1)

    with pytest.raises(ParameterError, match="earlier pass"):
        sums(model, loss, x)


def test_a_weight_that_is_used_outside_its_layer_is_refused():
    model = perceptron([3, 4, 2])
    loss = lambda m, x: m(x).sum(1) + m[2].weight.sum()
    with pytest.raises(ParameterError, match="outside its layer"):
        sums(model, loss, torch.ones(4, 3))


def test_an_error_in_the_loss_leaves_the_chain_as_it_was():
    model = perceptron([3, 4, 2])
    with pytest.raises(ZeroDivisionError):
        Tape(model).run(lambda: 1 / 0, EVERYBODY)
    assert "forward" not in vars(model)


def test_a_forward_of_ones_own_is_called_and_left_in_place(runs):
    model, x, y = perceptron([3, 4, 2]), torch.randn(4, 3), torch.randn(4, 2)
    own = lambda x: 2 * nn.Sequential.forward(model, x)
    model.forward = own
    sums(model, squared, x, y)
    assert not runs and model.forward is own
