"""Codes that are noised, and a label that is not: the diffusion goes on given the label.

The label stands behind the other codes, if there is one. It is drawn before the walk, or, where other cells
are known and it is not, hidden until the last step: before that, noise hides the cells that it has to fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from understudy.engines.diffusion.multinomial import Multinomial
from understudy.engines.nets.segments import Segments

__all__ = ["LabelledCodes"]


@final
@dataclass(frozen=True, eq=False)
class LabelledCodes:
    """How (b, m) codes and then a label, (b, 1) or (b, 0), walk back.

    `shares` (levels of the label,) has logarithms of how common they are. The code behind the last level
    means hidden; a label that the walk uncovers needs logits of its own behind those of the codes.
    """

    codes: Multinomial
    label: Segments
    shares: Tensor
    uncovers: bool
    shows_known: ClassVar[bool] = False

    def start(self, rows: int, generator: torch.Generator) -> Tensor:
        """Return codes of which nothing is left, and labels as common as they are, or hidden ones."""
        if self.uncovers:
            label = self.label.counts.repeat(rows, 1)
        else:
            label = self.label.draw(self.shares.expand(rows, -1), generator)
        return torch.cat([self.codes.start(rows, generator), label], -1)

    def covered(self, codes: Tensor) -> Tensor:
        """Return the codes, their label hidden if the walk uncovers it."""
        if not self.uncovers:
            return codes
        before, label = self.apart(codes)
        return torch.cat([before, self.label.counts.expand_as(label)], -1)

    def noised(
        self, codes: Tensor, t: Tensor, generator: torch.Generator, since: Tensor | None = None
    ) -> Tensor:
        """Return the codes with noise, and the label as it is."""
        before, label = self.apart(codes)
        return torch.cat([self.codes.noised(before, t, generator, since), label], -1)

    def step(
        self, codes_t: Tensor, logits: Tensor, t: Tensor, s: Tensor, generator: torch.Generator
    ) -> Tensor:
        """Draw codes of time s, and in the last step the labels that are hidden."""
        (codes, label), total = self.apart(codes_t), self.codes.segments.total
        codes = self.codes.step(codes, logits[..., :total], t, s, generator)
        if self.uncovers:
            drawn = self.label.draw(logits[..., total:], generator)
            label = torch.where((label == self.label.counts) & (s < 0), drawn, label)
        return torch.cat([codes, label], -1)

    def apart(self, codes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the codes and the label."""
        count = len(self.codes.segments.sizes)
        return codes[..., :count], codes[..., count:]
