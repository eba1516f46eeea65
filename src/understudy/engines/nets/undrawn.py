"""Layers whose first weights nobody has drawn: they come from a generator that is given, or from elsewhere.

A layer of torch's draws its weights from the global generator, which is nobody's business here. Made on the
meta device it draws none, but torch then loads a compiler to find out how it would have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

from torch.nn import init
from torch.overrides import TorchFunctionMode

__all__ = ["Undrawn"]

_DRAWS = (init.kaiming_uniform_, init.uniform_, init.normal_)


@final
class Undrawn(TorchFunctionMode):
    """Within it layers are made with whatever stands in memory; all of it is to be written over.

    >>> import torch
    >>> before = torch.get_rng_state()
    >>> with Undrawn():
    ...     layer = torch.nn.Linear(2, 1)
    >>> layer, bool((torch.get_rng_state() == before).all())
    (Linear(in_features=2, out_features=1, bias=True), True)
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Leave what would be drawn as it is."""
        given = dict(kwargs or {})
        return given["tensor"] if func in _DRAWS else func(*args, **given)
