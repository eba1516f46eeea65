"""Norms written out: parts that are joined are normed, and taught, as the batch is by its own module."""

import pytest
import torch
from torch import nn

from understudy.engines.gan.norms import norm_of

MODULES = {"batch": nn.BatchNorm1d, "layer": nn.LayerNorm, "none": nn.Identity}


def module_of(kind):
    module = MODULES[kind](6).double()
    with torch.no_grad():
        for at, parameter in enumerate(module.parameters()):
            parameter.copy_(torch.linspace(0.5, 2.0 + at, 6))
    return module


def in_parts(module, rows, by_normed, sizes):
    """Return normed rows, derivatives by rows, and those by the weights."""
    grads = {parameter: torch.zeros_like(parameter) for parameter in module.parameters()}
    norm, out, down = norm_of(module, grads, sizes), torch.empty_like(rows), by_normed.clone()
    given, parts = rows.clone().split(sizes), range(len(sizes))
    with torch.no_grad():
        for part in parts:
            norm.tell(part, given[part])
        norm.join()
        for part in parts:
            norm.forward(part, given[part], out.split(sizes)[part])
            norm.tell_back(part, down.split(sizes)[part])
        norm.join_back()
        for part in parts:
            norm.back(part, down.split(sizes)[part])
    return out, down, list(grads.values())


@pytest.mark.parametrize("kind", MODULES)
@pytest.mark.parametrize("sizes", [[7], [4, 3]])
def test_parts_are_normed_and_taught_as_the_whole_batch_is(kind, sizes):
    left, right = module_of(kind), module_of(kind)
    rows = 3 + torch.randn(7, 6, generator=torch.Generator().manual_seed(0)).double()
    by_normed = torch.randn(7, 6, generator=torch.Generator().manual_seed(1)).double()
    asked = rows.clone().requires_grad_(True)
    wanted = left(asked)
    slopes = torch.autograd.grad(wanted, [asked, *left.parameters()], by_normed)
    out, down, grads = in_parts(right, rows, by_normed, sizes)
    assert torch.allclose(out, wanted)
    assert all(torch.allclose(a, b) for a, b in zip(slopes, [down, *grads], strict=True))
    assert all(torch.allclose(a, b) for a, b in zip(left.buffers(), right.buffers(), strict=True))


def test_rows_far_from_nought_are_normed_without_loss_of_digits():
    module = nn.BatchNorm1d(6)
    rows = 1e3 + torch.randn(200, 6, generator=torch.Generator().manual_seed(0))
    out, _, _ = in_parts(module, rows, torch.zeros_like(rows), [100, 100])
    assert torch.allclose(out, module(rows), atol=2e-3)
