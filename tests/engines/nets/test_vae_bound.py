"""The bound written out: it is the bound, and teaches the same."""

from itertools import product

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Elbo, Vae, VaeSize
from understudy.engines.nets.vae_bound import WholeElbo

MIXED = Fields((0, 3), (1, 2), (3, 2))
SHAPES = list(product(("relu", "silu"), ("row", "column"), (True, False), (1, 2)))


def made(fields, activation="relu", spread="row", bounded=True, depth=1):
    size = VaeSize(3, 8, depth, activation, spread, bounded, "random")
    return Vae(fields, size, torch.Generator().manual_seed(0)).double()


def some_rows(fields, count=7):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(count, fields.width))
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        rows[:, at] = rng.integers(0, size, count)
    return torch.tensor(rows)


def taught(loss, model, rows):
    losses = loss(model, rows, torch.Generator().manual_seed(5))
    weights = torch.arange(1.0, len(rows) + 1)
    return losses, torch.autograd.grad((losses * weights).sum(), list(model.parameters()))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_bound_and_what_it_teaches_are_those_of_one_small_function_after_the_other(shape):
    model, rows = made(MIXED, *shape), some_rows(MIXED)
    (small, by_small), (whole, by_whole) = (taught(kind(0.7), model, rows) for kind in (Elbo, WholeElbo))
    assert torch.allclose(small, whole)
    assert all(torch.allclose(a, b) for a, b in zip(by_small, by_whole, strict=True))


@pytest.mark.parametrize("fields", [Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1))])
@pytest.mark.parametrize("spread", ["row", "column"])
def test_rows_of_numbers_or_codes_alone_have_a_bound_too(fields, spread):
    model, rows = made(fields, spread=spread), some_rows(fields)
    (small, by_small), (whole, by_whole) = (taught(kind(), model, rows) for kind in (Elbo, WholeElbo))
    assert torch.allclose(small, whole)
    assert all(torch.allclose(a, b) for a, b in zip(by_small, by_whole, strict=True))
