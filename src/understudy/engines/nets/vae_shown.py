"""Rows as an autoencoder is shown them, laid out for derivatives that are written out.

Rows stand beside each other, and not one below the other: a column of the table is a line of memory. Then all
three products of a layer, forwards, backwards and by its weights, find what they need as it lies.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from understudy.engines.nets.vae import Vae

__all__ = ["Laid", "Shown", "laid", "shown_of"]


class Laid(NamedTuple):
    """Rows laid out: numbers as they are learned, the places of levels, and what the encoder is shown."""

    numbers: Tensor
    places: Tensor
    seen: Tensor


class Shown(NamedTuple):
    """Where columns of rows are found, and room that is used again: rows are gone when the next are laid."""

    numbers: Tensor
    codes: Tensor
    starts: Tensor
    bounded: bool
    seen: Tensor
    first: Tensor  # the place in it of each row's first level


def shown_of(model: Vae, rows: int, dtype: torch.dtype) -> Shown:
    """Return room for so many rows."""
    count, segments = len(model.fields.numbers), model.segments
    seen, first = torch.empty(count + segments.total, rows, dtype=dtype), torch.arange(rows) + count * rows
    return Shown(model.numbers, model.codes, segments.starts[:, None], model.size.bounded, seen, first)


def laid(shown: Shown, rows: Tensor) -> Laid:
    """Return rows (b, columns) as they are shown: numbers, and one at the place of each level."""
    numbers = rows.index_select(1, shown.numbers).t().contiguous()
    if shown.bounded:
        numbers.clamp_(-1.0, 1.0)
    places = rows.index_select(1, shown.codes).t().long().contiguous().add_(shown.starts)
    shown.seen.zero_()
    shown.seen[: numbers.size(0)].copy_(numbers)
    at = torch.add(shown.first, places, alpha=rows.size(0))
    shown.seen.view(-1).index_fill_(0, at.view(-1), 1.0)
    return Laid(numbers, places, shown.seen)
