"""What a decoder tells of levels and numbers: the derivatives are those that torch finds."""

import pytest
import torch

from understudy.engines.nets.segments import Segments
from understudy.engines.nets.vae import soft
from understudy.engines.nets.vae_heads import levels_of, numbers_of, put_levels, put_numbers

ROWS = 5


def some(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.double)


@pytest.mark.parametrize("far", [0.0, 100.0, -2_000.0])
def test_levels_far_or_near_have_softmax_less_what_is_there(far):
    segments, codes = Segments([3, 2]), torch.tensor([[0, 1], [2, 0], [1, 1], [0, 0], [2, 1]])
    law = some(ROWS, 1 + 5).add_(far)
    logits = law[:, 1:].clone().requires_grad_(True)
    lost = segments.double().cross_entropy(logits, codes).sum()
    expected = torch.autograd.grad(lost, logits)[0]
    by_law = torch.empty_like(law)
    law, by_law = law.T.contiguous(), by_law.T.contiguous()
    put_levels(levels_of(segments, law, by_law), (codes + segments.starts).T)
    assert torch.allclose(by_law[1:].T, expected)


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("column", [True, False])
def test_numbers_are_told_as_by_a_normal_law(bounded, column):
    law, values, table = some(ROWS, 4), some(ROWS, 2, seed=1), some(1, 2, seed=2)
    told, own = law.clone().requires_grad_(True), table.clone().requires_grad_(True)
    mean = torch.tanh(told[:, :2]) if bounded else told[:, :2]
    log_sd = soft(own if column else told[:, 2:])
    lost = (0.5 * ((values - mean) * torch.exp(-log_sd)).square() + log_sd).sum()
    by_told, by_own = torch.autograd.grad(lost, [told, own], allow_unused=True)
    law, by_table = law.T.contiguous(), torch.empty_like(table)
    by_law, tables = torch.zeros_like(law), (table, by_table) if column else ()
    put_numbers(numbers_of(law, by_law, 2, tables, bounded=bounded), values.T, 0.25)
    assert torch.allclose(by_law.T, by_told)
    if column:
        assert torch.allclose(by_table, 0.25 * by_own)
