"""The norms between a generator's layers, with their derivatives written out, for the parts of a batch.

A batch is computed in parts, and a norm over the batch has to know all of them: each part tells what it is
like, `join` puts that together, and then each part goes on. So it is on the way back. A norm over one row
has nothing to join but the derivatives by its own weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import final

import torch
from torch import Tensor, nn

__all__ = ["Norm", "norm_of"]


class Norm(ABC):
    """What stands between two layers, for parts of so many rows each."""

    @abstractmethod
    def tell(self, part: int, rows: Tensor) -> None:
        """Note what the rows of a part are like."""

    @abstractmethod
    def join(self) -> None:
        """Put together what all parts told."""

    @abstractmethod
    def forward(self, part: int, rows: Tensor, out: Tensor) -> None:
        """Put the rows of a part, normed, into `out`; `rows` are used up."""

    @abstractmethod
    def tell_back(self, part: int, grads: Tensor) -> None:
        """Note the derivatives by what a part was normed to."""

    @abstractmethod
    def join_back(self) -> None:
        """Put together what all parts told, and put the derivatives by the norm's own weights."""

    @abstractmethod
    def back(self, part: int, grads: Tensor) -> None:
        """Turn derivatives by what a part was normed to into those by its rows, in place."""


def norm_of(module: nn.Module, grads: Mapping[Tensor, Tensor], parts: Sequence[int]) -> Norm:
    """Return a norm written out; the derivatives by its weights are put into `grads`."""
    if isinstance(module, nn.Identity):
        return _Bare()
    assert isinstance(module, nn.BatchNorm1d | nn.LayerNorm), "there are no other norms"
    scale = _Scale(module.weight, module.bias, grads, parts)
    return _Batch(module, scale) if isinstance(module, nn.BatchNorm1d) else _Layer(module.eps, scale)


@final
class _Bare(Norm):
    """No norm at all."""

    def tell(self, part: int, rows: Tensor) -> None:
        pass

    def join(self) -> None:
        pass

    def forward(self, part: int, rows: Tensor, out: Tensor) -> None:
        del part
        out.copy_(rows)

    def tell_back(self, part: int, grads: Tensor) -> None:
        pass

    def join_back(self) -> None:
        pass

    def back(self, part: int, grads: Tensor) -> None:
        pass


@final
class _Scale:
    """The weights behind a norm, and rows as they were before these: of mean 0 and deviation 1."""

    def __init__(
        self, weight: Tensor, bias: Tensor, grads: Mapping[Tensor, Tensor], parts: Sequence[int]
    ) -> None:
        self.weight, self.bias, self.parts = weight.detach(), bias.detach(), parts
        self.by_weight, self.by_bias = grads[weight], grads[bias]
        self.plain = [self.weight.new_zeros(rows, len(weight)) for rows in parts]
        self._room = [torch.zeros_like(each) for each in self.plain]
        self._told = self.weight.new_zeros(2, len(parts), len(weight))

    def forward(self, part: int, out: Tensor) -> None:
        torch.addcmul(self.bias, self.plain[part], self.weight, out=out)

    def tell_back(self, part: int, grads: Tensor) -> None:
        torch.sum(grads, 0, out=self._told[0, part])
        torch.sum(torch.mul(grads, self.plain[part], out=self._room[part]), 0, out=self._told[1, part])

    def join_back(self) -> None:
        torch.sum(self._told[0], 0, out=self.by_bias)
        torch.sum(self._told[1], 0, out=self.by_weight)


@final
class _Batch(Norm):
    """A norm over all rows of a batch (Ioffe and Szegedy 2015), which keeps what is usual for drawing."""

    def __init__(self, module: nn.BatchNorm1d, scale: _Scale) -> None:
        self._module, self._scale, self._rows = module, scale, sum(scale.parts)
        self._means, self._squares = (
            scale.weight.new_zeros(len(scale.parts), len(scale.weight)) for _ in "ab"
        )
        self._mean, self._rate = (torch.zeros_like(scale.weight) for _ in "ab")

    def tell(self, part: int, rows: Tensor) -> None:
        mean = torch.mean(rows, 0, out=self._means[part])
        off = torch.sub(rows, mean, out=self._scale.plain[part]).square_()
        torch.sum(off, 0, out=self._squares[part])

    def join(self) -> None:
        counts = self._means.new_tensor(self._scale.parts)[:, None]
        torch.sum(self._means * (counts / self._rows), 0, out=self._mean)
        squares = (self._squares + counts * (self._means - self._mean).square()).sum(0)
        torch.rsqrt(squares / self._rows + self._module.eps, out=self._rate)
        module, share = self._module, self._module.momentum
        assert module.running_mean is not None and module.running_var is not None, "what is usual is kept"
        assert module.num_batches_tracked is not None and share is not None, "by a share of its own"
        module.running_mean.lerp_(self._mean.to(module.running_mean), share)
        module.running_var.lerp_((squares / max(self._rows - 1, 1)).to(module.running_var), share)
        module.num_batches_tracked.add_(1)

    def forward(self, part: int, rows: Tensor, out: Tensor) -> None:
        torch.sub(rows, self._mean, out=self._scale.plain[part]).mul_(self._rate)
        self._scale.forward(part, out)

    def tell_back(self, part: int, grads: Tensor) -> None:
        self._scale.tell_back(part, grads)

    def join_back(self) -> None:
        self._scale.join_back()

    def back(self, part: int, grads: Tensor) -> None:
        scale = self._scale
        grads.addcmul_(scale.plain[part], scale.by_weight, value=-1 / self._rows)
        grads.sub_(scale.by_bias / self._rows).mul_(scale.weight * self._rate)


@final
class _Layer(Norm):
    """A norm over each row by itself (Ba et al. 2016)."""

    def __init__(self, eps: float, scale: _Scale) -> None:
        self._eps, self._scale = eps, scale
        self._rates = [scale.weight.new_zeros(rows, 1) for rows in scale.parts]

    def tell(self, part: int, rows: Tensor) -> None:
        pass

    def join(self) -> None:
        pass

    def forward(self, part: int, rows: Tensor, out: Tensor) -> None:
        plain = torch.sub(rows, rows.mean(1, keepdim=True), out=self._scale.plain[part])
        squares = torch.mul(plain, plain, out=rows).mean(1, keepdim=True)
        plain.mul_(torch.rsqrt(squares.add_(self._eps), out=self._rates[part]))
        self._scale.forward(part, out)

    def tell_back(self, part: int, grads: Tensor) -> None:
        self._scale.tell_back(part, grads)

    def join_back(self) -> None:
        self._scale.join_back()

    def back(self, part: int, grads: Tensor) -> None:
        plain = self._scale.plain[part]
        grads.mul_(self._scale.weight)
        along = (grads * plain).mean(1, keepdim=True)
        grads.sub_(grads.mean(1, keepdim=True)).addcmul_(plain, along, value=-1).mul_(self._rates[part])
