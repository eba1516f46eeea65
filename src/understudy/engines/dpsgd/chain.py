"""The chain: a Sequential of Linear layers and activations that a tape runs as one function.

Layer by layer, autograd writes each value and each derivative into fresh memory, and a tape keeps all of
them until the second product: on a processor those are new pages from the operating system in every step. A
chain computes and keeps the same in rooms that every step uses again. Whatever it does not know by heart
(hooks, tokens, other kinds of layers, a device, whose allocator keeps its own rooms) goes through the layers
one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast, final

import torch
from torch import nn
from torch.nn.modules import module as every_module

from understudy.engines.dpsgd.elementwise import ELEMENTWISE
from understudy.engines.dpsgd.fused import Layer, Rooms, fused
from understudy.engines.dpsgd.taped import Keep

__all__ = ["Chain", "chains_of"]

Tensor = torch.Tensor
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_TOUCHED = (*_HOOKS, "inplace", "_compiled_call_impl")
_PLAIN = (Tensor, nn.Parameter)  # others have rules of their own


@final
class Chain:
    """One Sequential, and the rooms of all calls to it in one pass."""

    def __init__(self, module: nn.Sequential) -> None:
        self.module = module
        self._rooms = Rooms()
        self._keeps: dict[nn.Module, Keep] = {}

    def open(self, keeps: dict[nn.Module, Keep]) -> None:
        """Begin a pass: until `close` the module computes as one function, and writes over the last pass.

        Of each Linear layer in `keeps` the input and the derivative are kept.
        """
        self._rooms.free()
        self._keeps = keeps
        if "forward" not in self.module.__dict__:  # else it is somebody's own
            self.module.__dict__["forward"] = self._forward

    def close(self) -> None:
        """Let the module compute as it always does; what was kept stays until the next pass."""
        if self.module.__dict__.get("forward") == self._forward:
            del self.module.__dict__["forward"]

    def _forward(self, *arguments: Any, **named: Any) -> Tensor:
        if len(arguments) == 1 and not named and _is_plain(arguments[0]):
            layers = _layers(self.module, self._keeps)
            if layers is not None and _fit(arguments[0], layers):
                return fused(arguments[0], layers, self._rooms)
        return _one_by_one(self.module, *arguments, **named)


_one_by_one: Callable[..., Tensor] = nn.Sequential.forward


def chains_of(model: nn.Module) -> list[Chain]:
    """Return the outermost Sequentials of known layers, at least one of which has parameters to train.

    >>> [len(chain.module) for chain in chains_of(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))]
    [2]
    """
    found: list[Chain] = []
    inside: set[nn.Module] = set()
    for module in model.modules():
        if module not in inside and isinstance(module, nn.Sequential) and _is_known(module):
            found.append(Chain(module))
            inside.update(module.modules())
    return found


def _is_known(module: nn.Sequential) -> bool:
    kinds = {type(member) for member in module.modules()}
    trainable = any(parameter.requires_grad for parameter in module.parameters())
    return trainable and kinds <= {nn.Sequential, nn.Linear, nn.Identity, *ELEMENTWISE}


def _is_plain(x: object) -> bool:
    """Say whether this is rows of numbers on the processor, and autograd records."""
    if type(x) not in _PLAIN or not isinstance(x, Tensor):
        return False
    as_rows = x.dim() == 2 and x.device.type == "cpu" and x.layout is torch.strided
    return as_rows and torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")


def _layers(module: nn.Sequential, keeps: dict[nn.Module, Keep]) -> list[Layer] | None:
    """Return the layers as they are now, None where one does more than its kind says."""
    if any(getattr(every_module, f"_global{name}") for name in _HOOKS):
        return None
    layers = []
    for member in _members(module):
        if not _is_untouched(member, ours=member in keeps):
            return None
        if type(member) is not nn.Identity and type(member) is not nn.Sequential:
            layers.append(_layer(member, keeps))
    return layers if any(layer.keep is not None for layer in layers) else None


def _members(module: nn.Sequential) -> Iterator[nn.Module]:
    for member in module:
        yield member
        if type(member) is nn.Sequential:
            yield from _members(member)


def _is_untouched(member: nn.Module, *, ours: bool) -> bool:
    kind, own = type(member), member.__dict__
    if kind not in ELEMENTWISE and kind not in (nn.Linear, nn.Identity, nn.Sequential):
        return False  # it was put there after the chain was found
    if any(own.get(name) for name in _TOUCHED):
        return False
    # The forward of a recorded layer is the tape's, whose work this is; another one is somebody's own.
    return ours or "forward" not in own


def _layer(member: nn.Module, keeps: dict[nn.Module, Keep]) -> Layer:
    bend = ELEMENTWISE.get(type(member))
    if bend is not None:
        return Layer(member, bend)
    weight, bias = cast("tuple[Tensor, Tensor | None]", (member.weight, member.bias))
    return Layer(member, None, weight, bias, keeps.get(member))


def _fit(x: Tensor, layers: list[Layer]) -> bool:
    """Say whether all weights are plain, of the input's kind and, where they need a gradient, recorded."""
    for layer in layers:
        if layer.bend is not None:
            continue
        parts = [part for part in (layer.weight, layer.bias) if part is not None]
        if any(
            type(part) not in _PLAIN or part.dtype != x.dtype or part.device != x.device for part in parts
        ):
            return False
        if layer.keep is None and any(part.requires_grad for part in parts):
            return False
    return True
