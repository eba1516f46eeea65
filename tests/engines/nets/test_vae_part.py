"""A part of a batch: its derivatives are those of its own rows, times a weight."""

import numpy as np
import torch

from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Elbo, Vae, VaeSize
from understudy.engines.nets.vae_part import part_of, put_part

FIELDS = Fields((0,), (1, 2), (3, 2))


def some_rows(count):
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, size, count) for size in FIELDS.sizes]
    return torch.tensor(np.column_stack([rng.normal(size=count), *codes]))


def test_the_derivatives_are_those_of_the_weighed_sum_of_the_rows_own_bounds():
    model = Vae(FIELDS, VaeSize(3, 8, 1, begins="random"), torch.Generator().manual_seed(0)).double()
    rows, weight = some_rows(6), 0.25
    losses = Elbo(0.7)(model, rows, torch.Generator().manual_seed(2))
    fresh = torch.randn(6, 3, generator=torch.Generator().manual_seed(2)).double()
    expected = torch.autograd.grad(weight * losses.sum(), list(model.parameters()))
    grads = [torch.full_like(parameter, torch.nan).detach() for parameter in model.parameters()]
    weights = [parameter.detach() for parameter in model.parameters()]
    with torch.no_grad():
        put_part(part_of(model, weights, grads, 6, 0.7), rows, fresh, weight)
    assert all(torch.allclose(a, b) for a, b in zip(grads, expected, strict=True))


def test_short_weights_are_multiplied_and_all_else_is_as_exact_as_the_model():
    size = VaeSize(3, 8, 1, spread="column", bounded=True, begins="random")
    model = Vae(FIELDS, size, torch.Generator().manual_seed(0))
    rows, fresh = some_rows(6).float(), torch.randn(6, 3, generator=torch.Generator().manual_seed(2))
    exact, *_, table = [parameter.detach() for parameter in model.parameters()]
    own = [parameter.detach() for parameter in model.parameters()]
    found = []
    for weights in (own, [*(weight.bfloat16() for weight in own[:-1]), table]):
        found.append([torch.empty_like(weight) for weight in weights])
        with torch.no_grad():
            put_part(part_of(model, weights, found[-1], 6, 1.0), rows, fresh, 1.0)
    for a, b in zip(*found, strict=True):
        assert (a - b.float()).norm() < 0.03 * a.norm()
    assert found[1][-1].dtype == exact.dtype == torch.float32
