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
import numpy.typing as npt

from understudy.privacy.stream import Stream

__all__ = ["WholeNormals"]

_BLOCK = 32_768  # pairs at most; the arrays of a block stay in the processor's cache


@final
class WholeNormals:
    """Draws whole normals in rooms of its own: arrays made anew in every step would be new pages."""

    def __init__(self) -> None:
        self._bytes = np.empty(12 * _BLOCK, np.uint8)
        self._radius, self._product = np.empty(_BLOCK, np.float64), np.empty(_BLOCK, np.float64)
        self._angle, self._turn = np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.float32)

    def fill(self, stream: Stream, scale: float, out: npt.NDArray[np.float32]) -> None:
        """Fill `out` with normals of deviation `scale` < 2^20, rounded to whole numbers (Box-Muller).

        Of each pair 64 bits give the radius and 32 the angle. Every result is below 2^24, so float32 holds it
        exactly. The time does not depend on what is drawn.
        """
        pairs = (len(out) + 1) // 2
        size = -(-pairs // max(1, -(-pairs // _BLOCK)))  # equal blocks: a small last one would cost as much
        for start in range(0, len(out), 2 * max(1, size)):
            self._fill(stream, scale, out[start : start + 2 * size])

    def _fill(self, stream: Stream, scale: float, out: npt.NDArray[np.float32]) -> None:
        pairs = (len(out) + 1) // 2
        words = self._bytes[: 12 * pairs]
        stream.fill(words)
        radius = self._radii(words[: 8 * pairs].view("<u8"), scale)
        angle = self._angle[:pairs]
        angle[:] = words[8 * pairs :].view("<i4")
        angle *= np.float32(math.pi * 2.0**-31)
        self._round(radius, np.cos(angle, out=self._turn[:pairs]), out[:pairs])
        self._round(radius, np.sin(angle, out=self._turn[:pairs]), out[pairs:])

    def _radii(self, bits: npt.NDArray[np.uint64], scale: float) -> npt.NDArray[np.float64]:
        bits >>= np.uint64(11)
        radius = self._radius[: len(bits)]
        radius[:] = bits.view(np.int64)  # signed: processors turn those into floats fast
        radius += 0.5
        radius *= 2.0**-53
        np.log(radius, out=radius)
        radius *= -2 * scale**2
        return np.sqrt(radius, out=radius)

    def _round(
        self, radius: npt.NDArray[np.float64], turn: npt.NDArray[np.float32], out: npt.NDArray[np.float32]
    ) -> None:
        product = self._product[: len(radius)]
        product[:] = turn  # apart: a product of two kinds of floats would be made in small pieces
        product *= radius
        out[:] = np.rint(product, out=product)[: len(out)]
