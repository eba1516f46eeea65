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

__all__ = ["Contribution", "Lookup", "Outer", "Scratch", "Shift", "Signal", "Written"]

Tensor = torch.Tensor


class Contribution(ABC):
    """The gradients of one parameter, one per record."""

    @abstractmethod
    def norms(self) -> Tensor:
        """Return the norm of each record's gradient, too small by no more than rounding."""

    @abstractmethod
    def add_to(self, total: Tensor, factor: Tensor, bad: Tensor | None, *, fresh: bool = False) -> None:
        """Add the sum of factor_i times gradient i to `total`; bad records add nothing at all.

        What lies in a fresh total is overwritten: that spares a pass over all parameters.
        """


@final
class Scratch:
    """Room for one product of factors and derivatives, used again by every layer and every step.

    On a processor a new array of this size is new pages from the operating system, which cost more than the
    product; a device's allocator keeps its own.
    """

    def __init__(self) -> None:
        self._room: Tensor | None = None
        self._of: tuple[Tensor | None, ...] = (None, None, None)

    def scaled(self, d: Tensor, factor: Tensor, bad: Tensor | None) -> Tensor:
        """Return factor_i d_i, until the next call with others."""
        of = self._of
        if self._room is None or of[0] is not d or of[1] is not factor or of[2] is not bad:
            self._room, self._of = self._product(d, factor, bad), (d, factor, bad)
        return self._room

    def _product(self, d: Tensor, factor: Tensor, bad: Tensor | None) -> Tensor:
        if d.device.type != "cpu":
            return _scaled(d, factor, bad)
        if self._room is None or self._room.dtype != d.dtype:
            self._room = d.new_empty(0)
        torch.mul(d, _column(factor, d), out=self._room.resize_(d.shape))
        return self._room if bad is None else self._room.masked_fill_(_column(bad, d), 0.0)


@final
class Signal:
    """The derivative of a linear layer's output, (batch, [tokens,] out), that its weight and bias share."""

    def __init__(self, calls: Sequence[Tensor], scratch: Scratch) -> None:
        self.d = _joined(calls)
        self._scratch = scratch

    @cached_property
    def norm(self) -> Tensor:
        """Each record's norm over the tokens' sum."""
        return _norm(self.d if self.d.dim() == 2 else self.d.sum(1))

    def scaled(self, factor: Tensor, bad: Tensor | None) -> Tensor:
        """Return factor_i d_i; the same factors are applied only once in a row."""
        return self._scratch.scaled(self.d, factor, bad)


@final
class Outer(Contribution):
    """A weight matrix: a is (batch, [tokens,] in); a repeated call adds tokens."""

    def __init__(self, calls: Sequence[Tensor], signal: Signal) -> None:
        self._a, self._signal = _joined(calls), signal

    def norms(self) -> Tensor:
        """See `Contribution`."""
        a, d = self._a, self._signal.d
        if a.dim() == 2:
            return _norm(a).mul_(self._signal.norm)
        # |sum_t outer(d_t, a_t)|^2 = sum_st (a_s . a_t)(d_s . d_t)
        a, d = a.double(), d.double()
        return _from_gram((a @ a.mT) * (d @ d.mT), self._a.dtype)

    def add_to(self, total: Tensor, factor: Tensor, bad: Tensor | None, *, fresh: bool = False) -> None:
        """See `Contribution`."""
        d = _tokens(self._signal.scaled(factor, bad))  # (batch * tokens, out)
        total.addmm_(d.mT, _tokens(_cleaned(self._a, bad)), beta=0 if fresh else 1)


@final
class Shift(Contribution):
    """The bias of a linear layer."""

    def __init__(self, signal: Signal) -> None:
        self._signal = signal

    def norms(self) -> Tensor:
        """See `Contribution`."""
        return self._signal.norm

    def add_to(self, total: Tensor, factor: Tensor, bad: Tensor | None, *, fresh: bool = False) -> None:
        """See `Contribution`."""
        _add_sum(total, _tokens(self._signal.scaled(factor, bad)), fresh)


@final
class Written(Contribution):
    """Gradients written down, (batch, *shape).

    Of biases and norms, which are no larger than an activation, and whatever `functional` computes.
    """

    def __init__(self, calls: Sequence[Tensor]) -> None:
        self._each = calls[0] if len(calls) == 1 else torch.stack(list(calls)).sum(0)

    def norms(self) -> Tensor:
        """See `Contribution`."""
        return _norm(self._each.flatten(1))

    def add_to(self, total: Tensor, factor: Tensor, bad: Tensor | None, *, fresh: bool = False) -> None:
        """See `Contribution`."""
        _add_sum(total, _scaled(self._each, factor, bad), fresh)


@final
class Lookup(Contribution):
    """An embedding: index is (batch, tokens), d is (batch, tokens, width)."""

    def __init__(self, calls: Sequence[tuple[Tensor, Tensor]], padding: int | None) -> None:
        self._index = torch.cat(
            [index.flatten(1) if index.dim() > 1 else index[:, None] for index, _ in calls], 1
        )
        self._d = torch.cat([d.flatten(1, -2) if d.dim() > 2 else d[:, None] for _, d in calls], 1)
        if padding is not None:
            self._d = self._d.masked_fill((self._index == padding)[..., None], 0.0)

    def norms(self) -> Tensor:
        """See `Contribution`."""
        d = self._d.double()
        same = self._index[:, :, None] == self._index[:, None, :]  # equal levels add up before the norm
        return _from_gram((d @ d.mT) * same, self._d.dtype)

    def add_to(self, total: Tensor, factor: Tensor, bad: Tensor | None, *, fresh: bool = False) -> None:
        """See `Contribution`."""
        if fresh:
            total.zero_()
        total.index_add_(0, self._index.flatten(), _scaled(self._d, factor, bad).flatten(0, 1))


def _joined(calls: Sequence[Tensor]) -> Tensor:
    """Return (batch, tokens, width): what lies between record and last axis is a token, in any call.

    Where each record has one token, that axis is left out.
    """
    if len(calls) == 1 and calls[0].dim() == 2:
        return calls[0]
    shaped = [values[:, None] if values.dim() == 2 else values.flatten(1, -2) for values in calls]
    joined = torch.cat(shaped, 1)
    return joined[:, 0] if joined.shape[1] == 1 else joined


def _tokens(values: Tensor) -> Tensor:
    """Return (batch * tokens, width)."""
    return values if values.dim() == 2 else values.flatten(0, 1)


def _add_sum(total: Tensor, each: Tensor, fresh: bool) -> None:
    if fresh:
        torch.sum(each, 0, out=total)
    else:
        total.add_(each.sum(0))


def _norm(values: Tensor) -> Tensor:
    """Return each row's norm, at least what underflow of the squares may have swallowed.

    Without the floor a record could pair a huge activation with a tiny derivative whose square is 0.
    """
    norms: Tensor = torch.linalg.vector_norm(values, dim=1)
    return norms.clamp_(min=math.sqrt(values.shape[1] * torch.finfo(values.dtype).tiny))


def _from_gram(gram: Tensor, dtype: torch.dtype) -> Tensor:
    """Return the root of each record's sum of (tokens, tokens) products, with what rounding may have taken.

    In float64, as terms may cancel; and with a bound on the error left, as a norm that comes out too small
    would clip too little. By Cauchy and Schwarz no sum of the terms' sizes is above (sum_t
    sqrt(gram_tt))^2.
    """
    gross = gram.diagonal(dim1=1, dim2=2).clamp(min=0.0).sqrt().sum(1).square()
    squares = gram.sum((1, 2)) + 2.0**-44 * gross
    return squares.clamp(min=torch.finfo(dtype).tiny).sqrt().to(dtype)


def _scaled(values: Tensor, factor: Tensor, bad: Tensor | None) -> Tensor:
    scaled = values * _column(factor, values)
    return scaled if bad is None else scaled.masked_fill_(_column(bad, values), 0.0)


def _cleaned(values: Tensor, bad: Tensor | None) -> Tensor:
    return values if bad is None else values.masked_fill(_column(bad, values), 0.0)


def _column(per_record: Tensor, like: Tensor) -> Tensor:
    return per_record.reshape(-1, *[1] * (like.dim() - 1))
