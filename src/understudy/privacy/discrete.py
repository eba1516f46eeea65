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

_LARGEST = 2.0**40  # scale; blocks end at 53 of them, and a double counts to 2^53
_SMALLEST = 2.0**-40  # below this the noise is nought but for one draw in e^(2^40): surely a mistake
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

    Guarantee: added to whole-number answers of sensitivity s (one answer, or each of many with L2
    sensitivity s), the release is s^2 / (2 sigma^2)-zCDP (Canonne, Kamath and Steinke 2020, theorem 14),
    exactly: whole numbers have no last bits to give anything away.

    >>> discrete_gaussian(Stream.fresh(), 2.5, 4).dtype
    dtype('int64')
    """
    exact = _checked_scale("discrete_gaussian", "sigma", sigma)
    width = max(0, math.floor(exact).bit_length() - 1)
    squared = Fraction(4**width) / (2 * exact**2)
    # The best start of a block lies within the first few; the margin is far more than floats are off by.
    steepest = max(math.exp(v * math.log(2) - v * v * min(float(squared), 1e3)) for v in range(12))
    cap = math.ceil(steepest * (1 + 2.0**-20) * 2**24) / 2**24
    return _draw(stream, _Law(1 / (2 * exact**2), 2, width, cap), "discrete_gaussian", shape)


def discrete_laplace(stream: Stream, scale: float | Fraction, shape: Shape) -> Integers:
    """Return whole numbers with P(y) proportional to exp(-|y| / scale); fractions are taken exactly.

    Guarantee: added to whole-number answers of L1 sensitivity s, the release is (s / scale)-DP (the geometric
    mechanism of Ghosh, Roughgarden and Sundararajan 2009), exactly.

    >>> discrete_laplace(Stream.fresh(), Fraction(10, 3), 4).dtype
    dtype('int64')
    """
    exact = _checked_scale("discrete_laplace", "scale", scale)
    # Blocks of at least scale * log 2 (the constant is a little more): then no block outweighs the one
    # before, cap is 1.
    needed = math.ceil(exact * Fraction(6_931_472, 10_000_000))
    return _draw(stream, _Law(1 / exact, 1, (needed - 1).bit_length(), 1.0), "discrete_laplace", shape)


def _draw(stream: Stream, law: _Law, who: str, shape: Shape) -> Integers:
    """Look at blocks of candidates until enough are kept; the size of a block depends on the shape alone."""
    out = np.empty(size_of(who, shape), np.int64)
    filled = 0
    while filled < len(out):
        size = min(_BLOCK, 64 + 4 * (len(out) - filled))
        kept = _kept(stream, law, stream.uint64(3 * size).reshape(3, size))[: len(out) - filled]
        out[filled : filled + len(kept)] = kept
        filled += len(kept)
    return out.reshape(shape)


def _kept(stream: Stream, law: _Law, words: np.ndarray[Any, np.dtype[np.uint64]]) -> Integers:
    """Return the candidates that are kept, in their order; `words` has the rows a, b, c."""
    a, b, c = words  # each (size,)
    start = (b >> np.uint64(11)).view(np.int64).astype(np.float64).view(
        np.int64
    ) & _EXPONENT  # 2^(52 - V), as bits
    y = ((1075 - (start >> 52)) << law.width) + (a & np.uint64(2**law.width - 1)).view(np.int64)
    likely = y.astype(np.float64)
    if law.power == 2:
        likely *= likely
    likely *= -float(law.rate)
    np.exp(likely, out=likely)
    slope = start.view(np.float64) * (law.cap * 2.0**-105)  # cap * 2^-V * 2^-53
    u = (c >> np.uint64(11)).view(np.int64).astype(np.float64)  # the number lies in [u, u + 1) * 2^-53
    maybe = u * slope <= likely * (1 + _DOUBT)
    surely = (u + 1) * slope < likely * (1 - _DOUBT)
    surely &= start != 0  # a block word of nothing but zeros is not counted to its end yet
    sign = (a >> np.uint64(63)).view(np.int64)
    signed = (y ^ -sign) + sign  # -y where the sign is 1, without a branch
    plain = y >= sign  # all but minus nought
    surely &= plain
    maybe &= plain
    for place in np.flatnonzero(maybe > surely):
        signed[place], surely[place] = _settle(stream, law, tuple(int(word) for word in words[:, place]))
    kept: Integers = signed[surely]
    return kept


def _settle(stream: Stream, law: _Law, words: tuple[int, ...]) -> tuple[int, bool]:
    """Return one candidate, and whether it is kept: the definition above, in exact arithmetic."""
    a, b, c = words
    further = stream.child("settle", *words)
    zeros = 64 - b.bit_length()
    while b == 0:
        b = int.from_bytes(further.take(8), "little")
        zeros += 64 - b.bit_length()
    y = (zeros << law.width) + (a & (2**law.width - 1))
    if a < 2**63 or y > 0:
        bits, verdict = 64, None
        while (
            verdict := _is_below(Fraction(law.cap) / 2 ** (bits + zeros), c, law.rate * y**law.power)
        ) is None:
            c, bits = c << 64 | int.from_bytes(further.take(8), "little"), bits + 64
        return (-y if a >= 2**63 else y), verdict
    return 0, False


def _is_below(unit: Fraction, c: int, exponent: Fraction) -> bool | None:
    """Say whether all of [c, c + 1) * unit lies below exp(-exponent), or none of it; None if in between."""
    digits = 40 + c.bit_length()  # more than three times what the bits of c can tell apart
    slack = Fraction(
        1, 10 ** (digits - 10)
    )  # both logarithms are under 10^8, so their errors are far smaller
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
