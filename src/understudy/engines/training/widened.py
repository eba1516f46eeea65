"""The weights of models side by side, also of models that differ in width: all get spare places.

Models of one recipe on different rows differ where rows have different levels. A network that can do with
spare places behind its own says what these hold (`room`), such that it computes what it computed before, and
no gradient reaches them. So models of many widths are one stack, as wide as the widest of them, and a little
wider: products of matrices are quick where rows begin at round addresses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, final, runtime_checkable

import torch
from torch import Tensor, nn

__all__ = ["NEVER", "Room", "Side", "Spare", "shape_of"]

NEVER = -1e30  # a logit whose level is never drawn, and of which no gradient is left
_ROUND = 8  # floats: a row of a matrix begins at a multiple of 32 bytes


@final
class Spare(NamedTuple):
    """The axis of a tensor that may be longer than it is, and what is written there.

    `along` axes are as much longer as those of all other tensors along the same places.
    """

    axis: int
    filling: float = 0.0
    along: bool = True


@runtime_checkable
class Room(Protocol):
    """A network that may have spare places; whatever is as wide as those asks a tensor how wide that is."""

    def room(self) -> Mapping[str, Spare]:
        """Return the weights and buffers that may be longer, and first that which is to be round."""


@final
class Side:
    """Weights and buffers of models, stacked; a buffer that is the same for all models is held once."""

    def __init__(self, models: Sequence[nn.Module], *, rounded: bool = True) -> None:
        self._models, self._room = models, _room(models[0])
        self._more = self._missing_to_round() if rounded else 0
        self.learned = {name: self._stacked(name) for name, _ in models[0].named_parameters()}
        self.buffers: dict[str, Tensor] = {}
        self.axes: dict[str, int | None] = {}
        for name, _ in models[0].named_buffers():
            stacked = self._stacked(name)
            same = bool((stacked == stacked[:1]).all())
            self.buffers[name] = stacked[0].contiguous() if same else stacked
            self.axes[name] = None if same else 0

    def _missing_to_round(self) -> int:
        if not self._room:
            return 0
        name, spare = next(iter(self._room.items()))
        return -max(_tensor(model, name).shape[spare.axis] for model in self._models) % _ROUND

    def _stacked(self, name: str) -> Tensor:
        tensors = [_tensor(model, name).detach() for model in self._models]
        shape = torch.tensor([tensor.shape for tensor in tensors]).amax(0).tolist()
        spare = self._room.get(name, Spare(0, along=False))
        if spare.along:
            shape[spare.axis] += self._more
        out = tensors[0].new_full((len(tensors), *shape), spare.filling)
        for place, tensor in enumerate(tensors):
            _own(out[place], tensor).copy_(tensor)
        return out

    def hand_back(self, learned: Mapping[str, Tensor]) -> None:
        """Give each model its part of these weights; what stands in spare places is left behind."""
        with torch.no_grad():
            for place, model in enumerate(self._models):
                for name, value in model.named_parameters():
                    value.copy_(_own(learned[name][place], value))


def shape_of(model: nn.Module) -> tuple[object, ...]:
    """Return what models must have in common to stand side by side: all but the axes that may be longer."""
    room = _room(model)
    parts: list[object] = [type(model)]
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        axis = room[name].axis if name in room else None
        sizes = tuple(None if place == axis else size for place, size in enumerate(value.shape))
        parts.append((name, sizes, value.dtype))
    return tuple(parts)


def _room(model: nn.Module) -> Mapping[str, Spare]:
    return model.room() if isinstance(model, Room) else {}


def _own(wide: Tensor, like: Tensor) -> Tensor:
    """Return the part of a wide tensor that a narrower one fills."""
    return wide[tuple(slice(size) for size in like.shape)]


def _tensor(model: nn.Module, name: str) -> Tensor:
    room, _, last = name.rpartition(".")
    found: Tensor = getattr(model.get_submodule(room), last)
    return found
