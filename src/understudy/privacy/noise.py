"""Random numbers from a cipher stream: normal, uniform, exponential, Gumbel, and Poisson sampling.

Everything is drawn in blocks of a fixed size, by the same steps for every value, so that the time a draw
takes tells nothing about what was drawn. Layout of a block of 2p normals, so that a device can compute
the same: p words of 64 bits for the radii, then p words (32 bits for float32, 64 for float64) for the
angles; first the p cosines, then the p sines.

The numbers are floats: good for gradients' noise that is rounded to a grid (`on_grid`), for selection,
where only the winner is released, and for sampling. Never release `value + normal` as it is: its last
bits prove the value (`on_grid` says why).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from understudy.errors import ParameterError
from understudy.privacy.stream import Stream

__all__ = ["Shape", "exponential", "gumbel", "normals", "poisson_mask", "size_of", "uniforms"]

Shape = int | tuple[int, ...]
Floats = np.ndarray[Any, np.dtype[np.floating[Any]]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]

_BLOCK = 65_536  # values; all arrays of one block together stay in the processor's own cache


def normals(stream: Stream, shape: Shape, dtype: Any = np.float32) -> Floats:
    """Return standard normal numbers, float32 or float64 (Box and Muller 1958, both of each pair used).

    Radii come from 63 bits, so the tails reach 9.4 standard deviations: what is cut off weighs less than
    2^-67.

    >>> normals(Stream.fresh(), (3, 4)).shape
    (3, 4)
    """
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ParameterError(f"normals: dtype must be float32 or float64; got {kind}.")
    out = np.empty(size_of("normals", shape), kind)
    for start, stop in _blocks(len(out)):
        _box_muller(stream, out[start:stop])
    return out.reshape(shape)


def uniforms(stream: Stream, shape: Shape) -> Doubles:
    """Return numbers of (0, 1): odd multiples of 2^-53, so that neither end is ever drawn.

    >>> bool((0 < uniforms(Stream.fresh(), 100)).all())
    True
    """
    out = np.empty(size_of("uniforms", shape), np.float64)
    for start, stop in _blocks(len(out)):
        words = stream.uint64(stop - start)
        words >>= np.uint64(12)
        out[start:stop] = words.view(np.int64)
    out += 0.5
    out *= 2.0**-52
    return out.reshape(shape)


def exponential(stream: Stream, shape: Shape) -> Doubles:
    """Return exponential numbers of mean 1, from 2^-64 to 44: both ends are as fine as floats allow."""
    out = np.empty(size_of("exponential", shape), np.float64)
    for start, stop in _blocks(len(out)):
        _exponential(stream, out[start:stop])
    return out.reshape(shape)


def gumbel(stream: Stream, shape: Shape) -> Doubles:
    """Return standard Gumbel numbers: the largest of score + Gumbel draws from the exponential mechanism.

    Guarantee: for scores of sensitivity s, arg max of epsilon * score / (2 s) + gumbel is epsilon-DP, as
    the winner is drawn with probability proportional to exp(epsilon * score / (2 s)) (McSherry and Talwar
    2007). Only the winner may be released, never the noisy scores.

    >>> gumbel(Stream.fresh(), 5).shape
    (5,)
    """
    out = exponential(stream, shape)
    np.log(out, out=out)
    np.negative(out, out=out)
    return out


def poisson_mask(stream: Stream, rate: float, n: int) -> Bools:
    """Return which of n rows are in a batch: each on its own, with probability `rate`.

    Decided in integers: the probability is `rate` rounded down to a multiple of 2^-64, so never above
    what is accounted.

    >>> int(poisson_mask(Stream.fresh(), 1.0, 5).sum())
    5
    """
    if isinstance(rate, bool) or not isinstance(rate, int | float | np.floating) or not 0 <= rate <= 1:
        raise ParameterError(f"poisson_mask: rate must be a number from 0 to 1; got {rate!r}.")
    bound = math.floor(Fraction(float(rate)) * 2**64)
    out = np.empty(size_of("poisson_mask", n), np.bool_)
    for start, stop in _blocks(len(out)):
        words = stream.uint64(
            stop - start
        )  # drawn for rates 0 and 1 too: the stream moves on by n whatever the rate
        # The bound of rate 1 is one more than a word can hold; every word is below it.
        out[start:stop] = True if bound == 2**64 else words < np.uint64(bound)
    return out


def _box_muller(stream: Stream, out: Floats) -> None:
    """Fill one block."""
    pairs, kind = (len(out) + 1) // 2, out.dtype
    room = np.empty(pairs * (8 + kind.itemsize), np.uint8)
    stream.fill(room)
    radius = _minus_log(room[: 8 * pairs].view("<u8"))
    radius += radius
    np.sqrt(radius, out=radius)
    # Signed, so that the angle runs over (-pi, pi] and is finest near 0.
    turns = room[8 * pairs :].view(f"<i{kind.itemsize}")
    angle = np.multiply(
        turns, kind.type(math.pi * 2.0 ** (1 - 8 * kind.itemsize)), dtype=kind, casting="unsafe"
    )
    short = radius.astype(kind, copy=False)
    np.multiply(np.cos(angle), short, out=out[:pairs])
    np.multiply(np.sin(angle)[: len(out) - pairs], short[: len(out) - pairs], out=out[pairs:])


def _exponential(stream: Stream, out: Doubles) -> None:
    """Fill one block: -log of a uniform number, from whichever end of (0, 1) it is nearer to."""
    words = stream.uint64(len(out))
    upper = (words >> np.uint64(63)).view(np.int64).astype(np.bool_)
    # A word of the upper half is as far from 1 as its mirror image is from 0: nothing is lost by rounding
    # to 1.
    np.invert(words, out=words, where=upper)
    small = (words.astype(np.float64) + 0.5) * 2.0**-64
    out[...] = np.where(upper, -np.log1p(-small), -np.log(small))


def _minus_log(words: np.ndarray[Any, np.dtype[np.uint64]]) -> Doubles:
    """Return -log(u) for u in (0, 1] from the upper 63 bits of each word; the words are used up."""
    words >>= np.uint64(1)  # as a signed number: processors turn those into floats, and unsigned ones slowly
    out = words.view(np.int64).astype(np.float64)
    out += 0.5
    out *= 2.0**-63
    np.log(out, out=out)
    np.negative(out, out=out)
    return out


def _blocks(size: int) -> Iterator[tuple[int, int]]:
    """Yield where each block begins and ends."""
    for start in range(0, size, _BLOCK):
        yield start, min(start + _BLOCK, size)


def size_of(who: str, shape: Shape) -> int:
    """Return how many numbers a shape holds, or refuse it in the name of `who`."""
    sides = shape if isinstance(shape, tuple) else (shape,)
    if not all(
        isinstance(side, int | np.integer) and not isinstance(side, bool) and side >= 0 for side in sides
    ):
        raise ParameterError(f"{who}: a shape is one or more whole numbers from 0; got {shape!r}.")
    return math.prod(int(side) for side in sides)
