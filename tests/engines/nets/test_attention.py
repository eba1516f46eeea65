"""Attention: against the formula, for several heads, and where exponentials would overflow."""

import math

import pytest
import torch

from understudy.engines.nets.attention import attend


def tokens(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def by_hand(query, key, value):
    fit = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), -1)
    return fit @ value


@pytest.mark.parametrize("shape", [(5, 3, 4), (2, 5, 3, 4), (3, 4)])
def test_one_head_is_softmax_of_fits_times_values(shape):
    query, key, value = (tokens(*shape, seed=seed) for seed in range(3))
    assert torch.allclose(attend(query, key, value), by_hand(query, key, value))


@pytest.mark.parametrize("shape", [(5, 3, 4), (2, 5, 3, 4)])
def test_heads_are_parts_of_the_width_beside_each_other(shape):
    query, key, value = (tokens(*shape, seed=seed) for seed in range(3))
    halves = [by_hand(*(each.chunk(2, -1)[part] for each in (query, key, value))) for part in range(2)]
    assert torch.allclose(attend(query, key, value, 2), torch.cat(halves, -1))


def test_what_drops_weights_sees_them_as_shares():
    query, key, value = (tokens(5, 3, 4, seed=seed) for seed in range(3))
    seen = []

    def drop(fit):
        seen.append(fit.sum(-1))
        return 0 * fit

    assert torch.equal(attend(query, key, value, 2, drop), torch.zeros_like(value))
    assert torch.allclose(seen[0], torch.ones(5, 2, 3, dtype=torch.float64))


def test_fits_beyond_the_reach_of_exponentials_choose_the_best_token():
    query, key = torch.tensor([[1e4]]), torch.tensor([[1.0], [-1.0], [0.5]])
    assert attend(query, key, torch.tensor([[7.0], [8.0], [9.0]])).item() == 7.0


def test_the_derivative_is_that_of_the_formula():
    query, key, value = (tokens(2, 3, 4, seed=seed).requires_grad_() for seed in range(3))
    weigh = tokens(2, 3, 4, seed=9)
    found = torch.autograd.grad((attend(query, key, value) * weigh).sum(), (query, key, value))
    wanted = torch.autograd.grad((by_hand(query, key, value) * weigh).sum(), (query, key, value))
    assert all(torch.allclose(left, right) for left, right in zip(found, wanted, strict=True))
