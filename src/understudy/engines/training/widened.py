"""The weights of models side by side, also of models that differ in width: the narrow ones get spare places.

Models of one recipe on different rows differ where rows have different levels. A network that can do with
spare places behind its own says what these hold (`room`), such that it computes what it computed before, and
no gradient reaches them. So models of many widths are one stack, as wide as the widest of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, final, runtime_checkable

import torch
from torch import Tensor, nn

__all__ = ["NEVER", "Room", "Side", "fits", "widest"]

NEVER = -1e30  # a logit whose level is never drawn, and of which no gradient is left


@runtime_checkable
class Room(Protocol):
    """A network that may have spare places."""

    def room(self) -> Mapping[str, float]:
        """Return the weights and buffers that may be longer than they are, and what is written there."""


@final
class Side:
    """Weights and buffers of models, stacked; a buffer that is the same for all models is held once."""

    def __init__(self, models: Sequence[nn.Module]) -> None:
        self._models = models
        self.model = models[widest(models)]
        self.learned = {name: self._stacked(name) for name, _ in self.model.named_parameters()}
        self.buffers: dict[str, Tensor] = {}
        self.axes: dict[str, int | None] = {}
        for name, value in self.model.named_buffers():
            same = all(torch.equal(value, model.get_buffer(name)) for model in models)
            self.buffers[name] = value if same else self._stacked(name)
            self.axes[name] = None if same else 0

    def _stacked(self, name: str) -> Tensor:
        tensors = [_tensor(model, name).detach() for model in self._models]
        shape = torch.tensor([tensor.shape for tensor in tensors]).amax(0).tolist()
        filling = _room(self.model).get(name, 0.0)
        out = tensors[0].new_full((len(tensors), *shape), filling)
        for place, tensor in enumerate(tensors):
            _own(out[place], tensor).copy_(tensor)
        return out

    def hand_back(self, learned: Mapping[str, Tensor]) -> None:
        """Give each model its part of these weights; what stands in spare places is left behind."""
        with torch.no_grad():
            for place, model in enumerate(self._models):
                for name, value in model.named_parameters():
                    value.copy_(_own(learned[name][place], value))


def widest(models: Sequence[nn.Module]) -> int:
    """Return the number of the model with the most weights, the first among equals."""
    sizes = [sum(value.numel() for value in model.parameters()) for model in models]
    return sizes.index(max(sizes))


def fits(model: nn.Module, wide: nn.Module) -> bool:
    """Say whether a model can stand beside a wider one: of one shape, but for places that may be spare.

    Its weights are nowhere longer than the wide one's, which is the one that computes; buffers may be.
    """
    if type(model) is not type(wide):
        return False
    room = _room(wide)
    own, other = dict(model.named_parameters()), dict(wide.named_parameters())
    held, more = dict(model.named_buffers()), dict(wide.named_buffers())
    return (own.keys(), held.keys()) == (other.keys(), more.keys()) and all(
        [
            *(v.shape == other[n].shape or (n in room and _within(v, other[n])) for n, v in own.items()),
            *(v.shape == more[n].shape or (n in room and v.dim() == more[n].dim()) for n, v in held.items()),
        ]
    )


def _room(model: nn.Module) -> Mapping[str, float]:
    return model.room() if isinstance(model, Room) else {}


def _within(value: Tensor, other: Tensor) -> bool:
    return value.dim() == other.dim() and all(a <= b for a, b in zip(value.shape, other.shape, strict=True))


def _own(wide: Tensor, like: Tensor) -> Tensor:
    """Return the part of a wide tensor that a narrower one fills."""
    return wide[tuple(slice(size) for size in like.shape)]


def _tensor(model: nn.Module, name: str) -> Tensor:
    room, _, last = name.rpartition(".")
    found: Tensor = getattr(model.get_submodule(room), last)
    return found
