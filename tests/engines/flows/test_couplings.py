"""The flow against first principles: probabilities add up to 1, and what is drawn follows the density."""

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.flows.couplings import Couplings, FlowShape
from understudy.errors import ParameterError

# A code of three levels, a number with a flag, another number.
FIELDS = Fields(numbers=(1, 3), codes=(0, 2), sizes=(3, 2), flags=(2, -1))
SHAPE = FlowShape(width=8, depth=1, bins=5, reach=3.0)


def made(fields=FIELDS, shape=SHAPE, scale=1.0):
    """Return a flow that says something: its last layers begin at zero, and are shaken here."""
    generator = torch.Generator().manual_seed(0)
    flow = Couplings(fields, shape, generator)
    with torch.no_grad():
        for says in flow.says:
            weight = says[-1].weight
            weight.add_(scale * torch.randn(weight.shape, generator=generator))
    return flow.double().requires_grad_(False)


def rows_of(*columns):
    return torch.from_numpy(np.stack(np.broadcast_arrays(*columns), 1).astype(np.float64))


def test_it_starts_out_as_shares_and_normal_numbers():
    shares = (np.array([0.2, 0.5, 0.3]), np.array([0.9, 0.1]))
    fields = Fields((1, 3), (0, 2), (3, 2), shares, flags=(2, -1))
    flow = Couplings(fields, SHAPE, torch.Generator().manual_seed(0)).double()
    found = flow.log_density(*flow.split(rows_of([1, 1], [0.5, 0.5], [0, 1], [-1.0, -1.0]))).exp()
    normal = np.exp(-0.5 * np.array([0.25, 1.0])) / np.sqrt(2 * np.pi)
    assert found.tolist() == pytest.approx([0.5 * 0.9 * normal.prod(), 0.5 * 0.1 * normal[1]], rel=1e-6)


def test_the_density_of_codes_and_numbers_integrates_to_one():
    flow, line = made(), np.linspace(-7, 7, 201)
    step = line[1] - line[0]
    first, second = (part.ravel() for part in np.meshgrid(line, line))
    total = 0.0
    for code in range(3):
        both = flow.log_density(*flow.split(rows_of(code, first, 0, second))).exp().sum() * step**2
        one = flow.log_density(*flow.split(rows_of(code, 0.0, 1, line))).exp().sum() * step
        total += float(both + one)
    assert total == pytest.approx(1, abs=2e-3)


def test_a_missing_number_is_seen_by_nobody():
    flow = made()
    found = [flow.log_density(*flow.split(rows_of(1, value, 1, 0.3))) for value in ([-2.0], [5.0])]
    assert torch.equal(*found)


def test_the_probabilities_of_parts_of_the_line_add_up():
    flow = made(Fields((0,), (), ()))
    ends = torch.tensor([-40.0, -3.5, -1.0, 0.2, 2.0, 40.0], dtype=torch.float64)[:, None]
    middle = (ends[1:] + ends[:-1]) / 2
    codes = torch.zeros(5, 0, dtype=torch.int64)
    mass = flow.log_density(codes, middle, (ends[:-1], ends[1:])).exp()
    assert float(mass.sum()) == pytest.approx(1, abs=1e-9)
    line = torch.linspace(-1.0, 0.2, 4_001, dtype=torch.float64)[:, None]
    nothing = torch.full_like(line, torch.nan)
    dense = flow.log_density(torch.zeros(4_001, 0, dtype=torch.int64), line, (nothing, nothing)).exp()
    assert float(torch.trapezoid(dense, line[:, 0])) == pytest.approx(float(mass[2]), rel=1e-4)


def drawn(flow, rows=40_000, given=None):
    dtype = torch.float64
    codes, numbers = torch.zeros(rows, 2, dtype=torch.int64), torch.zeros(rows, 2, dtype=dtype)
    known = torch.zeros(rows, 2, dtype=torch.bool), torch.zeros(rows, 2, dtype=torch.bool)
    if given is not None:
        numbers[:, 1], known[1][:, 1] = given, True
    return flow.draw((codes, numbers), known, torch.Generator().manual_seed(1))


def test_what_is_drawn_follows_the_density():
    flow = made()
    found = drawn(flow)
    assert (found.log_weight == 0).all()
    line = np.linspace(-7, 7, 1_401)
    flagged = found.codes[:, flow.code_places.index(2)] == 1
    code = found.codes[:, flow.code_places.index(0)]
    for level in range(3):
        dense = flow.log_density(*flow.split(rows_of(level, 0.0, 1, line))).exp().numpy()
        share = dense.sum() * (line[1] - line[0])
        mean = (dense * line).sum() * (line[1] - line[0]) / share
        these = flagged & (code == level)
        assert float(these.double().mean()) == pytest.approx(share, abs=0.01)
        assert float(found.numbers[these, 1].mean()) == pytest.approx(mean, abs=0.1)


def test_the_weight_of_a_row_is_how_likely_its_given_cells_were():
    flow = made()
    found = drawn(flow, rows=50, given=0.7)
    assert (found.numbers[:, 1] == 0.7).all()
    whole = flow.log_density(found.codes, found.numbers)
    without = flow.log_density(found.codes, torch.stack([found.numbers[:, 0], 0 * whole], 1))
    # All couplings but that of the last number are the same in both.
    other = drawn(flow, rows=50, given=0.0).log_weight
    assert torch.allclose(whole - without, found.log_weight - other, atol=1e-8)


@pytest.mark.parametrize("couplings", [1, 2, 3, 5, 64])
def test_columns_that_share_a_coupling_have_a_density_too(couplings):
    fields = Fields(numbers=(0, 1), codes=(2, 3, 4), sizes=(2, 3, 1))
    flow = made(fields, FlowShape(width=4, depth=1, bins=3, couplings=couplings), scale=0.3)
    assert len(flow.says) == min(max(couplings, 2), 5)
    line = np.linspace(-8, 8, 97)
    grid = [part.ravel() for part in np.meshgrid(line, line)]
    total = sum(
        float(flow.log_density(*flow.split(rows_of(*grid, one, other, 0))).exp().sum())
        for one in range(2)
        for other in range(3)
    )
    assert total * (line[1] - line[0]) ** 2 == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("wrong", [{"width": 0}, {"bins": 0}, {"reach": 0.0}, {"couplings": 0}])
def test_shapes_that_are_none_are_refused(wrong):
    with pytest.raises(ParameterError, match="FlowShape"):
        FlowShape(**wrong)
