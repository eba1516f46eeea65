"""Linear layers side by side are the layers that they are one by one."""

import pytest
import torch
from torch import nn
from torch.func import functional_call, vmap
from torch.nn import functional

from understudy.engines.training.affine import AffineTogether

MODELS, ROWS, INPUTS, OUTPUTS = 3, 5, 4, 2


def parts():
    noise = torch.Generator().manual_seed(0)
    shapes = (MODELS, ROWS, INPUTS), (MODELS, OUTPUTS, INPUTS), (MODELS, OUTPUTS)
    return [torch.randn(shape, generator=noise, dtype=torch.float64).requires_grad_() for shape in shapes]


def gradients(out, inputs):
    return torch.autograd.grad(out.sin().sum(), inputs)


def test_values_and_gradients_are_those_of_each_layer_by_itself():
    rows, weight, bias = parts()
    with AffineTogether():
        out = vmap(functional.linear)(rows, weight, bias)
    alone = torch.stack([functional.linear(*each) for each in zip(rows, weight, bias, strict=True)])
    torch.testing.assert_close(out, alone)
    for one, other in zip(
        gradients(out, parts_of := (rows, weight, bias)), gradients(alone, parts_of), strict=True
    ):
        torch.testing.assert_close(one, other)


def test_what_all_models_share_is_shared():
    rows, weight, bias = parts()
    with AffineTogether():
        out = vmap(functional.linear, in_dims=(None, 0, 0))(rows[0], weight, bias)
    torch.testing.assert_close(
        out, torch.stack([functional.linear(rows[0], weight[k], bias[k]) for k in range(MODELS)])
    )


def test_a_layer_by_itself_has_the_gradients_it_has():
    rows, weight, bias = (each[0] for each in parts())
    with AffineTogether():
        assert torch.autograd.gradcheck(functional.linear, (rows, weight, bias))


@pytest.mark.parametrize("bias", [True, False])
def test_modules_under_vmap_are_one_product_where_they_have_a_bias(bias, monkeypatch):
    layer = nn.Linear(INPUTS, OUTPUTS, bias=bias).double()
    learned = {name: torch.stack([value.detach()] * MODELS) for name, value in layer.named_parameters()}
    rows = parts()[0].detach()
    products, product = [], torch.baddbmm
    monkeypatch.setattr(torch, "baddbmm", lambda *given: products.append(given) or product(*given))
    with AffineTogether():
        out = vmap(lambda own, x: functional_call(layer, own, (x,)))(learned, rows)
    assert len(products) == int(bias)
    torch.testing.assert_close(out, layer(rows).detach())
