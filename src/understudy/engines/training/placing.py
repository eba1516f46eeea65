"""Where a model lies, and whether it rests: asked of it as a whole, as every part of it says the same.

Telling each part again what it knows takes as long as several steps of a small network, and networks of a
federation are told in every round.
"""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["placed", "rested"]


def placed(model: nn.Module, device: torch.device) -> nn.Module:
    """Return the model on a device; it is moved if its first weight lies elsewhere.

    >>> placed(nn.Linear(2, 1), torch.device("cpu")).weight.device
    device(type='cpu')
    """
    first = next(model.parameters(), None)
    return model if first is not None and first.device == device else model.to(device)


def rested(model: nn.Module) -> nn.Module:
    """Return the model in eval mode.

    >>> rested(nn.Sequential(nn.Dropout()))[0].training
    False
    """
    return model.eval() if model.training else model
