"""The tape: one forward and one backward pass that keep each layer's `a` and `d`, and no weight gradients.

While the tape runs, Linear, LayerNorm and Embedding layers compute through functions of ours, which hand
their input and their output's derivative to the tape and return no gradient for the weight: the product
that back-propagation would spend on the mean gradient is spent once, later, on the clipped one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

import torch
from torch import nn
from torch.nn.utils import parametrize

from understudy.engines.dpsgd.chain import chains_of
from understudy.engines.dpsgd.layers import Contribution, Lookup, Outer, Scratch, Shift, Signal, Written
from understudy.engines.dpsgd.taped import QUICK, TAPED, Keep
from understudy.errors import ParameterError

__all__ = ["Tape", "can_be_taped", "refuse_odd_losses"]

Tensor = torch.Tensor


def can_be_taped(model: nn.Module) -> bool:
    """Say whether every trainable parameter belongs to exactly one layer of a kind that the tape knows."""
    owners: dict[nn.Parameter, int] = defaultdict(int)
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            owners[parameter] += 1 if _known(module) else 2
    return all(count == 1 for parameter, count in owners.items() if parameter.requires_grad)


def _known(module: nn.Module) -> bool:
    if type(module) not in TAPED or parametrize.is_parametrized(module):
        return False
    names = {
        name for name, _ in module.named_parameters(recurse=False)
    }  # others: weight norm of the old kind
    return names <= {"weight", "bias"} and not (isinstance(module, nn.Embedding) and module.sparse)


@final
class Tape:
    """What passed through the layers of a model in one pass."""

    def __init__(self, model: nn.Module) -> None:
        self._modules = [m for m in model.modules() if _known(m) and _needs(m)]
        self._parameters = [(p, type(m)) for m in self._modules for p in m.parameters(recurse=False)]
        self._kept: dict[nn.Module, list[tuple[Tensor, Tensor]]] = {}
        self._scratch = Scratch()
        self._chains = chains_of(model)
        self._functions = TAPED

    def run(self, loss: Callable[[], Tensor], weight: Tensor) -> dict[nn.Parameter, Contribution]:
        """Run a loss forwards and backwards, and return what each record adds to each parameter."""
        self._kept = {module: [] for module in self._modules}
        with self._recording():
            losses = loss()
        self._refuse_inner_derivatives()
        refuse_odd_losses(losses, len(weight))
        if losses.requires_grad:
            torch.autograd.backward(losses, weight.to(losses.dtype))
            self._functions = QUICK
        self._refuse_other_uses()
        found = {
            p: c for m, calls in self._kept.items() if calls for p, c in self._parts(m, calls, len(weight))
        }
        self._kept = {}
        return found

    @contextmanager
    def _recording(self) -> Iterator[None]:
        keeps = {module: _keep(self._kept[module]) for module in self._modules}
        try:
            for module, keep in keeps.items():
                module.__dict__["forward"] = _forward(self._functions[type(module)], module, keep)
            for chain in self._chains:
                chain.open(keeps)
            yield
        finally:
            for chain in self._chains:
                chain.close()
            for module in self._modules:
                module.__dict__.pop("forward", None)

    def _parts(
        self, module: nn.Module, calls: list[tuple[Tensor, Tensor]], records: int
    ) -> list[tuple[nn.Parameter, Contribution]]:
        for a, _ in calls:
            if a.dim() < (1 if isinstance(module, nn.Embedding) else 2) or len(a) != records:
                raise ParameterError(
                    f"dpsgd: a {type(module).__name__} saw {tuple(a.shape)} where the first axis should be "
                    f"the {records} records; use PrivateGradients(..., route='functional')."
                )
        if isinstance(module, nn.Embedding) and isinstance(module.weight, nn.Parameter):
            return [(module.weight, Lookup(calls, module.padding_idx))]
        both = (
            _linear_parts(calls, self._scratch)
            if isinstance(module, nn.Linear)
            else _norm_parts(module, calls)
        )
        pairs = zip((module.weight, module.bias), both, strict=True)
        return [(p, part) for p, part in pairs if isinstance(p, nn.Parameter) and p.requires_grad]

    def _refuse_inner_derivatives(self) -> None:
        """What a layer keeps before the loss is there is of a derivative that the loss took by itself."""
        if any(self._kept.values()):
            raise ParameterError(
                "dpsgd: the loss takes derivatives of the model by itself (a gradient penalty?); "
                "use torch.func.grad there, and PrivateGradients(..., route='functional')."
            )

    def _refuse_other_uses(self) -> None:
        """A weight that is also used outside its layer gets a gradient that was never clipped."""
        for parameter, kind in self._parameters:
            if parameter.grad is not None:
                parameter.grad = None
                raise ParameterError(
                    f"dpsgd: a parameter of a {kind.__name__} is used outside its layer; "
                    "use PrivateGradients(..., route='functional')."
                )


def refuse_odd_losses(losses: Tensor, records: int) -> None:
    """Refuse a loss that is not one number per record."""
    if losses.shape != (records,):
        raise ParameterError(
            f"dpsgd: the loss must be one number per record, shape ({records},); got {tuple(losses.shape)}."
        )


def _needs(module: nn.Module) -> bool:
    return any(parameter.requires_grad for parameter in module.parameters(recurse=False))


def _forward(
    function: Callable[[nn.Module, Tensor, Keep], Tensor], module: nn.Module, keep: Keep
) -> Callable[[Tensor], Tensor]:
    return lambda x: function(module, x, keep)


def _keep(kept: list[tuple[Tensor, Tensor]]) -> Keep:
    return lambda a, d: kept.append((a, d))


def _linear_parts(calls: list[tuple[Tensor, Tensor]], scratch: Scratch) -> tuple[Contribution, Contribution]:
    signal = Signal([d for _, d in calls], scratch)
    return Outer([a for a, _ in calls], signal), Shift(signal)


def _norm_parts(module: nn.Module, calls: list[tuple[Tensor, Tensor]]) -> tuple[Contribution, Contribution]:
    """Layer norm: `a` is the normalised input, so a record's gradients are a * d and d, over tokens."""
    axes = len(module.normalized_shape) if isinstance(module, nn.LayerNorm) else 1

    def over_tokens(values: Tensor) -> Tensor:
        between = tuple(range(1, values.dim() - axes))
        return values.sum(between) if between else values

    return Written([over_tokens(a * d) for a, d in calls]), Written([over_tokens(d) for _, d in calls])
