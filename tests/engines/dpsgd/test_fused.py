import pytest
import torch
from torch import nn

from understudy.engines.dpsgd.elementwise import ELEMENTWISE
from understudy.engines.dpsgd.fused import Layer, Rooms, fused
from understudy.errors import ParameterError

BENDS = [nn.ReLU, nn.Tanh, nn.SiLU, nn.ELU]


def layers_of(modules, kept):
    def keep_at(i):
        return lambda a, d: kept.append((i, a, d))

    return [
        Layer(m, ELEMENTWISE[type(m)])
        if type(m) in ELEMENTWISE
        else Layer(m, None, m.weight, m.bias, keep_at(i) if m.weight.requires_grad else None)
        for i, m in enumerate(modules)
    ]


def plainly(modules, x):
    """Return all values on the way, and the sum of squares of the last one."""
    values = [x]
    for module in modules:
        values.append(module(values[-1]))
    return values, values[-1].square().sum()


def random_modules(seed, dtype=torch.float32):
    """Return layers in any order, activations first, last and in a row among them, some layers frozen."""
    torch.manual_seed(seed)
    width, modules = 3, []
    for kind in torch.randint(0, 3, (8,)).tolist():
        if kind < 2:
            wider = int(torch.randint(1, 6, ()))
            modules.append(nn.Linear(width, wider, bias=bool(torch.rand(()) < 0.7), dtype=dtype))
            modules[-1].requires_grad_(bool(torch.rand(()) < 0.8))
            width = wider
        else:
            modules.append(BENDS[int(torch.randint(0, len(BENDS), ()))]())
    modules.insert(int(torch.randint(0, 9, ())), nn.Tanh())
    return [*modules, nn.Linear(width, 2, dtype=dtype)]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("wanted", [True, False], ids=["inner", "first"])
def test_the_fused_layers_compute_and_keep_what_the_layers_compute(seed, wanted):
    modules, rooms = random_modules(seed, torch.float64), Rooms()
    if seed % 3 == 0:
        modules.append(BENDS[seed % len(BENDS)]())
    for rows in (5, 7, 0, 4):  # rooms grow and shrink
        rooms.free()
        kept, x = [], torch.randn(rows, 3, dtype=torch.float64, requires_grad=wanted)
        values, loss = plainly(modules, x.detach().requires_grad_())
        slopes = torch.autograd.grad(loss, values)
        out = fused(x, layers_of(modules, kept), rooms)
        torch.testing.assert_close(out, values[-1])
        out.square().sum().backward()
        recorded = [i for i, m in enumerate(modules) if type(m) is nn.Linear and m.weight.requires_grad]
        assert [i for i, _, _ in kept] == recorded[::-1]
        for i, a, d in kept:
            torch.testing.assert_close(a, values[i].detach())
            torch.testing.assert_close(d, slopes[i + 1])
        if wanted:
            torch.testing.assert_close(x.grad, slopes[0])
        assert all(p.grad is None for m in modules for p in m.parameters())


def test_two_calls_of_a_pass_share_no_memory_and_two_passes_do():
    modules, rooms = [nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.SiLU(), nn.Linear(4, 1)], Rooms()
    places = []
    for _ in range(3):
        rooms.free()
        kept, x = [], torch.randn(6, 3)
        both = [fused(x, layers_of(modules, kept), rooms) for _ in range(2)]
        (both[0] * both[1]).sum().backward()
        inside = [v.data_ptr() for i, a, d in kept for v in ((a,) if i == 4 else (d,) if i == 0 else (a, d))]
        assert len(set(inside)) == len(inside) == 8
        places.append(inside)
    assert places[0] == places[1] == places[2]


def test_what_goes_out_is_fresh_in_every_pass():
    modules, rooms, given = [nn.Tanh(), nn.Linear(3, 3), nn.Tanh()], Rooms(), []
    for _ in range(3):
        rooms.free()
        x = torch.randn(4, 3, requires_grad=True)
        out = fused(x, layers_of(modules, []), rooms)
        out.sum().backward()
        given += [(out, out.detach().clone()), (x.grad, x.grad.clone())]
    assert all(torch.equal(value, then) for value, then in given)


def test_an_incoming_derivative_is_left_as_it_is():
    x, d = torch.randn(4, 3), torch.randn(4, 2)
    before = d.clone()
    out = fused(x, layers_of([nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2), nn.Tanh()], []), Rooms())
    out.backward(d)
    assert torch.equal(d, before)


@pytest.mark.parametrize("what", ["input", "weight", "result"])
def test_what_is_changed_in_place_before_the_way_back_is_refused(what):
    first = nn.Linear(3, 2)
    x = torch.randn(4, 3)
    out = fused(x, layers_of([first, nn.Tanh()], []), Rooms())
    changed = {"input": x, "weight": first.weight, "result": out}[what]
    with torch.no_grad():
        changed.mul_(2.0)
    with pytest.raises(RuntimeError, match="inplace"):
        out.sum().backward()


def test_the_result_of_a_linear_layer_may_be_changed_in_place():
    first, kept, x = nn.Linear(3, 2), [], torch.randn(4, 3)
    out = fused(x, layers_of([first], kept), Rooms())
    out.mul_(2.0).sum().backward()
    assert torch.equal(kept[0][2], torch.full((4, 2), 2.0))


def test_a_result_of_an_earlier_pass_is_refused():
    layers, rooms = layers_of([nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)], []), Rooms()
    old = fused(torch.randn(4, 3), layers, rooms)
    rooms.free()
    with pytest.raises(ParameterError, match="earlier pass"):
        old.sum().backward()


def test_a_dtype_may_change_between_passes():
    rooms = Rooms()
    for dtype in (torch.float32, torch.float64, torch.float32):
        rooms.free()
        kept, modules = [], [nn.Linear(3, 4, dtype=dtype), nn.ReLU(), nn.Linear(4, 1, dtype=dtype)]
        fused(torch.randn(4, 3, dtype=dtype), layers_of(modules, kept), rooms).sum().backward()
        assert {v.dtype for _, a, d in kept for v in (a, d)} == {dtype}
