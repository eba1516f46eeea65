"""The draws of a loss, noted once and made ahead of it: so that many models side by side draw as each alone.

Under `vmap` one generator draws for all models at once, and no model draws what it would by itself. But a
loss asks for the same draws in every step: which function, of which shape. They are noted in one run of the
loss; then each model's own generator makes them, in their order, and the loss is handed what was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

__all__ = ["Draw", "NotAhead", "handed", "made", "noted"]

_KNOWN = (torch.rand, torch.randn, torch.randint)
_OTHERS = {"bernoulli", "dropout", "multinomial", "normal", "poisson", "randperm"}
_OTHERS |= {
    "bernoulli_",
    "cauchy_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "normal_",
    "random_",
    "uniform_",
}
_OTHERS |= {"rand_like", "randn_like", "randint_like", "alpha_dropout", "feature_dropout", "rrelu"}


@final
class NotAhead(Exception):
    """A loss draws in a way that cannot be made ahead of it; its models are trained one by one."""


@final
@dataclass(frozen=True, eq=False)
class Draw:
    """One draw that a loss asks for: the function, and everything it is given but the generator."""

    function: Callable[..., Tensor]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def by(self, generator: torch.Generator) -> Tensor:
        """Draw it."""
        return self.function(*self.arguments, generator=generator, **self.options)


def noted(loss: Callable[[], Tensor]) -> list[Draw]:
    """Run a loss and return the draws that it asked for, in their order.

    >>> [draw.arguments for draw in noted(lambda: torch.rand(3, 2, generator=torch.Generator()))]
    [(3, 2)]
    """
    found = _Noting()
    with torch.no_grad(), found:
        loss()
    return found.draws


def made(draws: Sequence[Draw], generators: Sequence[torch.Generator]) -> list[Tensor]:
    """Return what every generator draws, side by side: (generators, *shape) for each draw."""
    return [torch.stack([draw.by(generator) for generator in generators]) for draw in draws]


def handed(draws: Sequence[Tensor]) -> TorchFunctionMode:
    """Return the context in which a loss is handed these draws instead of making them."""
    return _Handing(draws)


@final
class _Noting(TorchFunctionMode):
    def __init__(self) -> None:
        self.draws: list[Draw] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        options = dict(kwargs or {})
        if func in _KNOWN:
            if options.get("generator") is None:
                raise NotAhead
            told = {name: value for name, value in options.items() if name != "generator"}
            self.draws.append(Draw(func, args, told))
        elif getattr(func, "__name__", "") in _OTHERS:
            raise NotAhead
        return func(*args, **options)


@final
class _Handing(TorchFunctionMode):
    def __init__(self, draws: Sequence[Tensor]) -> None:
        self._left = iter(draws)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in _KNOWN:
            return next(self._left)
        return func(*args, **(kwargs or {}))
