"""Splines against first principles: monotone, invertible, with the derivative that autograd finds."""

import pytest
import torch

from understudy.engines.flows.splines import Spline, parameters


def some(count=200, bins=6, reach=3.0, seed=0, scale=1.5):
    generator = torch.Generator().manual_seed(seed)
    parts = scale * torch.randn(count, parameters(bins), generator=generator, dtype=torch.float64)
    return Spline.told(parts, reach), 2.5 * torch.randn(count, generator=generator, dtype=torch.float64)


def test_zeros_tell_the_identity():
    x = torch.linspace(-4, 4, 50)
    y, log_slope = Spline.told(torch.zeros(50, parameters(8)), 3.0).forward(x)
    assert torch.allclose(y, x, atol=1e-5) and torch.allclose(log_slope, torch.zeros(50), atol=1e-5)


def test_the_inverse_is_the_inverse():
    spline, x = some()
    y, _ = spline.forward(x)
    assert torch.allclose(spline.inverse(y), x, atol=1e-8)
    assert (x.abs() > 3).any() and torch.equal(y[x.abs() > 3], x[x.abs() > 3])


def test_the_slope_is_the_derivative():
    spline, x = some()
    x.requires_grad_()
    y, log_slope = spline.forward(x)
    (found,) = torch.autograd.grad(y.sum(), x)
    assert torch.allclose(found.log(), log_slope, atol=1e-8)


def test_a_spline_rises_from_end_to_end_without_a_jump():
    spline, _ = some(count=1, scale=1.0)
    x = torch.linspace(-3.5, 3.5, 20_001, dtype=torch.float64)
    y, log_slope = Spline(*(part.expand(len(x), -1) for part in spline)).forward(x)
    assert (y.diff() > 0).all()
    steps = log_slope.exp()[1:] * x.diff()
    assert float((y.diff() - steps).abs().max()) < 1e-3


@pytest.mark.parametrize("bins", [1, 2, 16])
def test_any_number_of_bins_will_do(bins):
    spline, x = some(bins=bins)
    assert torch.allclose(spline.inverse(spline.forward(x)[0]), x, atol=1e-7)


def test_gradients_are_finite_far_out_and_at_knots():
    parts = torch.zeros(5, parameters(4), requires_grad=True)
    x = torch.tensor([-3.0, 3.0, 0.0, 1e6, 1.5])
    y, log_slope = Spline.told(parts, 3.0).forward(x)
    (found,) = torch.autograd.grad(y.sum() + log_slope.sum(), parts)
    assert torch.isfinite(found).all()
