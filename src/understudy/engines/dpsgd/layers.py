"""What each record adds to the gradient of a parameter, in the smallest form that has its norm and sum.

`a` is what went into a layer, `d` the loss's derivative by what came out; the first axis is the record. The
gradient of record i is outer(d_i, a_i) summed over tokens: batch x parameters numbers that nobody has to
write down, since the norm (Goodfellow 2015; Li et al. 2022) and the weighted sum (Bu et al. 2023) follow
from `a` and `d`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import final

import torch

__all__ = ["Contribution", "Lookup", "Outer", "Shift", "Signal", "Written"]

Tensor = torch.Tensor


class Contribution(ABC):
    """The gradients of one parameter, one per record."""

    @abstractmethod
    def squares(self) -> Tensor:
        """Return the squared norm of each record's gradient, too small by no more than rounding."""

    @abstractmethod
    def add_to(self, total: Tensor, factor: Tensor, good: Tensor) -> None:
        """Add the sum of factor_i times gradient i to `total`; records that are not good add nothing."""


@final
class Signal:
    """The derivative of a linear layer's output, (batch, tokens, out), that its weight and its bias share."""

    def __init__(self, calls: Sequence[Tensor]) -> None:
        self.d = _joined(calls)
        self._last: tuple[Tensor, Tensor] | None = None

    @cached_property
    def square(self) -> Tensor:
        """Each record's sum of squares, where there is one token."""
        return _square(self.d[:, 0])

    def scaled(self, factor: Tensor, good: Tensor) -> Tensor:
        """Return factor_i d_i; the same factors are applied only once."""
        if self._last is None or self._last[0] is not factor:
            self._last = (factor, _scaled(self.d, factor, good))
        return self._last[1]


@final
class Outer(Contribution):
    """A weight matrix: a is (batch, tokens, in); a repeated call adds tokens."""

    def __init__(self, calls: Sequence[Tensor], signal: Signal) -> None:
        self._a, self._signal = _joined(calls), signal

    def squares(self) -> Tensor:
        """See `Contribution`."""
        a, d = self._a, self._signal.d
        if a.shape[1] == 1:
            return _square(a[:, 0]) * self._signal.square
        # |sum_t outer(d_t, a_t)|^2 = sum_st (a_s . a_t)(d_s . d_t)
        a, d = a.double(), d.double()
        return _from_gram((a @ a.mT) * (d @ d.mT), self._a.dtype)

    def add_to(self, total: Tensor, factor: Tensor, good: Tensor) -> None:
        """See `Contribution`."""
        d = self._signal.scaled(factor, good).flatten(0, 1)  # (batch * tokens, out)
        total.addmm_(d.mT, _cleaned(self._a, good).flatten(0, 1))


@final
class Shift(Contribution):
    """The bias of a linear layer."""

    def __init__(self, signal: Signal) -> None:
        self._signal = signal

    def squares(self) -> Tensor:
        """See `Contribution`."""
        one = self._signal.d.shape[1] == 1
        return self._signal.square if one else _square(self._signal.d.sum(1))

    def add_to(self, total: Tensor, factor: Tensor, good: Tensor) -> None:
        """See `Contribution`."""
        total.add_(self._signal.scaled(factor, good).flatten(0, 1).sum(0))


@final
class Written(Contribution):
    """Gradients written down, (batch, *shape).

    Of biases and norms, which are no larger than an activation, and whatever `functional` computes.
    """

    def __init__(self, calls: Sequence[Tensor]) -> None:
        self._each = calls[0] if len(calls) == 1 else torch.stack(list(calls)).sum(0)

    def squares(self) -> Tensor:
        """See `Contribution`."""
        return _square(self._each.flatten(1))

    def add_to(self, total: Tensor, factor: Tensor, good: Tensor) -> None:
        """See `Contribution`."""
        total.add_(_scaled(self._each, factor, good).sum(0))


@final
class Lookup(Contribution):
    """An embedding: index is (batch, tokens), d is (batch, tokens, width)."""

    def __init__(self, calls: Sequence[tuple[Tensor, Tensor]], padding: int | None) -> None:
        self._index = _joined([index[..., None] for index, _ in calls])[..., 0]
        self._d = _joined([d for _, d in calls])
        if padding is not None:
            self._d = self._d.masked_fill((self._index == padding)[..., None], 0.0)

    def squares(self) -> Tensor:
        """See `Contribution`."""
        d = self._d.double()
        same = self._index[:, :, None] == self._index[:, None, :]  # equal levels add up before the norm
        return _from_gram((d @ d.mT) * same, self._d.dtype)

    def add_to(self, total: Tensor, factor: Tensor, good: Tensor) -> None:
        """See `Contribution`."""
        total.index_add_(0, self._index.flatten(), _scaled(self._d, factor, good).flatten(0, 1))


def _joined(calls: Sequence[Tensor]) -> Tensor:
    """Return (batch, tokens, width): what lies between record and last axis is a token, in any call."""
    shaped = [
        values.reshape(len(values), math.prod(values.shape[1:-1]), values.shape[-1]) for values in calls
    ]
    return shaped[0] if len(shaped) == 1 else torch.cat(shaped, 1)


def _square(values: Tensor) -> Tensor:
    """Return each row's sum of squares, at least what underflow may have swallowed.

    Without the floor a record could pair a huge activation with a tiny derivative whose square is 0.
    """
    squares: Tensor = torch.linalg.vector_norm(values, dim=1).square()
    return squares.clamp(min=values.shape[1] * torch.finfo(values.dtype).tiny)


def _from_gram(gram: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the sum of each record's (tokens, tokens) products, with what rounding may have taken away.

    In float64, as terms may cancel; and with a bound on the error left, as a norm that comes out too small
    would clip too little. By Cauchy and Schwarz no sum of the terms' sizes is above (sum_t
    sqrt(gram_tt))^2.
    """
    gross = gram.diagonal(dim1=1, dim2=2).clamp(min=0.0).sqrt().sum(1).square()
    return (gram.sum((1, 2)) + 2.0**-44 * gross).clamp(min=torch.finfo(dtype).tiny).to(dtype)


def _scaled(values: Tensor, factor: Tensor, good: Tensor) -> Tensor:
    scaled = values * _column(factor, values)
    return scaled if _all(good) else scaled.masked_fill_(~_column(good, values), 0.0)


def _cleaned(values: Tensor, good: Tensor) -> Tensor:
    return values if _all(good) else values.masked_fill(~_column(good, values), 0.0)


def _all(good: Tensor) -> bool:
    """Say whether nothing has to be zeroed; a device would have to be waited for, so there: no."""
    return good.device.type == "cpu" and bool(good.all())


def _column(per_record: Tensor, like: Tensor) -> Tensor:
    return per_record.reshape(-1, *[1] * (like.dim() - 1))
