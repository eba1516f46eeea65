"""Normal noise in whole steps of a grid: round(scale z), fine enough that rounding leaves no pattern.

Float32 normals are too coarse for this: at scale 2^19 they lie an eighth of a step apart, so that ties are
frequent, even numbers come more often than odd ones, and the parity of a released sum tells the parity of
the true one. So the radius stays in float64 (53 bits) and only the angle is float32: for each angle the
product takes 2^53 values.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np
import torch

from understudy.privacy.stream import Stream

__all__ = ["WholeNormals"]

_BLOCK = 131_072  # pairs at most in one go
_CIPHER = 16  # bytes of a cipher block
_BITS = (1 << 53) - 1

Tensor = torch.Tensor


@final
class WholeNormals:
    """Draws whole normals in rooms of its own: arrays made anew in every step would be new pages.

    Arithmetic in torch, on all its threads; logarithms and cosines in numpy, whose are faster on one.
    """

    def __init__(self, size: int) -> None:
        self._size, pairs = size, min((size + 1) // 2, _BLOCK)
        self._bytes = np.empty(12 * pairs, np.uint8)
        self._radius, self._product = (torch.empty(pairs, dtype=torch.float64) for _ in range(2))
        self._angle, self._turn = np.empty(pairs, np.float32), np.empty(pairs, np.float32)

    @property
    def cipher_blocks(self) -> int:
        """How many blocks of a stream one filling takes."""
        pairs = (self._size + 1) // 2
        return -(-pairs // _BLOCK) * -(-12 * min(pairs, _BLOCK) // _CIPHER)

    def fill(self, stream: Stream, first_block: int, scale: float, out: Tensor) -> None:
        """Fill `out` with normals of deviation `scale` < 2^20, rounded to whole numbers (Box-Muller).

        The bytes are those of `cipher_blocks` blocks of the stream. Of each pair 53 bits give the radius and
        32 the angle. Every result is below 2^24, so float32 holds it exactly. The time does not depend on
        what is drawn.
        """
        assert len(out) == self._size, "the rooms are for one size"
        for start in range(0, self._size, 2 * _BLOCK):
            self._fill(stream, first_block, scale, out[start : start + 2 * _BLOCK])
            first_block += -(-12 * _BLOCK // _CIPHER)

    def _fill(self, stream: Stream, first_block: int, scale: float, out: Tensor) -> None:
        pairs = (len(out) + 1) // 2
        words = self._bytes[: 12 * pairs]
        stream.fill_at(first_block, words)
        radius = self._radii(torch.from_numpy(words[: 8 * pairs].view("<i8")), scale)
        angle, turn = self._angle[:pairs], self._turn[:pairs]
        angle[:] = words[8 * pairs :].view("<i4")
        angle *= np.float32(math.pi * 2.0**-31)
        np.cos(angle, out=turn)
        self._round(radius, torch.from_numpy(turn), out[:pairs])
        np.sin(angle, out=turn)
        self._round(radius, torch.from_numpy(turn), out[pairs:])

    def _radii(self, bits: Tensor, scale: float) -> Tensor:
        radius = self._radius[: len(bits)].copy_(bits.bitwise_and_(_BITS)).add_(0.5).mul_(2.0**-53)
        logarithms = radius.numpy()
        np.log(logarithms, out=logarithms)
        return radius.mul_(-2 * scale**2).sqrt_()

    def _round(self, radius: Tensor, turn: Tensor, out: Tensor) -> None:
        product = self._product[: len(radius)].copy_(turn).mul_(radius).round_()
        out.copy_(product[: len(out)])
