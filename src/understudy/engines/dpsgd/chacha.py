"""ChaCha20 (RFC 8439) in whole tensors: the cipher stream of a device, and what is made of its words.

Block (step, block number) of a purpose is ChaCha20 with counter = block number and nonce = (step, purpose,
0) under a key of the device's own. So noise is a function of (key, purpose, step, block): no state, nothing
to save, and no two steps or purposes share a block. Words are int32, as torch has no unsigned arithmetic:
additions wrap around alike. `words` lays them out as (steps, 16, blocks), so that a kernel writes
neighbours to neighbours.

Guarantee: the words are those of the cipher, whichever code computes them (tests compare with the RFC, with
`cryptography` and with the Triton kernel); torch's own generators and seeds are never read.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from typing import Any

import torch

__all__ = [
    "BATCHES",
    "NOISE",
    "NORMALS_PER_BLOCK",
    "below",
    "key_words",
    "plain_words",
    "whole_normals",
    "words",
]

Tensor = torch.Tensor

NOISE, BATCHES = 1, 2
NORMALS_PER_BLOCK = 10  # 16 words: five pairs of 64 bits for a radius and 32 for an angle; one word is left

_CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def key_words(key: bytes, purpose: int, device: torch.device) -> Tensor:
    """Return the eight words of a key and the purpose, as one int32 tensor on the device."""
    whole = [int.from_bytes(key[4 * i : 4 * i + 4], "little", signed=True) for i in range(8)]
    return torch.tensor([*whole, purpose], dtype=torch.int32, device=device)


def words(key: Tensor, steps: Tensor, blocks: int) -> Tensor:
    """Return the cipher's words for some steps: int32, (steps, 16, blocks)."""
    kernel = _kernels(key.device)
    found: Tensor = (kernel.words if kernel else plain_words)(key, steps, blocks)
    return found


def whole_normals(key: Tensor, step: Tensor, scale: float, out: Tensor) -> None:
    """Fill a float32 vector with one step's normals of deviation `scale`, rounded (see `whole`)."""
    kernel = _kernels(out.device)
    blocks = -(-len(out) // NORMALS_PER_BLOCK)
    if kernel is None:
        drawn = _box_muller(plain_words(key, step, blocks)[0], scale)
    else:
        drawn = kernel.whole_normals(key, step, scale, blocks)
    out.copy_(drawn.flatten()[: len(out)])


def below(key: Tensor, steps: Tensor, rate: float, rows: int) -> Tensor:
    """Return which rows are in each step: bool, (steps, rows), each true with probability `rate`.

    Decided in integers of 64 bits: the probability is `rate` rounded down to a multiple of 2^-64 (1 is
    taken as 1 - 2^-64), so never above what is accounted.
    """
    drawn = words(key, steps, -(-rows // 8)).reshape(len(steps), 8, 2, -1)  # (steps, 8, 2, blocks)
    high, low = drawn[:, :, 0].long(), drawn[:, :, 1].long() & 0xFFFFFFFF
    # Compared as signed numbers, so the top bit is turned over on both sides.
    bound = min(math.floor(rate * 2**64), 2**64 - 1) - 2**63
    unsigned = ((high << 32) | low) ^ torch.iinfo(torch.int64).min
    return (unsigned < bound).flatten(1)[:, :rows]


def plain_words(key: Tensor, steps: Tensor, blocks: int) -> Tensor:
    """Return the words of `words` by tensor operations alone; slow, right everywhere."""
    shape = (len(steps), blocks)
    zero = torch.zeros(shape, dtype=torch.int32, device=key.device)
    counter = torch.arange(blocks, dtype=torch.int32, device=key.device).expand(shape)
    nonce = [steps.to(torch.int32)[:, None].expand(shape), key[8].expand(shape), zero]
    constants = [torch.full_like(zero, value) for value in _CONSTANTS]
    start = [*constants, *[key[i].expand(shape) for i in range(8)], counter, *nonce]
    return _cipher(start)


def _cipher(start: list[Tensor]) -> Tensor:
    state = list(start)
    for _ in range(10):
        for places in (*_COLUMNS, *_DIAGONALS):
            _quarter(state, places)
    return torch.stack([a + b for a, b in zip(state, start, strict=True)], dim=-2)


def _quarter(state: list[Tensor], places: tuple[int, int, int, int]) -> None:
    """The quarter round: add, exclusive or, rotate, four times."""
    a, b, c, d = places
    for left, right, turned, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[left] = state[left] + state[right]
        mixed = state[turned] ^ state[left]
        # >> keeps the sign of an int32: the bits that it copies in are masked away.
        state[turned] = (mixed << by) | ((mixed >> (32 - by)) & ((1 << by) - 1))


def _box_muller(drawn: Tensor, scale: float) -> Tensor:
    """Return (10, blocks) rounded normals from (16, blocks) words: cosines of the five pairs, then sines.

    The radius comes from 53 bits in float64, so the tails reach 8.6 standard deviations.
    """
    high, low, turn = drawn[0:15:3].long(), drawn[1:15:3].long() & 0xFFFFFFFF, drawn[2:15:3]
    bits = (((high & 0xFFFFFFFF) << 21) | (low >> 11)).double()
    radius = scale * torch.sqrt(-2.0 * torch.log((bits + 0.5) * 2.0**-53))
    angle = turn.float() * (math.pi * 2.0**-31)
    return torch.cat([radius * torch.cos(angle), radius * torch.sin(angle)]).round_().float()


def _kernels(device: torch.device) -> Any:
    """Return the kernels where there is a device and Triton for it; the same words come without."""
    if device.type != "cuda" or importlib.util.find_spec("triton") is None:
        return None
    return importlib.import_module("understudy.engines.dpsgd.chacha_triton")
