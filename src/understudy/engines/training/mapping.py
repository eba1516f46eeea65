"""A row-wise map of many rows, in pieces of one shape."""

from __future__ import annotations

import torch
from torch import Tensor

from understudy.engines.training.fit import Inputs
from understudy.errors import ParameterError

__all__ = ["mapped"]

_AT_ONCE = 4_096


def mapped(inputs: Inputs | None, rows: Tensor) -> Tensor:
    """Return what the map makes of each row, without gradients.

    Every piece has the same shape, padded with zeros: how many rows there are decides neither the width of
    what comes out (there may be none) nor the order in which products are summed.
    """
    if inputs is None:
        return rows
    pieces = []
    with torch.no_grad():
        for start in range(0, max(1, len(rows)), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            full = torch.nn.functional.pad(part, (0, 0, 0, _AT_ONCE - len(part)))
            found = inputs(full)
            if len(found) != _AT_ONCE:
                raise ParameterError("fit: inputs must turn each row into one row.")
            pieces.append(found[: len(part)].detach().clone())
    return torch.cat(pieces)
