"""A batch of rows as an autoencoder is shown it, laid out once for all parts that learn from it.

Rows stand beside each other, and not one below the other: a column of the table is a line of memory. Then all
three products of a layer, forwards, backwards and by its weights, find what they need as it lies.
"""

from __future__ import annotations

from typing import NamedTuple, final

import torch
from torch import Tensor

from understudy.engines.nets.vae import Vae

__all__ = ["Laid", "Shown"]


class Laid(NamedTuple):
    """Rows laid out: numbers as they are learned, the places of levels, and what the encoder is shown."""

    numbers: Tensor
    places: Tensor
    seen: Tensor

    def part(self, rows: slice) -> Laid:
        """Return some of the rows."""
        return Laid(self.numbers[:, rows], self.places[:, rows], self.seen[:, rows])


@final
class Shown:
    """Lays out batches of so many rows, in room that is used again: a batch is gone when the next is laid."""

    def __init__(self, model: Vae, batch: int, dtype: torch.dtype) -> None:
        self._model, count = model, len(model.fields.numbers)
        self._seen = torch.empty(count + model.segments.total, batch, dtype=dtype)
        self._shown, self._flat = self._seen[:count], self._seen.view(-1)
        self._starts, self._first = model.segments.starts[:, None], torch.arange(batch) + count * batch

    def laid(self, rows: Tensor) -> Laid:
        """Return a batch (b, columns) as it is shown: numbers, and one at the place of each level."""
        values, codes = self._model.parts(rows)
        numbers, places = values.T.contiguous(), codes.T.contiguous().add_(self._starts)
        self._flat.zero_()
        self._shown.copy_(numbers)
        self._flat.index_fill_(0, torch.add(self._first, places, alpha=len(rows)).view(-1), 1.0)
        return Laid(numbers, places, self._seen)
