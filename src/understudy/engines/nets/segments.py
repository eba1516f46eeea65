"""Segments: categorical columns side by side in one flat vector, and what is done to all of them at once.

A record with codes of 3 and 2 levels is the flat vector [a0 a1 a2 b0 b1]. Nothing here loops over columns:
a maximum is one scatter (one gather on a device), a sum one product with the 0/1 matrix of who belongs where,
a value handed out one gather. (Padding every column to the widest, measured on a processor: as fast on 8
columns of 2 to 42 levels, forward up to twice as fast on 40 of 100, and more than 30 times slower where one
of 41 columns has 1,000.)

The derivatives are written down, since those that follow by themselves add along indices: slower, and in no
fixed order on a device, so that two runs would differ. Every function takes any leading axes and any dtype,
and may be called under `torch.func`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, final

import torch
from torch import Tensor, nn

from understudy.engines.training.widened import Spare

__all__ = ["SPARE", "Segments", "maxima", "summed"]

# What stands at spare places behind the last column: they are in no column's sum.
SPARE: Final = {
    **dict.fromkeys(("owner", "local", "last", "members"), Spare(0)),
    "span": Spare(0, along=False),
}

_SQUARE_ON = {"cuda"}
_MOST = 8  # so many times as many places as there are levels
_LONGEST = 4_096  # levels that the kernels hold of one column at once


@final
class Segments(nn.Module):
    """The columns' places in the flat vector; there may be none.

    >>> segments = Segments([3, 2])
    >>> segments.onehot(torch.tensor([[2, 0]]))
    tensor([[0., 0., 1., 1., 0.]])
    """

    starts: Tensor
    owner: Tensor
    local: Tensor
    last: Tensor
    members: Tensor
    counts: Tensor
    span: Tensor

    def __init__(self, sizes: Sequence[int]) -> None:
        nn.Module.__init__(self)
        self.sizes = tuple(sizes)
        counts = torch.tensor(self.sizes, dtype=torch.int64)
        starts, places = counts.cumsum(0) - counts, torch.arange(len(sizes))
        owner = places.repeat_interleave(counts)
        constants = {
            "starts": starts,  # (m,): where each column begins
            "owner": owner,  # (total,): the column of each place
            "local": torch.arange(len(owner)) - starts[owner],  # (total,): the code of each place
            "last": counts[owner] - 1,  # (total,): the last code of that place's column
            "members": _members(owner, len(sizes)),  # (total, m or a few more)
            "counts": counts,  # (m,): the levels of each column
            "span": torch.arange(_power_of_two(max(self.sizes, default=0))),  # (w,): at least the widest
        }
        for name, values in constants.items():
            self.register_buffer(name, values, persistent=False)  # a function of the sizes: nothing to save

    @property
    def total(self) -> int:
        """The length of the flat vector; with spare places behind the last column, where there are any."""
        return len(self.owner)

    def onehot(self, codes: Tensor) -> Tensor:
        """Return (b, total): 1 at each code of (b, m), else 0."""
        flat = self.members.new_zeros(()).expand(*codes.shape[:-1], self.total)
        return flat.scatter(-1, codes + self.starts, 1.0)

    def place(self, codes: Tensor, values: Tensor, rest: Tensor) -> Tensor:
        """Return (b, total): the values (b, m) at the codes, and `rest`, (b, 1), everywhere else."""
        flat = rest.expand(*codes.shape[:-1], self.total)
        return flat.scatter(-1, codes + self.starts, values.expand(codes.shape))

    def log_softmax(self, logits: Tensor) -> Tensor:
        """Return the logits less the log of their column's sum of exponentials; never in half precision."""
        sharp = _sharp(logits)
        best = maxima(self, sharp.detach())
        out: Tensor = _LogSoftmax.apply(sharp, best, self.owner, self.members)  # type: ignore[no-untyped-call]
        return out

    def cross_entropy(self, logits: Tensor, codes: Tensor) -> Tensor:
        """Return (b, m): -log of the probability that the softmax of a column's logits gives its code.

        >>> Segments([2, 4]).cross_entropy(torch.zeros(6), torch.tensor([1, 0])).exp().round()
        tensor([2., 4.])
        """
        kernels = _kernels(logits.device) if self.sizes and len(self.span) <= _LONGEST else None
        if kernels is None:
            return -self.at(self.log_softmax(logits), codes)
        out: Tensor = kernels.cross_entropy(_sharp(logits), codes, self.starts, self.counts, len(self.span))
        return out

    def sums(self, flat: Tensor) -> Tensor:
        """Return (b, m): the sum within each column."""
        out: Tensor = _Sums.apply(flat, self.owner, self.members)  # type: ignore[no-untyped-call]
        return out[..., : len(self.sizes)]

    def spread(self, values: Tensor) -> Tensor:
        """Return (b, total): the value of a column at each of its places."""
        out: Tensor = _Spread.apply(values, self.owner, self.members)  # type: ignore[no-untyped-call]
        return out

    def at(self, flat: Tensor, codes: Tensor) -> Tensor:
        """Return (b, m): the flat vector's values at the codes."""
        return flat.gather(-1, codes + self.starts)

    def argmax(self, flat: Tensor) -> Tensor:
        """Return (b, m): the code of the largest value of each column, the first among equals."""
        flat = flat.detach()
        if _is_square(self, flat):
            return _square(self, flat).argmax(-1).remainder(self.counts)
        best = maxima(self, flat).index_select(-1, self.owner)
        codes = torch.where(flat == best, self.local, self.last)
        nothing = self.starts.new_zeros(()).expand(*flat.shape[:-1], len(self.sizes))
        owner = self.owner.expand(codes.shape)
        return nothing.scatter_reduce(-1, owner, codes, "amin", include_self=False)

    def draw(self, logits: Tensor, generator: torch.Generator | None) -> Tensor:
        """Return (b, m): a code of each column, with probabilities softmax(logits) (Gumbel 1954)."""
        logits = _sharp(logits)
        # A uniform draw of 0 makes -inf: that code is not drawn. 1 is never drawn.
        chance = torch.rand(logits.shape, generator=generator, device=logits.device, dtype=logits.dtype)
        return self.argmax(logits - chance.log_().neg_().log_())


@final
class _LogSoftmax(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(logits: Tensor, maxima: Tensor, owner: Tensor, members: Tensor) -> Tensor:
        shifted = logits - maxima.index_select(-1, owner)  # at most 0, and 0 once
        return shifted.sub_(summed(shifted.exp(), members).log_().index_select(-1, owner))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(output, *inputs[2:])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None, None]:
        (grad,), (output, owner, members) = grads, ctx.saved_tensors
        total = _Sums.apply(grad, owner, members)  # type: ignore[no-untyped-call]
        return grad - output.exp() * total.index_select(-1, owner), None, None, None


@final
class _Sums(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(flat: Tensor, owner: Tensor, members: Tensor) -> Tensor:
        del owner
        return summed(flat, members)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor], output: Tensor) -> None:
        del output
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return _Spread.apply(*grads, *ctx.saved_tensors), None, None  # type: ignore[no-untyped-call]


@final
class _Spread(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(values: Tensor, owner: Tensor, members: Tensor) -> Tensor:
        del members
        return values.index_select(-1, owner)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Tensor], output: Tensor) -> None:
        del output
        ctx.columns = inputs[0].shape[-1]
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        sums = _Sums.apply(*grads, *ctx.saved_tensors)  # type: ignore[no-untyped-call]
        return sums[..., : ctx.columns], None, None


@cache
def _can_build() -> bool:
    # Where Triton looks, and nowhere else; Debian's own Python keeps its headers outside of its local scheme.
    local = sysconfig.get_default_scheme() == "posix_local"
    folder = sysconfig.get_path("include", "posix_prefix") if local else sysconfig.get_path("include")
    header = (Path(folder) / "Python.h").exists()
    compiler = "CC" in os.environ or any(shutil.which(name) for name in ("gcc", "clang"))
    return importlib.util.find_spec("triton") is not None and compiler and header


def _kernels(device: torch.device) -> Any:
    """Return the kernels where there is a device, Triton for it, and what Triton builds its launcher with."""
    if device.type != "cuda" or not _can_build():
        return None
    return importlib.import_module("understudy.engines.nets.segment_triton")


def _sharp(flat: Tensor) -> Tensor:
    return flat.float() if flat.dtype in {torch.bfloat16, torch.float16} else flat


def maxima(segments: Segments, flat: Tensor) -> Tensor:
    """Return (b, m): the largest value of each column."""
    if _is_square(segments, flat):
        return _square(segments, flat).amax(-1)
    lowest = flat.new_full((), -torch.inf).expand(*flat.shape[:-1], len(segments.sizes))
    return lowest.scatter_reduce(-1, segments.owner.expand(flat.shape), flat, "amax")


def _is_square(segments: Segments, flat: Tensor) -> bool:
    """Say whether columns are laid out as wide as the widest to look for a maximum.

    On a device the places of a column that scatter into one maximum wait for each other: 0.20 ms for 20
    models of 512 rows of Adult on an H200, of 1.3 ms that a step takes in all.
    """
    return (
        flat.device.type in _SQUARE_ON
        and 0 < len(segments.sizes) * len(segments.span) <= _MOST * segments.total
    )


def _square(segments: Segments, flat: Tensor) -> Tensor:
    """Return (b, m, w): the values of each column, over and over until the row is full."""
    places = segments.starts[:, None] + segments.span.remainder(segments.counts[:, None])
    found = flat.index_select(-1, places.flatten())
    return found.view(*flat.shape[:-1], *places.shape)


def _power_of_two(size: int) -> int:
    """Return the least power of two that is not less: so that models of about one width have one width."""
    return 1 << max(size - 1, 0).bit_length()


def _members(owner: Tensor, columns: int) -> Tensor:
    """Return the 0/1 matrix of which place is in which column, and empty columns up to a multiple of 16.

    A product with 16 columns takes half the time that one with 15 does.
    """
    wide = -(-columns // 16) * 16
    return (owner[:, None] == torch.arange(wide)).to(torch.get_default_dtype())


def summed(flat: Tensor, members: Tensor) -> Tensor:
    """Return (b, m or a few more): the sum within each column, and nothing behind them."""
    with torch.autocast(flat.device.type, enabled=False):  # 8 bits are too few for a sum of probabilities
        return flat @ members.to(flat.dtype)
