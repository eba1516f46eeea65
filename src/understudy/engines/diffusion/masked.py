"""Masked diffusion of codes: with time more and more cells are hidden, and none is ever wrong.

Time is continuous, 0 .. 1. A cell is hidden at time t with probability t^power, and that is all the noise
there is (Austin et al. 2021; Sahoo et al. 2024). So the network is asked for hidden cells given shown ones,
the likelihood's bound is a weighted cross-entropy, and known cells are simply shown.
"""

from __future__ import annotations

from typing import ClassVar, final

import torch
from torch import Tensor, nn

from understudy.engines.nets.segments import Segments
from understudy.engines.nets.some_codes import draw_some
from understudy.errors import ParameterError

__all__ = ["Masked"]

_SOON = 1e-6  # the weight at time 0 is infinite, on cells of which none is hidden


@final
class Masked(nn.Module):
    """Codes (b, m), of which the one behind the last level means hidden; times (b,), or one for all.

    `inputs` are the segments with that level, for one-hots; the network's logits (b, total) are without it.
    The end of a walk may be any time of 0 or less.
    """

    shows_known: ClassVar[bool] = True

    def __init__(self, segments: Segments, power: float = 1.0) -> None:
        nn.Module.__init__(self)
        if power <= 0:
            raise ParameterError(f"Masked: power must be more than 0; got {power}.")
        self.segments, self.power = segments, power
        self.inputs = Segments([size + 1 for size in segments.sizes])

    def hidden(self, t: Tensor) -> Tensor:
        """Return the probability that a cell is hidden at time t, 1 - alpha(t)."""
        return t.clamp(0, 1) ** self.power

    def weight(self, t: Tensor) -> Tensor:
        """Return -alpha'(t) / (1 - alpha(t)): what a hidden cell's cross-entropy counts in the bound."""
        return self.power / t.clamp(min=_SOON)

    def start(self, rows: int, generator: torch.Generator) -> Tensor:
        """Return (rows, m) hidden cells."""
        return self.segments.counts.to(generator.device).repeat(rows, 1)

    def noised(
        self, codes: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None
    ) -> Tensor:
        """Hide cells as the time goes from `since`, or from the record itself, to t."""
        shown = 1 - self.hidden(t)
        if since is not None:
            shown = shown / (1 - self.hidden(since)).clamp(min=_SOON)
        chance = torch.rand(codes.shape, generator=generator, device=codes.device)
        return torch.where(chance < shown[..., None], codes, self.segments.counts)

    def step(
        self, codes_t: Tensor, logits: Tensor, t: Tensor, s: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Show some of the hidden cells, drawn by the logits, on the way back from t to s.

        Each hidden cell is as likely to be shown as in the walk itself, but of every row as many are as are
        expected, rounded up or down by chance. Cells that are shown in one step do not see each other, and
        are shown so less often than if each had a chance of its own.
        """
        hidden = codes_t == self.segments.counts
        late, soon = self.hidden(t), self.hidden(s)
        go = torch.where(late > 0, 1 - soon / late.clamp(min=torch.finfo(late.dtype).tiny), 1.0)
        lots = torch.rand((*codes_t.shape[:-1], codes_t.shape[-1] + 1), generator=generator, device=go.device)
        many = (hidden.sum(-1, keepdim=True) * go[..., None] + lots[..., -1:]).floor()
        order = torch.where(hidden, lots[..., :-1], 2.0).argsort(-1).argsort(-1)
        turn = hidden & (order < many)
        if codes_t.device.type != "cpu" or codes_t.dim() != 2:
            return torch.where(turn, self.segments.draw(logits, generator), codes_t)
        return codes_t.masked_scatter(turn, draw_some(self.segments, logits, turn, generator))

    def loss(self, logits: Tensor, codes_0: Tensor, codes_t: Tensor, t: Tensor) -> Tensor:
        """Return (b, m): the weighted cross-entropy of hidden cells; its mean over t bounds -log p(x_0)."""
        nll = self.segments.cross_entropy(logits, codes_0)
        return torch.where(codes_t == self.segments.counts, self.weight(t)[..., None] * nll, 0.0)
