"""Products of matrices in single precision on a processor, by the quicker of torch's two libraries.

torch asks MKL for them, whose kernels keep to 256 bits on processors that are not Intel's. oneDNN, which
torch has beside it for inference, makes kernels for whatever there is. AMD's Zen 5 computes with 512 bits at
once: there it takes 0.5 to 0.7 times as long, and on Intel's processors 1.0 to 1.9 times. Both add up in
single precision. Which one is asked depends on the processor and on sizes alone, so that the same seed gives
the same bytes on one machine.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

__all__ = ["least_quick", "product_by", "put_affine", "put_product", "put_product_by"]

_ONEDNN = "_linear_pointwise"
_LEAST = 2**20  # multiplications; asking oneDNN takes 10 us, in which MKL does half of these
_NEVER = 2**62
_ZEN_5 = 26  # the family of AMD's processors from which on 512 bits are computed at once


def least_quick() -> int:
    """Return of how many multiplications on oneDNN had better be asked: of more than there are, if never."""
    return _LEAST if _has_kernels() else _NEVER


def product_by(least: int, left: Tensor, right: Tensor) -> Tensor:
    """Return left (b, n) times right (n, m), by oneDNN if it is of so many multiplications; for a `program`.

    >>> product_by(least_quick(), torch.ones(1, 3), torch.ones(3, 2))
    tensor([[3., 3.]])
    """
    if left.numel() * right.size(1) >= least and left.dtype == torch.float32:
        return _made(left, right.t(), None)
    return torch.mm(left, right)


def put_product_by(least: int, left: Tensor, right: Tensor, out: Tensor) -> None:
    """Put what `product_by` returns into `out`; for a `program`."""
    if left.numel() * right.size(1) >= least and left.dtype == torch.float32:
        out.copy_(_made(left, right.t(), None))
    else:
        torch.mm(left, right, out=out)


def put_product(left: Tensor, right: Tensor, out: Tensor) -> None:
    """Put left (b, n) times right (n, m) into `out`."""
    put_product_by(least_quick(), left, right, out)


def put_affine(rows: Tensor, weight: Tensor, bias: Tensor, out: Tensor) -> None:
    """Put rows (b, n) times weight (m, n) turned, plus bias (m,), into `out`.

    >>> put_affine(torch.ones(1, 3), torch.ones(2, 3), torch.tensor([0.0, -4.0]), out := torch.empty(1, 2))
    >>> out
    tensor([[ 3., -1.]])
    """
    if rows.numel() * len(weight) >= least_quick() and rows.dtype == torch.float32:
        out.copy_(_made(rows, weight, bias))
    else:
        torch.addmm(bias, rows, weight.T, out=out)


def _by_onednn(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    if not (weight.is_contiguous() or weight.t().is_contiguous()):
        weight = weight.contiguous()  # of parts of lines it would take a thousand times as long
    made: Tensor = _pointwise(rows, weight, bias, "none", [], "")
    return made


_pointwise: Any = getattr(torch.ops.mkldnn, _ONEDNN, None)
_made = torch.nn.functional.linear if _pointwise is None else _by_onednn


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
