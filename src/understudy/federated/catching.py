"""What a learner would train, caught: the network, its loss and its inputs, without training anything.

A learner builds its networks and hands each to a `Fit`. A site lets it run until the stage that is asked for:
networks of earlier stages get the weights that the rounds before ended with, and the wanted one is caught.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from types import FunctionType
from typing import Any, NoReturn, final

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from understudy.engines.fields import Fields
from understudy.engines.learner import Learner
from understudy.engines.training.fit import Fit, Inputs, Loss, device_of
from understudy.engines.training.placing import placed
from understudy.errors import InputError, ParameterError
from understudy.federated.demand import Parameters
from understudy.federated.message import MOST_BYTES
from understudy.federated.recipes import federating
from understudy.model.neural_fit import Method

__all__ = ["Catcher", "Caught", "catch", "parameters_of", "put", "refuse_games"]

MOST_NUMBERS = (
    MOST_BYTES // 4
)  # of float32: what is more has no room in a message, so no round can be about it
_MAKERS = (torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn)


@final
@dataclass(frozen=True, eq=False)
class Caught:
    """A network as it was built, its loss, and what its inputs are made by."""

    model: nn.Module
    loss: Loss
    inputs: Inputs | None

    @cached_property
    def _held(self) -> list[tuple[nn.Module, str, Tensor]]:
        names = [name.rpartition(".") for name, _ in self.model.named_buffers()]
        places = [(self.model.get_submodule(part), name) for part, _, name in names]
        return [(part, name, getattr(part, name).clone()) for part, name in places]

    def lay(self, device: torch.device) -> None:
        """Put the network on a device, and note what stands in its buffers the first time."""
        placed(self.model, device)
        _ = self._held

    def has_moved(self) -> bool:
        """Say whether a buffer holds something else than it did at first: no round may move one."""
        return any(not torch.equal(value, getattr(part, name)) for part, name, value in self._held)

    @cached_property
    def _learned(self) -> dict[str, nn.Parameter]:
        return _learned_of(self.model)  # the same objects in all rounds

    def put(self, parameters: Parameters) -> None:
        """Put parameters into the model; refuse other names or shapes."""
        _put(self._learned, parameters)

    def parameters(self) -> Parameters:
        """Return what is learned of the model."""
        return _told(self._learned)


def catch(
    learner: Learner,
    fields: Fields,
    seed: int,
    stage: str,
    before: Mapping[str, Parameters],
    *,
    device: str | torch.device = "cpu",
) -> Caught:
    """Run a learner up to a stage and return what it would train there; finished networks lie on `device`.

    Networks that no message has room for are refused while they are built: who asks decides their size.
    """
    if stage not in learner.stages:
        raise InputError(f"demand: there is no stage {stage[:64]!r} in this recipe.")
    fit = _Catching(stage, before, device_of(device))
    try:
        with _Counted():
            learner.learn(fields, fit, seed)
    except _Reached:
        assert fit.found is not None, "whoever says so has it"
        return fit.found
    raise InputError(f"demand: the recipe has no network to train in stage {stage!r}.")


@final
class Catcher:
    """Catches what the stages of a method would train, each network once for all of its rounds.

    A network is handed out again where nothing of it can have changed but its parameters, which every round
    puts in anew: its loss is a function or frozen, and a round that moves a buffer is refused.
    """

    def __init__(self, method: Method, fields: Fields, seed: int, device: str | torch.device = "cpu") -> None:
        self.method, self._fields, self._seed, self._device = method, fields, seed, device
        self._known: tuple[str, Mapping[str, Parameters], Caught] | None = None

    def caught(self, stage: str, before: Mapping[str, Parameters]) -> Caught:
        """Return what a stage would train, after the parameters that earlier ones ended with."""
        if self._known is not None and self._known[0] == stage and _same(self._known[1], before):
            return self._known[2]
        found = catch(self.method.learner, self._fields, self._seed, stage, before, device=self._device)
        self._known = (stage, before, found) if _keeps_nothing(found.loss) else None
        return found


def _keeps_nothing(loss: Loss) -> bool:
    frozen = is_dataclass(loss) and getattr(type(loss), "__dataclass_params__").frozen  # noqa: B009 - not in stubs
    return isinstance(loss, FunctionType) or frozen


def _same(one: Mapping[str, Parameters], other: Mapping[str, Parameters]) -> bool:
    return set(one) == set(other) and all(
        set(one[stage]) == set(other[stage])
        and all(np.array_equal(one[stage][name], other[stage][name]) for name in one[stage])
        for stage in one
    )


def parameters_of(model: nn.Module) -> Parameters:
    """Return what is learned of a model: float32, on the processor, each array by itself."""
    return _told(_learned_of(model))


def put(model: nn.Module, parameters: Parameters) -> None:
    """Put parameters into a model; refuse other names or shapes."""
    _put(_learned_of(model), parameters)


def _learned_of(model: nn.Module) -> dict[str, nn.Parameter]:
    return {name: each for name, each in model.named_parameters() if each.requires_grad}


def _told(learned: Mapping[str, nn.Parameter]) -> Parameters:
    return {name: each.detach().to("cpu", torch.float32).numpy().copy() for name, each in learned.items()}


def _put(wanted: Mapping[str, nn.Parameter], parameters: Parameters) -> None:
    if set(wanted) != set(parameters):
        raise InputError(
            f"demand: expected {len(wanted)} arrays of parameters by their names; got {len(parameters)} "
            "of which some are others."
        )
    with torch.no_grad():
        for name, each in wanted.items():
            if tuple(each.shape) != parameters[name].shape:
                raise InputError(
                    f"demand: {name!r} must have shape {tuple(each.shape)}; got {parameters[name].shape}."
                )
            each.copy_(torch.from_numpy(parameters[name].copy()))


def refuse_games() -> NoReturn:
    """Refuse recipes of two networks that play a game: what they send would be more than differences."""
    raise ParameterError(
        f"federation: adversarial recipes do not federate; take one of {', '.join(federating())}."
    )


@final
class _Counted(TorchFunctionMode):
    """Counts the numbers that networks are made of, before memory is taken for them."""

    def __init__(self) -> None:
        TorchFunctionMode.__init__(self)
        self._count = 0

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        more = kwargs or {}
        if func in _MAKERS:
            size = more.get("size", args)
            self._count += math.prod(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
            if self._count > MOST_NUMBERS:
                raise InputError(
                    f"demand: the networks of these settings have over {MOST_NUMBERS:,} numbers, more than a "
                    "message holds; ask for smaller ones."
                )
        return func(*args, **more)


@final
class _Reached(Exception):
    """The wanted stage is reached; nothing after it is run."""


@final
class _Catching(Fit):
    """Trains nothing."""

    def __init__(self, stage: str, before: Mapping[str, Parameters], device: torch.device) -> None:
        self._stage, self._before, self._device = stage, before, device
        self.found: Caught | None = None

    @property
    def private(self) -> bool:
        return True  # also in the open: losses that change from step to step would begin anew in each round

    @property
    def rows(self) -> float:
        return 1.0

    @property
    def device(self) -> torch.device:
        return self._device

    def train(self, stage: str, model: nn.Module, loss: Loss, inputs: Inputs | None = None) -> None:
        if stage == self._stage:
            self.found = Caught(model, loss, inputs)
            raise _Reached
        if stage not in self._before:
            raise InputError(f"demand: stage {self._stage!r} needs the weights of {stage!r} before it.")
        put(model, self._before[stage])
        model.to(self._device).eval()

    def play(self, stage: str, game: object) -> None:  # noqa: ARG002 - no game is played
        refuse_games()
