"""All parameters of a model as pieces of one vector, so that an optimizer moves them at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

__all__ = ["pieces_of", "put_together"]

_LINE = 32  # short numbers of a cache line: products begin at one


def pieces_of(parameters: Sequence[Tensor], dtype: torch.dtype) -> tuple[Tensor, list[Tensor]]:
    """Return one vector of noughts, and pieces of it that are as the parameters are.

    >>> whole, (first, second) = pieces_of([torch.ones(2, 3), torch.ones(5)], torch.float32)
    >>> len(whole), first.shape, second.storage_offset()
    (64, torch.Size([2, 3]), 32)
    """
    sizes = [-(-math.prod(parameter.shape) // _LINE) * _LINE for parameter in parameters]
    room = torch.zeros(sum(sizes), dtype=dtype)
    return room, [
        piece[: parameter.numel()].view(parameter.shape)
        for piece, parameter in zip(torch.split(room, sizes), parameters, strict=True)
    ]


def put_together(model: nn.Module) -> nn.Parameter:
    """Move the parameters of a model into one vector, and return it; the model is as it was."""
    own = list(model.parameters())
    whole, pieces = pieces_of(own, own[0].dtype)
    for parameter, piece in zip(own, pieces, strict=True):
        parameter.data = piece.copy_(parameter.detach())
    return nn.Parameter(whole)
