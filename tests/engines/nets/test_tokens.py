"""Tokens of cells and back: each against a loop over columns, and what blocks may and may not see."""

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.nets.tokens import Block, Detokenizer, Tokenizer
from understudy.errors import ParameterError

SHAPES = [
    Fields((0, 3), (1, 2, 4), (3, 1, 5)),
    Fields((0, 1), (), ()),
    Fields((), (0, 1), (4, 2)),
]


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def cells(fields, rows=6):
    rng = np.random.default_rng(0)
    numbers = torch.from_numpy(rng.normal(size=(rows, len(fields.numbers))).astype(np.float32))
    return numbers, torch.from_numpy(
        rng.integers(0, np.array(fields.sizes or [1]), (rows, len(fields.sizes)))
    )


@pytest.mark.parametrize("fields", SHAPES, ids=repr)
def test_tokens_are_those_of_a_loop_over_columns(fields):
    tokenizer, (numbers, codes) = Tokenizer(fields, 4, generator()), cells(fields)
    found, first = tokenizer(numbers, codes), 0
    for place in range(len(fields.numbers)):
        wanted = numbers[:, [place]] * tokenizer.slope[place] + tokenizer.bias[place]
        assert torch.allclose(found[:, place], wanted)
    for column, size in enumerate(fields.sizes):
        place = len(fields.numbers) + column
        wanted = tokenizer.table[first : first + size][codes[:, column]] + tokenizer.bias[place]
        assert torch.allclose(found[:, place], wanted)
        first += size


@pytest.mark.parametrize("fields", SHAPES, ids=repr)
def test_cells_are_those_of_a_loop_over_columns(fields):
    head, count = Detokenizer(fields, 4), len(fields.numbers)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator()))
    tokens = torch.randn(2, 6, fields.width, 4, generator=generator(1))
    numbers, logits = head(tokens)
    for place in range(count):
        assert torch.allclose(numbers[..., place], tokens[..., place, :] @ head.slope[place], atol=1e-5)
    first = 0
    for column, size in enumerate(fields.sizes):
        own = slice(first, first + size)
        wanted = tokens[..., count + column, :] @ head.table[own].T + head.bias[own]
        assert torch.allclose(logits[..., own], wanted, atol=1e-5)
        first += size
    assert logits.shape == (2, 6, fields.levels)


def test_a_head_starts_at_the_shares_that_are_known():
    fields = Fields((0,), (1,), (2,), shares=(np.array([0.9, 0.1]),))
    numbers, logits = Detokenizer(fields, 4)(torch.ones(3, 2, 4))
    assert numbers.tolist() == [[0.0]] * 3
    assert logits[0].exp().tolist() == pytest.approx([0.9, 0.1])


def test_a_block_does_not_care_for_the_order_of_tokens_and_mixes_no_records():
    block, x = Block(4, heads=2, feed=3, generator=generator()), torch.randn(5, 3, 4, generator=generator(1))
    assert torch.allclose(block(x.flip(1)), block(x).flip(1), atol=1e-6)
    assert torch.allclose(block(x)[2:3], block(x[2:3]), atol=1e-6)
    assert not torch.allclose(block(x)[:, 0], block(x[:, :1])[:, 0], atol=1e-3), "tokens look at each other"


def test_weights_come_from_the_generator_given():
    before = torch.random.get_rng_state()
    first, again, other = (
        Block(4, heads=1, feed=2, generator=generator(seed)).up.weight for seed in (0, 0, 1)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.parametrize(("heads", "feed"), [(3, 1), (0, 1), (1, 0)])
def test_heads_that_do_not_divide_the_width_are_refused(heads, feed):
    with pytest.raises(ParameterError, match="heads"):
        Block(4, heads=heads, feed=feed, generator=generator())
