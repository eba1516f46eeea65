"""A part of a batch: its derivatives are those of its own rows, times a weight."""

import numpy as np
import torch

from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Elbo, Vae, VaeSize
from understudy.engines.nets.vae_part import Part

FIELDS = Fields((0,), (1, 2), (3, 2))


def some_rows(count):
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, size, count) for size in FIELDS.sizes]
    return torch.tensor(np.column_stack([rng.normal(size=count), *codes]))


def test_the_derivatives_are_those_of_the_weighed_sum_of_the_rows_own_bounds():
    model = Vae(FIELDS, VaeSize(3, 8, 1, begins="random"), torch.Generator().manual_seed(0)).double()
    rows, weight = some_rows(6), 0.25
    losses = Elbo(0.7)(model, rows, torch.Generator().manual_seed(2))
    expected = torch.autograd.grad(weight * losses.sum(), list(model.parameters()))
    grads = [torch.full_like(parameter, torch.nan).detach() for parameter in model.parameters()]
    fresh = torch.randn(6, 3, generator=torch.Generator().manual_seed(2)).double()
    with torch.no_grad():
        Part(model, grads, 6).put(rows, fresh, 0.7, weight)
    assert all(torch.allclose(a, b) for a, b in zip(grads, expected, strict=True))
