"""Every cell of a record as a token, tokens that look at each other, and tokens back to cells.

    a number x of column j   -> x w_j + b_j
    a code of column j       -> its own row of one table for all columns + b_j
    back                     -> h_j . v_j, a number; h_j . u_k + c_k, the logit of each level k of column j

Nothing loops over columns: levels of all columns lie side by side (`Segments`). Every function takes any
leading axes and may be called under `torch.func`, by which DP-SGD gets gradients per record: the tables are
parameters of no layer that its tape knows. Shapes: t tokens, q of them numbers, of width d.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from understudy.engines.fields import Fields
from understudy.engines.nets.attention import attend
from understudy.engines.nets.perceptron import linear
from understudy.engines.nets.segments import Segments
from understudy.errors import ParameterError

__all__ = ["Block", "Detokenizer", "Tokenizer"]


@final
class Tokenizer(nn.Module):
    """Maps numbers (..., q) and codes (..., m) to tokens (..., q + m, d).

    >>> fields = Fields(numbers=(0,), codes=(1, 2), sizes=(3, 2))
    >>> tokenizer = Tokenizer(fields, 4, torch.Generator().manual_seed(0))
    >>> tokenizer(torch.zeros(5, 1), torch.ones(5, 2).long()).shape
    torch.Size([5, 3, 4])
    """

    starts: Tensor

    def __init__(self, fields: Fields, width: int, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.slope = _vectors(len(fields.numbers), width, generator)
        self.table = _vectors(fields.levels, width, generator)
        self.bias = _vectors(fields.width, width, generator)
        self.register_buffer("starts", Segments(fields.sizes).starts, persistent=False)

    def forward(self, numbers: Tensor, codes: Tensor) -> Tensor:
        """Return numbers' tokens, then codes'."""
        # An embedding and not an index: its derivative is several times faster.
        looked_up = nn.functional.embedding(codes + self.starts, self.table)
        return torch.cat([numbers[..., None] * self.slope, looked_up], -2) + self.bias


@final
class Block(nn.Module):
    """A pre-norm block: x + attention(norm(x)), then x + a step in each token alone, `feed` times as wide.

    >>> Block(4, heads=2, feed=4, generator=torch.Generator().manual_seed(0))(torch.ones(5, 3, 4)).shape
    torch.Size([5, 3, 4])
    """

    def __init__(self, width: int, *, heads: int, feed: int, generator: torch.Generator) -> None:
        if heads < 1 or width % heads or feed < 1:
            raise ParameterError(
                f"Block: heads must divide the width and feed be 1 or more; got {width}, {heads}, {feed}."
            )
        nn.Module.__init__(self)
        self.heads = heads
        self.norm, self.feed_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.asked = linear(width, 3 * width, generator)  # query, key and value side by side
        self.out = linear(width, width, generator)
        self.up, self.down = linear(width, feed * width, generator), linear(feed * width, width, generator)

    def forward(self, x: Tensor) -> Tensor:
        """Return tokens (..., t, d)."""
        query, key, value = self.asked(self.norm(x)).chunk(3, -1)
        x = x + self.out(attend(query, key, value, self.heads))
        fed: Tensor = self.down(torch.relu(self.up(self.feed_norm(x))))
        return x + fed


@final
class Detokenizer(nn.Module):
    """Maps tokens (..., q + m, d) to numbers (..., q) and logits of all levels (..., total).

    All vectors start at 0: so numbers start at 0, and logits at what the fields say of shares.

    >>> fields = Fields(numbers=(0,), codes=(1, 2), sizes=(3, 2))
    >>> numbers, logits = Detokenizer(fields, 4)(torch.ones(5, 3, 4))
    >>> numbers.shape, logits.shape
    (torch.Size([5, 1]), torch.Size([5, 5]))
    """

    places: Tensor

    def __init__(self, fields: Fields, width: int) -> None:
        nn.Module.__init__(self)
        self.count = len(fields.numbers)
        self.slope = nn.Parameter(torch.zeros(self.count, width))
        self.table = nn.Parameter(torch.zeros(fields.levels, width))
        shares = np.concatenate([np.empty(0), *map(np.log, fields.shares)])
        self.bias = nn.Parameter(torch.from_numpy(shares.astype(np.float32)))
        owner = Segments(fields.sizes).owner
        self.register_buffer("places", owner[:, None] * width + torch.arange(width), persistent=False)

    def forward(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """Return numbers and logits."""
        numbers = (tokens[..., : self.count, :] * self.slope).sum(-1)
        flat = tokens[..., self.count :, :].flatten(-2)  # (..., m d)
        # One product with a matrix of blocks: a column's levels by its own token, and 0 by all others.
        blocks = self.table.new_zeros(len(self.table), flat.shape[-1]).scatter(1, self.places, self.table)
        return numbers, flat @ blocks.mT + self.bias


def _vectors(count: int, width: int, generator: torch.Generator) -> nn.Parameter:
    reach = 1 / math.sqrt(width)
    return nn.Parameter(torch.rand(count, width, generator=generator) * 2 * reach - reach)
