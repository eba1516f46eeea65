"""FT-Transformer: every cell of a row becomes a token, and attention mixes them (Gorishniy et al. 2021).

cells -> tokenizer -> [CLS, one token per column] -> blocks -> what CLS has become -> head

A block is pre-norm: x + attention(norm(x)), then x + feed_forward(norm(x)) with a ReGLU in the middle. The
first block has no norm before its attention, and the last one computes CLS alone: nothing reads the others.

Initial weights and dropout come from the generator given; the global one of torch is neither read nor set.
Shapes: b rows, t tokens, d width, h heads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor, nn

from understudy.engines.nets.attention import attend
from understudy.engines.nets.undrawn import Undrawn

__all__ = ["FTTransformer", "Size"]


@final
@dataclass(frozen=True)
class Size:
    """How large the network is, and how much of it is dropped in a step; `width` is a multiple of `heads`."""

    width: int = 64
    heads: int = 8
    blocks: int = 2
    attention_dropout: float = 0.2
    feed_dropout: float = 0.1
    residual_dropout: float = 0.0


@final
class FTTransformer(nn.Module):
    """Maps (b, quantities) floats and (b, categories) codes to (b, outputs).

    A missing number is NaN and a missing level -1: both have a token of their own. Codes from `levels` on
    were never met when the network was planned; they share one token.
    """

    def __init__(
        self,
        quantities: int,
        levels: Sequence[int],
        outputs: int,
        size: Size,
        generator: torch.Generator,
    ) -> None:
        nn.Module.__init__(self)
        self.tokenizer = _Tokenizer(quantities, levels, size.width, generator)
        self.blocks = nn.ModuleList(
            _Block(size, generator, first=place == 0, last=place == size.blocks - 1)
            for place in range(size.blocks)
        )
        self.norm = nn.LayerNorm(size.width)
        self.head = _linear(size.width, outputs, generator)

    def forward(self, numbers: Tensor, codes: Tensor) -> Tensor:
        """Return one row of outputs per row of cells."""
        x = self.tokenizer(numbers, codes)  # (b, t, d)
        for block in self.blocks:
            x = block(x)  # (b, t, d); (b, 1, d) after the last
        return self.head(torch.relu(self.norm(x[:, 0])))  # type: ignore[no-any-return]

    def onto(self, device: torch.device, seed: int) -> None:
        """Move to a device, where what is dropped is drawn under a seed: generators do not move."""
        self.to(device)
        there = torch.Generator(device).manual_seed(seed)
        for module in self.modules():
            if isinstance(module, _Dropout):
                module.generator = there


@final
class _Tokenizer(nn.Module):
    """Turns cells into tokens: x w + b for a number, a looked-up vector + b for a level."""

    offsets: Tensor
    known: Tensor

    def __init__(
        self, quantities: int, levels: Sequence[int], width: int, generator: torch.Generator
    ) -> None:
        nn.Module.__init__(self)
        rooms = [count + 2 for count in levels]  # the levels, missing, and never met
        self.start = _vectors(1, width, generator)  # CLS
        self.slope = _vectors(quantities, width, generator)
        self.absent = _vectors(quantities, width, generator)
        self.bias = _vectors(quantities + len(levels), width, generator)
        self.table = _vectors(sum(rooms), width, generator)
        starts = [sum(rooms[:place]) for place in range(len(rooms))]
        self.register_buffer("offsets", torch.tensor(starts, dtype=torch.int64))
        self.register_buffer("known", torch.tensor(list(levels), dtype=torch.int64))

    def forward(self, numbers: Tensor, codes: Tensor) -> Tensor:
        missing = torch.isnan(numbers)[..., None]  # (b, q, 1)
        lines = torch.nan_to_num(numbers)[..., None] * self.slope  # (b, q, d)
        met = torch.where(codes < self.known, codes, self.known + 1)
        looked_up = self.table[torch.where(codes < 0, self.known, met) + self.offsets]  # (b, c, d)
        cells = torch.cat([torch.where(missing, self.absent, lines), looked_up], 1) + self.bias
        return torch.cat([self.start.expand(len(numbers), 1, -1), cells], 1)  # (b, 1 + q + c, d)


@final
class _Block(nn.Module):
    """Attention between the tokens of a row, then a feed-forward step in each."""

    def __init__(self, size: Size, generator: torch.Generator, *, first: bool, last: bool) -> None:
        nn.Module.__init__(self)
        hidden = max(1, size.width * 4 // 3)
        self.only_start = last
        self.norm = nn.Identity() if first else nn.LayerNorm(size.width)
        self.attention = _Attention(size, generator)
        self.feed_norm = nn.LayerNorm(size.width)
        self.up = _linear(size.width, 2 * hidden, generator)
        self.down = _linear(hidden, size.width, generator)
        self.feed_drop = _Dropout(size.feed_dropout, generator)
        self.drop = _Dropout(size.residual_dropout, generator)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.norm(x)
        kept, asking = (x[:, :1], normed[:, :1]) if self.only_start else (x, normed)
        x = kept + self.drop(self.attention(asking, normed))
        value, gate = self.up(self.feed_norm(x)).chunk(2, -1)
        fed: Tensor = self.down(self.feed_drop(value * torch.relu(gate)))  # ReGLU
        return x + self.drop(fed)  # type: ignore[no-any-return]


@final
class _Attention(nn.Module):
    """Each asking token takes a mean of all tokens, weighted by how well they fit; `heads` times beside."""

    def __init__(self, size: Size, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.heads = size.heads
        self.query = _linear(size.width, size.width, generator)
        self.key = _linear(size.width, size.width, generator)
        self.value = _linear(size.width, size.width, generator)
        self.out = _linear(size.width, size.width, generator)
        self.drop = _Dropout(size.attention_dropout, generator)

    def forward(self, asking: Tensor, tokens: Tensor) -> Tensor:
        query, key, value = self.query(asking), self.key(tokens), self.value(tokens)
        return self.out(attend(query, key, value, self.heads, self.drop))  # type: ignore[no-any-return]


@final
class _Dropout(nn.Module):
    """Drops a share of its entries while training; torch's own would draw from the global generator."""

    def __init__(self, share: float, generator: torch.Generator) -> None:
        nn.Module.__init__(self)
        self.share, self.generator = share, generator

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.share == 0:
            return x
        kept = torch.rand(x.shape, generator=self.generator, device=x.device) >= self.share
        return x * kept / (1 - self.share)


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    with Undrawn():
        layer = nn.Linear(inputs, outputs)
    with torch.no_grad():
        layer.weight.copy_(_uniform((outputs, inputs), inputs, generator))
        layer.bias.zero_()
    return layer


def _vectors(count: int, width: int, generator: torch.Generator) -> nn.Parameter:
    return nn.Parameter(_uniform((count, width), width, generator))


def _uniform(shape: tuple[int, int], inputs: int, generator: torch.Generator) -> Tensor:
    reach = 1 / math.sqrt(inputs)
    return torch.rand(shape, generator=generator) * 2 * reach - reach
