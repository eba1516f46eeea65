"""Whole-number noise with exactly the stated law: discrete Gaussian and discrete Laplace.

The laws and their guarantees are those of Canonne, Kamath and Steinke (2020), "The Discrete Gaussian for
Differential Privacy". Their sampler decides every coin exactly; so does this one, many at a time. A
candidate is made of three words:

    a   sign, and offset U: uniform on 0 .. 2^j - 1         (bits, so exactly uniform)
    b   block V: how many zeros it begins with, P(V) = 2^-(V+1)
    c   a uniform number u, as many bits of it as are needed

and its size y = U + V * 2^j is kept when u * cap * 2^-V < exp(-rate * y^power), where `cap` is large
enough that the other side, times 2^V, never exceeds it. "Minus nought" is thrown away, as nought has one
sign only. So each y is kept in proportion to exp(-rate * |y|^power): that is the law, with no rounding
anywhere.

The comparison is made in floats with room for their error; the few candidates (about one in 2^40) that
floats cannot tell are settled in exact arithmetic with as many bits as it takes. Their further bits come
from a child stream named by the three words, so the outcome is a function of the words alone, the same on
every machine. How many candidates are looked at has nothing to do with which values they take, so neither
has the time.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from understudy.errors import ParameterError
from understudy.privacy.noise import Shape, size_of
from understudy.privacy.stream import Stream

__all__ = ["discrete_gaussian", "discrete_laplace"]

Integers = np.ndarray[Any, np.dtype[np.int64]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Words = np.ndarray[Any, np.dtype[np.uint64]]

_LARGEST = 2.0**40  # scale: then y, at most 53 blocks here, is exact as a double
_SMALLEST = 2.0**-40  # scale: noise that is nought but for one draw in e^(2^40) is surely a mistake
_BLOCK = 16_384  # candidates; the arrays of one block stay in the processor's own cache
_DOUBT = 2.0**-40  # relative: products and exp are off by less than 2^-42 wherever the outcome is in doubt
_EXPONENT = np.int64(0x7FF0_0000_0000_0000)


@dataclass(frozen=True)
class _Law:
    """P(y) proportional to exp(-rate * |y|^power), and the candidates it is drawn from."""

    rate: Fraction
    power: int
    width: int  # j: a block holds 2^j whole numbers
    cap: float


def discrete_gaussian(stream: Stream, sigma: float, shape: Shape) -> Integers:
    """Return whole numbers with P(y) proportional to exp(-y^2 / (2 sigma^2)); sigma is taken exactly.

    Guarantee: added to whole-number answers of L2 sensitivity s, one draw to each, the release is
    s^2 / (2 sigma^2)-zCDP (Canonne, Kamath and Steinke 2020), exactly: whole numbers have no last bits to
    give anything away.

    >>> discrete_gaussian(Stream.fresh(), 2.5, 4).dtype
    dtype('int64')
    """
    law = _gaussian(_checked_scale("discrete_gaussian", "sigma", sigma))
    return _draw(stream, law, size_of("discrete_gaussian", shape)).reshape(shape)


def discrete_laplace(stream: Stream, scale: float | Fraction, shape: Shape) -> Integers:
    """Return whole numbers with P(y) proportional to exp(-|y| / scale); fractions are taken exactly.

    Guarantee: added to whole-number answers of L1 sensitivity s, the release is (s / scale)-DP (the geometric
    mechanism of Ghosh, Roughgarden and Sundararajan 2009), exactly.

    >>> discrete_laplace(Stream.fresh(), Fraction(10, 3), 4).dtype
    dtype('int64')
    """
    law = _laplace(_checked_scale("discrete_laplace", "scale", scale))
    return _draw(stream, law, size_of("discrete_laplace", shape)).reshape(shape)


def _gaussian(sigma: Fraction) -> _Law:
    width = max(0, math.floor(sigma).bit_length() - 1)  # blocks of half a sigma to a whole one
    rate = 1 / (2 * sigma**2)
    fall = float(min(rate * 4**width, 1000))
    # The largest of all starts of blocks is among the first few; the margin is far more than floats are off.
    largest = max(math.exp(v * math.log(2) - v * v * fall) for v in range(12))
    return _Law(rate, 2, width, cap=math.ceil(largest * (1 + 2.0**-20) * 2**24) / 2**24)


def _laplace(scale: Fraction) -> _Law:
    # Blocks of scale * log 2 or a little more: then no start of a block, times 2^V, is above the first, 1.
    needed = math.ceil(scale * Fraction(6_931_472, 10_000_000))
    return _Law(1 / scale, 1, width=(needed - 1).bit_length(), cap=1.0)


def _draw(stream: Stream, law: _Law, n: int) -> Integers:
    """Look at blocks of candidates until n are kept; a block's size depends on how many are missing alone."""
    out = np.empty(n, np.int64)
    filled = 0
    while filled < len(out):
        size = min(_BLOCK, 64 + 4 * (len(out) - filled))
        kept = _kept(stream, law, stream.uint64(3 * size).reshape(3, size))[: len(out) - filled]
        out[filled : filled + len(kept)] = kept
        filled += len(kept)
    return out


def _kept(stream: Stream, law: _Law, words: Words) -> Integers:
    """Return the candidates that are kept, in their order; `words` has the rows a, b, c."""
    a, b, c = words  # each (size,)
    start, y = _sizes(law, a, b)
    surely, maybe = _compare(law, start, y, c)
    sign = (a >> np.uint64(63)).view(np.int64)
    signed = (y ^ -sign) + sign  # -y where the sign is 1, without a branch
    plain = y >= sign  # all but minus nought
    surely &= plain
    maybe &= plain
    for place in np.flatnonzero(maybe > surely):
        signed[place], surely[place] = _settle(stream, law, tuple(int(word) for word in words[:, place]))
    kept: Integers = signed[surely]
    return kept


def _sizes(law: _Law, a: Words, b: Words) -> tuple[Doubles, Integers]:
    """Return 2^(52 - V) and y = U + V * 2^j; the former is 0 where zeros are still to be counted."""
    upper = (b >> np.uint64(11)).view(np.int64).astype(np.float64)  # 53 bits: exact as a float
    power = upper.view(np.int64) & _EXPONENT  # a float that keeps its exponent only is a power of two
    y = ((1075 - (power >> 52)) << law.width) + (a & np.uint64(2**law.width - 1)).view(np.int64)
    return power.view(np.float64), y


def _compare(law: _Law, start: Doubles, y: Integers, c: Words) -> tuple[Bools, Bools]:
    """Return which candidates are surely kept, and which may be for all that floats can tell."""
    likely = y.astype(np.float64)
    if law.power == 2:
        likely *= likely
    likely *= -float(law.rate)
    np.exp(likely, out=likely)
    slope = start * (law.cap * 2.0**-105)  # cap * 2^-V * 2^-53
    u = (c >> np.uint64(11)).view(np.int64).astype(np.float64)  # the number lies in [u, u + 1) * 2^-53
    surely = ((u + 1) * slope < likely * (1 - _DOUBT)) & (start > 0)
    maybe = u * slope <= likely * (1 + _DOUBT)
    return surely, maybe


def _settle(stream: Stream, law: _Law, words: tuple[int, ...]) -> tuple[int, bool]:
    """Return one candidate, and whether it is kept: the definition above, in exact arithmetic."""
    a, b, c = words
    further = stream.child("settle", *words)
    zeros = 64 - b.bit_length()
    while b == 0:
        b = int.from_bytes(further.take(8), "little")
        zeros += 64 - b.bit_length()
    y = (zeros << law.width) + (a & (2**law.width - 1))
    if a >= 2**63 and y == 0:
        return 0, False
    unit = Fraction(law.cap) / 2 ** (64 + zeros)
    while (verdict := _is_below(unit, c, law.rate * y**law.power)) is None:
        unit, c = unit / 2**64, c << 64 | int.from_bytes(further.take(8), "little")
    return (-y if a >= 2**63 else y), verdict


def _is_below(unit: Fraction, c: int, exponent: Fraction) -> bool | None:
    """Say whether all of [c, c + 1) * unit lies below exp(-exponent), or none of it; None if in between."""
    digits = 40 + c.bit_length()  # far more than the bits of c can tell apart
    slack = Fraction(1, 10 ** (digits - 10))  # the logarithms are under 10^8, so their errors are smaller
    if -_log((c + 1) * unit, digits) > exponent + slack:
        return True
    if c > 0 and -_log(c * unit, digits) < exponent - slack:
        return False
    return None


def _log(value: Fraction, digits: int) -> Fraction:
    """Return the natural logarithm; `decimal` rounds it correctly in the last digit."""
    with decimal.localcontext(decimal.Context(prec=digits)):
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).ln())


def _checked_scale(who: str, what: str, scale: float | Fraction) -> Fraction:
    fits = isinstance(scale, int | float | Fraction) and not isinstance(scale, bool)
    if not fits or not _SMALLEST <= scale <= _LARGEST:
        raise ParameterError(f"{who}: {what} must be a number from 2^-40 to 2^40; got {scale!r}.")
    return Fraction(scale)
