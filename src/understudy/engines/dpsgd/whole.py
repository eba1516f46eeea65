"""Normal noise in whole steps of a grid: round(scale z), fine enough that rounding leaves no pattern.

Float32 normals are too coarse for this: at scale 2^19 they lie an eighth of a step apart, so that ties are
frequent, even numbers come more often than odd ones, and the parity of a released sum tells the parity of
the true one. So the radius stays in float64 (53 bits) and only the angle is float32: for each angle the
product takes 2^53 values.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from understudy.privacy.stream import Stream

__all__ = ["whole_normals"]

_BLOCK = 32_768  # pairs; the arrays of a block stay in the processor's cache


def whole_normals(stream: Stream, scale: float, out: npt.NDArray[np.float32]) -> None:
    """Fill `out` with normals of standard deviation `scale` < 2^20, rounded to whole numbers (Box-Muller).

    Of each pair 64 bits give the radius and 32 the angle. Every result is below 2^24, so float32 holds it
    exactly. The time does not depend on what is drawn.
    """
    for start in range(0, len(out), 2 * _BLOCK):
        _fill(stream, scale, out[start : start + 2 * _BLOCK])


def _fill(stream: Stream, scale: float, out: npt.NDArray[np.float32]) -> None:
    pairs = (len(out) + 1) // 2
    room = np.empty(12 * pairs, np.uint8)
    stream.fill(room)
    bits = room[: 8 * pairs].view("<u8")
    bits >>= np.uint64(11)
    # Through int64: processors turn signed numbers into floats fast.
    radius = bits.view(np.int64).astype(np.float64)
    radius += 0.5
    radius *= 2.0**-53
    np.log(radius, out=radius)
    radius *= -2 * scale**2
    np.sqrt(radius, out=radius)
    angle = room[8 * pairs :].view("<i4").astype(np.float32)
    angle *= np.float32(math.pi * 2.0**-31)
    product = bits.view(np.float64)  # the words are used up, so their room is
    np.rint(np.multiply(radius, np.cos(angle), out=product), out=product)
    out[:pairs] = product
    np.rint(np.multiply(radius, np.sin(angle), out=product), out=product)
    out[pairs:] = product[: len(out) - pairs]
