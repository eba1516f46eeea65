"""Codes of some cells alone, drawn by their logits: what a step that shows few of many hidden cells needs.

`Segments.draw` makes noise for every level of every cell. A masked walk of 20 steps shows each cell once, so
that 19 of 20 of its draws would be thrown away: on a processor half of the time that such a walk takes. Here
the levels of the wanted cells stand one behind the other, each cell as long as its column has levels. How
many there are is known by looking, so that a device, which would have to wait for the answer, draws them all.
"""

from __future__ import annotations

import torch
from torch import Tensor

from understudy.engines.nets.segments import Segments

__all__ = ["draw_some"]


def draw_some(segments: Segments, logits: Tensor, wanted: Tensor, generator: torch.Generator) -> Tensor:
    """Return (n,): a code for each of the n cells where `wanted`, (b, m), is true, row by row.

    Each is drawn with probabilities softmax of its column's logits, as `Segments.draw` does it.

    >>> logits = torch.tensor([[-100.0, 0.0, 0.0, -100.0]])
    >>> draw_some(Segments([2, 2]), logits, torch.tensor([[True, True]]), torch.Generator())
    tensor([1, 0])
    """
    row, column = wanted.nonzero(as_tuple=True)
    sizes = segments.counts[column]
    cell = torch.repeat_interleave(sizes)  # (levels of all wanted cells,): whose level it is
    local = torch.arange(len(cell), device=cell.device) - (sizes.cumsum(0) - sizes)[cell]
    first = row * segments.total + segments.starts[column]
    values = logits.reshape(-1)[first[cell] + local].float()
    # A uniform draw of 0 makes -inf: that level is not drawn. 1 is never drawn.
    chance = torch.rand(values.shape, generator=generator, device=values.device)
    values = values - chance.log_().neg_().log_()
    best = values.new_full(sizes.shape, -torch.inf).scatter_reduce(0, cell, values, "amax")
    tops = (values == best[cell]).nonzero()[:, 0]
    # Among equals the first, as `Segments.argmax` has it.
    return torch.zeros_like(sizes).scatter_reduce(0, cell[tops], local[tops], "amin", include_self=False)
