"""Flows against first principles: their density is one, their map has an inverse, their Jacobian is right."""

import numpy as np
import pytest
import torch

from understudy.engines.nets.flow import Coupling, Flow, FlowSize
from understudy.errors import ParameterError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def made(coordinates, seed=0, pairs=2):
    """A flow of random weights: a fresh one is the identity, of which anything would be true."""
    flow = Flow(coordinates, FlowSize(pairs=pairs, width=8, bumps=3), seeded(seed))
    draws = seeded(seed + 100)
    with torch.no_grad():
        for weight in flow.parameters():
            weight.add_(0.4 * torch.randn(weight.shape, generator=draws, dtype=weight.dtype))
    return flow


def some(rows, coordinates, seed=0):
    return torch.randn(rows, coordinates, generator=seeded(seed), dtype=torch.float64)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("coordinates", "cells"), [(1, 3_001), (2, 401)])
def test_the_density_sums_to_one(coordinates, cells, seed):
    side = torch.linspace(-30, 30, cells, dtype=torch.float64)
    grid = torch.cartesian_prod(*[side] * coordinates).reshape(-1, coordinates)
    with torch.no_grad():
        density = made(coordinates, seed, pairs=1).log_density(grid).exp()
    assert float(density.sum()) * float(side[1] - side[0]) ** coordinates == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("coordinates", [1, 2, 5])
def test_there_and_back_is_nowhere(coordinates):
    flow, rows = made(coordinates), 3 * some(50, coordinates)
    with torch.no_grad():
        noise, _ = flow(rows)
        assert torch.allclose(flow.inverse(noise), rows, rtol=0, atol=1e-5)
        assert torch.allclose(flow(flow.inverse(rows))[0], rows, rtol=0, atol=1e-5)
    assert coordinates == 1 or not torch.allclose(noise, rows, atol=0.1)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("coordinates", [2, 3, 4])
def test_the_determinant_is_that_of_the_jacobian(coordinates, seed):
    flow = made(coordinates, seed)
    for row in some(4, coordinates, seed):
        jacobian = torch.autograd.functional.jacobian(lambda x: flow(x[None])[0][0], row)
        found = flow(row[None])[1].item()
        assert found == pytest.approx(torch.linalg.slogdet(jacobian).logabsdet.item(), abs=1e-9)
        assert abs(found) > 1e-3


def test_a_fresh_flow_is_its_mixture():
    flow = Flow(3, FlowSize(bumps=2), seeded())
    rows = some(5, 3)
    noise, log_determinant = flow(rows)
    assert torch.equal(noise, rows)
    assert not log_determinant.any()
    parts = [torch.distributions.Normal(mean, 1.0).log_prob(rows).sum(1) for mean in flow.means]
    wanted = torch.logsumexp(torch.stack(parts), 0) - np.log(2)
    assert torch.allclose(flow.log_density(rows), wanted)


def test_every_coordinate_is_moved_once_in_every_pair():
    couplings = list(made(5, pairs=3).couplings)
    for one, other in zip(couplings[::2], couplings[1::2], strict=True):
        assert sorted([*one.moved.tolist(), *other.moved.tolist()]) == list(range(5))
        assert sorted([*one.moved.tolist(), *one.kept.tolist()]) == list(range(5))


def test_what_is_kept_stays():
    coupling = Coupling(torch.tensor([2, 0]), torch.tensor([1]), 4, seeded()).double()
    with torch.no_grad():
        coupling.says[-1].weight.fill_(0.5)
        found = coupling(some(6, 3))[0]
    assert torch.equal(found[:, [0, 2]], some(6, 3)[:, [0, 2]])
    assert not torch.isclose(found[:, 1], some(6, 3)[:, 1]).any()


def test_far_rows_have_finite_logarithms():
    far = 1e100 * some(20, 4)
    assert torch.isfinite(made(4).log_density(far)).all()


def test_the_seed_is_all_there_is():
    torch.rand(3)
    first, second, other = (Flow(4, FlowSize(), seeded(seed)).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["means"], other["means"])


@pytest.mark.parametrize("wrong", [{"pairs": -1}, {"width": 0}, {"bumps": 0}])
def test_sizes_that_make_no_flow_are_refused(wrong):
    with pytest.raises(ParameterError, match="FlowSize"):
        FlowSize(**wrong)


def test_a_flow_of_nothing_is_refused():
    with pytest.raises(ParameterError, match="one coordinate"):
        Flow(0, FlowSize(), seeded())
