"""Normal noise in whole steps of a grid: round(scale z), fine enough that rounding leaves no pattern.

Float32 normals are too coarse for this: at scale 2^19 they lie an eighth of a step apart, so that ties are
frequent, even numbers come more often than odd ones, and the parity of a released sum tells the parity of
the true one. So the radius stays in float64 (53 bits) and only the angle is float32: for each angle the
product takes 2^53 values.
"""

from __future__ import annotations

import math
from typing import Any, final

import numpy as np
import torch

from understudy.privacy.stream import Stream

__all__ = ["WholeNormals"]

_BLOCK = 131_072  # pairs at most from one run of the cipher
_CACHED = 16_384  # pairs at a time: what one processor core works on stays in its cache
_CIPHER = 16  # bytes of a cipher block
_BITS = (1 << 53) - 1
_TURN = np.float32(math.pi * 2.0**-31)

Tensor = torch.Tensor
_Numbers = np.ndarray[tuple[int], np.dtype[Any]]


@final
class WholeNormals:
    """Draws whole normals in rooms of its own: arrays made anew in every step would be new pages.

    On one thread, a cacheful at a time: sharing each of these short passes between threads costs as much in
    waiting and in data moved between their caches as it saves, and far more on a busy machine.
    """

    def __init__(self, size: int) -> None:
        self._size, pairs = size, min((size + 1) // 2, _BLOCK)
        self._bytes = np.empty(12 * pairs, np.uint8)
        few = min(pairs, _CACHED)
        self._radius, self._product = np.empty(few), np.empty(few)
        self._angle = np.empty(few, np.float32)

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
        bits, turns, whole = words[: 8 * pairs].view("<i8"), words[8 * pairs :].view("<i4"), out.numpy()
        for start in range(0, pairs, _CACHED):
            some = slice(start, start + _CACHED)
            radius = self._radii(bits[some], scale)
            angle = self._angle[: len(radius)]
            np.multiply(turns[some], _TURN, out=angle, dtype=np.float32, casting="unsafe")
            self._round(radius, np.cos, angle, whole[:pairs][some])
            self._round(radius, np.sin, angle, whole[pairs:][some])

    def _radii(self, bits: _Numbers, scale: float) -> _Numbers:
        radius = self._radius[: len(bits)]
        np.add(np.bitwise_and(bits, _BITS, out=bits), 0.5, out=radius)
        np.multiply(radius, 2.0**-53, out=radius)
        np.log(radius, out=radius)
        np.multiply(radius, -2 * scale**2, out=radius)
        return np.sqrt(radius, out=radius)

    def _round(self, radius: _Numbers, wave: np.ufunc, angle: _Numbers, out: _Numbers) -> None:
        product = self._product[: len(radius)]
        wave(angle, out=product)  # in float32, as the angle is
        np.multiply(product, radius, out=product)
        np.rint(product[: len(out)], out=out, casting="same_kind")  # whole and below 2^24: nothing is lost
