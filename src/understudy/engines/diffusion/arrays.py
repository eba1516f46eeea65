"""The weights of networks as arrays that files can hold, each under the name of its network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from understudy.engines.training.fit import device_of

__all__ = ["arrays_of", "load_arrays"]

Arrays = dict[str, npt.NDArray[Any]]


def arrays_of(**networks: nn.Module) -> Arrays:
    """Return all weights and buffers, each named by its network and its place in it.

    >>> sorted(arrays_of(head=torch.nn.Linear(2, 1)))
    ['head.bias', 'head.weight']
    """
    return {
        f"{name}.{place}": part.detach().cpu().numpy().copy()
        for name, network in networks.items()
        for place, part in network.state_dict().items()
    }


def load_arrays(arrays: Mapping[str, npt.NDArray[Any]], **networks: nn.Module) -> None:
    """Give networks of the same build their weights back, on a device if there is one.

    Weights of another build are refused; arrays under other names are passed over.
    """
    for name, network in networks.items():
        start = f"{name}."
        held = {
            place.removeprefix(start): torch.from_numpy(np.array(part))
            for place, part in arrays.items()
            if place.startswith(start)
        }
        network.load_state_dict(held)
        network.to(device_of("auto"))
