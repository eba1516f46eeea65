"""Products of matrices in single precision on a processor, by the quicker of torch's two libraries.

torch asks MKL for them, whose kernels keep to 256 bits on processors that are not Intel's. oneDNN, which
torch has beside it for inference, makes kernels for whatever there is. AMD's Zen 5 computes with 512 bits at
once: there it takes 0.5 to 0.7 times as long, and on Intel's processors 1.0 to 1.9 times. Both add up in
single precision. Which one is asked depends on the processor and on sizes alone, so that the same seed gives
the same bytes on one machine.

Two threads share one product of oneDNN's nearly without loss, where those of MKL wait for each other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch
from torch import Tensor

__all__ = ["are_shared", "product", "put_affine", "put_product"]

_ONEDNN = "_linear_pointwise"
_LEAST = 2**20  # multiplications; asking oneDNN takes 10 us, in which MKL does half of these
_ZEN_5 = 26  # the family of AMD's processors from which on 512 bits are computed at once


def are_shared() -> bool:
    """Say whether threads had better share each product than have products of their own."""
    return _has_kernels()


def product(left: Tensor, right: Tensor) -> Tensor:
    """Return left (b, n) times right (n, m).

    >>> product(torch.ones(1, 3), torch.ones(3, 2))
    tensor([[3., 3.]])
    """
    if _is_quick(left, right.shape[1]):
        return _made(left, right.T, None)
    return torch.mm(left, right)


def put_affine(rows: Tensor, weight: Tensor, bias: Tensor, out: Tensor) -> None:
    """Put rows (b, n) times weight (m, n) turned, plus bias (m,), into `out`.

    >>> put_affine(torch.ones(1, 3), torch.ones(2, 3), torch.tensor([0.0, -4.0]), out := torch.empty(1, 2))
    >>> out
    tensor([[ 3., -1.]])
    """
    if _is_quick(rows, len(weight)):
        out.copy_(_made(rows, weight, bias))
    else:
        torch.addmm(bias, rows, weight.T, out=out)


def put_product(left: Tensor, right: Tensor, out: Tensor) -> None:
    """Put what `product` returns into `out`."""
    if _is_quick(left, right.shape[1]):
        out.copy_(_made(left, right.T, None))
    else:
        torch.mm(left, right, out=out)


def _made(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if not (weight.is_contiguous() or weight.T.is_contiguous()):
        weight = weight.contiguous()  # of parts of lines it would take a thousand times as long
    made: Tensor = getattr(torch.ops.mkldnn, _ONEDNN).default(rows, weight, bias, "none", [], "")
    return made


def _is_quick(left: Tensor, width: int) -> bool:
    return left.numel() * width >= _LEAST and left.dtype == torch.float32 and left.is_cpu and _has_kernels()


@cache
def _has_kernels() -> bool:
    """Say whether oneDNN is here, and a processor for which it has better kernels than MKL."""
    return (
        torch.backends.cpu.get_cpu_capability() == "AVX512"
        and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
        and hasattr(torch.ops.mkldnn, _ONEDNN)
        and _is_zen_5(Path("/proc/cpuinfo"))
    )


def _is_zen_5(told: Path) -> bool:
    """Say whether a Linux kernel tells of a processor by AMD of that family or a later one."""
    if not told.exists():
        return False
    first = told.read_text(encoding="utf-8", errors="replace").split("\n\n", 1)[0]
    facts = dict(line.partition(":")[::2] for line in first.splitlines())
    known = {name.strip(): value.strip() for name, value in facts.items()}
    return known.get("vendor_id") == "AuthenticAMD" and int(known.get("cpu family", "0")) >= _ZEN_5
