"""ChaCha20 and Box-Muller as Triton kernels: the words of `chacha`, at the speed of the device.

Imported only where there is a device. The kernels read the step's number from device memory, so that a
captured graph draws new noise at each replay.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["whole_normals", "words"]

# Without Triton this file can still be read by tools that import every module; nothing can be launched.
_FOUND = importlib.util.find_spec("triton") is not None
triton: Any = importlib.import_module("triton") if _FOUND else None
tl: Any = importlib.import_module("triton.language") if _FOUND else None

_SIZE = 128  # blocks of the cipher per program


def _jit(function: Callable[..., Any]) -> Any:
    return triton.jit(function) if _FOUND else function


@_jit
def _quarter(a, b, c, d):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    a = a + b
    d = d ^ a
    d = (d << 16) | (d >> 16)
    c = c + d
    b = b ^ c
    b = (b << 12) | (b >> 20)
    a = a + b
    d = d ^ a
    d = (d << 8) | (d >> 24)
    c = c + d
    b = b ^ c
    b = (b << 7) | (b >> 25)
    return a, b, c, d


@_jit
def _block(key, step, number):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    zero = number ^ number
    k0, k1 = zero + tl.load(key).to(tl.uint32), zero + tl.load(key + 1).to(tl.uint32)
    k2, k3 = zero + tl.load(key + 2).to(tl.uint32), zero + tl.load(key + 3).to(tl.uint32)
    k4, k5 = zero + tl.load(key + 4).to(tl.uint32), zero + tl.load(key + 5).to(tl.uint32)
    k6, k7 = zero + tl.load(key + 6).to(tl.uint32), zero + tl.load(key + 7).to(tl.uint32)
    n1, n2 = zero + tl.load(step).to(tl.uint32), zero + tl.load(key + 8).to(tl.uint32)
    c0, c1, c2, c3 = zero + 0x61707865, zero + 0x3320646E, zero + 0x79622D32, zero + 0x6B206574
    a0, a1, a2, a3 = c0, c1, c2, c3
    b0, b1, b2, b3 = k0, k1, k2, k3
    d0, d1, d2, d3 = k4, k5, k6, k7
    e0, e1, e2, e3 = number, n1, n2, zero
    for _ in range(10):
        a0, b0, d0, e0 = _quarter(a0, b0, d0, e0)
        a1, b1, d1, e1 = _quarter(a1, b1, d1, e1)
        a2, b2, d2, e2 = _quarter(a2, b2, d2, e2)
        a3, b3, d3, e3 = _quarter(a3, b3, d3, e3)
        a0, b1, d2, e3 = _quarter(a0, b1, d2, e3)
        a1, b2, d3, e0 = _quarter(a1, b2, d3, e0)
        a2, b3, d0, e1 = _quarter(a2, b3, d0, e1)
        a3, b0, d1, e2 = _quarter(a3, b0, d1, e2)
    return (a0 + c0, a1 + c1, a2 + c2, a3 + c3, b0 + k0, b1 + k1, b2 + k2, b3 + k3,
            d0 + k4, d1 + k5, d2 + k6, d3 + k7, e0 + number, e1 + n1, e2 + n2, e3)  # fmt: skip


@_jit
def _pair(high, low, turn, scale):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    bits = (high.to(tl.int64) << 21) | (low >> 11).to(tl.int64)
    # Constants: 2^-53 and pi 2^-31. The product is in float64; `whole` says why.
    radius = scale * tl.sqrt(-2.0 * tl.log((bits.to(tl.float64) + 0.5) * 1.1102230246251565e-16))
    angle = turn.to(tl.int32, bitcast=True).to(tl.float32) * 1.4629180792671596e-09
    cosine, sine = radius * tl.cos(angle).to(tl.float64), radius * tl.sin(angle).to(tl.float64)
    return tl.floor(cosine + 0.5).to(tl.float32), tl.floor(sine + 0.5).to(tl.float32)


@_jit
def _words_kernel(key, steps, out, blocks, size: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    number = tl.program_id(0) * size + tl.arange(0, size)
    row = tl.program_id(1)
    drawn = _block(key, steps + row, number.to(tl.uint32))
    start = out + row.to(tl.int64) * blocks * 16 + number
    for place in tl.static_range(16):
        tl.store(start + place * blocks, drawn[place].to(tl.int32, bitcast=True), mask=number < blocks)


@_jit
def _normals_kernel(key, step, more, out, size: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    number = tl.program_id(0) * size + tl.arange(0, size)
    # Scale and number of blocks lie in memory together, in float64, which holds both exactly.
    scale, blocks = tl.load(more), tl.load(more + 1).to(tl.int32)
    drawn = _block(key, step, number.to(tl.uint32))
    for pair in tl.static_range(5):
        cosine, sine = _pair(drawn[3 * pair], drawn[3 * pair + 1], drawn[3 * pair + 2], scale)
        tl.store(out + pair * blocks + number, cosine, mask=number < blocks)
        tl.store(out + (pair + 5) * blocks + number, sine, mask=number < blocks)


def words(key: torch.Tensor, steps: torch.Tensor, blocks: int) -> torch.Tensor:
    """Return the cipher's words for some steps: int32, (steps, 16, blocks)."""
    out = torch.empty((len(steps), 16, blocks), dtype=torch.int32, device=key.device)
    _words_kernel[(triton.cdiv(blocks, _SIZE), len(steps))](key, steps, out, blocks, _SIZE)
    return out


def whole_normals(key: torch.Tensor, step: torch.Tensor, scale: float, blocks: int) -> torch.Tensor:
    """Return one step's normals of deviation `scale`, rounded: float32, (10, blocks)."""
    out = torch.empty((10, blocks), dtype=torch.float32, device=key.device)
    more = _settings(scale, blocks, key.device)
    _normals_kernel[(triton.cdiv(blocks, _SIZE),)](key, step, more, out, _SIZE)
    return out


@functools.cache  # copied to the device once: a graph cannot copy from the host
def _settings(scale: float, blocks: int, device: torch.device) -> torch.Tensor:
    return torch.tensor([scale, blocks], dtype=torch.float64, device=device)
