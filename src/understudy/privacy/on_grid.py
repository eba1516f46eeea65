"""Gaussian noise on a grid: sums and noise are whole numbers of steps, so that float bits prove nothing.

A float64 sum plus float64 noise gives its value away: which floats can come out depends on the value, and
about a quarter of all outputs (at sigma 1) prove which of two neighbouring tables was used. On a grid
every output is a whole number of steps, and every whole number can come from every table.

The way to use it, for a sum over rows that were each clipped to norm C:

    steps = rows_to_grid(rows, grid).sum(axis=0)          # each row first, then the sum, in integers
    noisy = rounded_gaussian(stream, steps, sigma, grid)  # sensitivity C, exactly
    release = from_grid(noisy, grid)

`rows_to_grid` moves every coordinate towards nought, so no row's norm grows and the sensitivity stays C:
integers add without error, in any order. Rounding the finished sum with `to_grid` instead moves either of
two neighbouring sums by up to grid / 2 in each of its d coordinates, so the L2 sensitivity to account is
then C + grid * sqrt(d).

The grid is a power of two: dividing a float by it is exact, and no row can be rounded outwards unseen.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from understudy.errors import ParameterError
from understudy.privacy.noise import normals
from understudy.privacy.stream import Stream

__all__ = ["from_grid", "grid_below", "rounded_gaussian", "rows_to_grid", "to_grid"]

Integers = np.ndarray[Any, np.dtype[np.int64]]
Doubles = np.ndarray[Any, np.dtype[np.float64]]

_LEAST = 2.0**-500  # grid, and one over the largest: far from where doubles lose bits
_FARTHEST = 2.0**53  # steps; a float beyond has no steps of its own any more
_FINEST = 2.0**40  # steps per sigma; up to here normal doubles reach every step, out to the far tails
_COARSEST = 2.0**-4  # below, the noise would be rounded away and only the proof would be left


def grid_below(width: float) -> float:
    """Return the largest power of two that is not above `width`: a grid that is fine enough.

    >>> grid_below(0.3)
    0.25
    """
    if not _is_number(width) or not _LEAST <= width <= 1 / _LEAST:
        raise ParameterError(f"grid_below: width must be a number from 2^-500 to 2^500; got {width!r}.")
    return math.ldexp(1.0, math.frexp(width)[1] - 1)


def rows_to_grid(rows: Any, grid: float) -> Integers:
    """Return each row's contribution in whole steps, rounded towards nought: the sensitivity does not grow.

    A value that is not a number, or is boundless, counts as nought, and one beyond 2^53 steps as that many:
    refusing them would tell that they are there, and neither makes a row any larger.

    >>> rows_to_grid([[0.7, -0.7]], 0.5).tolist()
    [[1, -1]]
    """
    return _in_steps("rows_to_grid", rows, grid, np.trunc)


def to_grid(values: Any, grid: float) -> Integers:
    """Return values in whole steps, to the nearest one: this adds to the sensitivity.

    Each value moves by at most grid / 2. For a statistic of d values that are rounded after summing, that
    is grid * sqrt(d) in L2 between two neighbours; use `rows_to_grid` before summing, which adds nothing,
    wherever there are rows.

    >>> to_grid([0.7, -0.8], 0.5).tolist()
    [1, -2]
    """
    return _in_steps("to_grid", values, grid, np.rint)


def from_grid(steps: Integers, grid: float) -> Doubles:
    """Return whole steps as floats: a function of the steps alone, so it tells no more than they do.

    >>> from_grid(np.array([1, -2]), 0.5).tolist()
    [0.5, -1.0]
    """
    _check_grid("from_grid", grid)
    return np.multiply(_checked_steps("from_grid", steps), grid, dtype=np.float64)


def rounded_gaussian(stream: Stream, values: Integers, sigma: float, grid: float) -> Integers:
    """Return values, given in whole steps of the grid, plus round(sigma * N / grid) steps, N standard normal.

    Guarantee: whatever the Gaussian mechanism of scale sigma gives for the L2 sensitivity of values * grid.
    Proof: let x = k * grid. The ideal mechanism releases x + sigma * N; rounding its release to the grid
    gives k + round(sigma * N / grid) steps, because k is whole (ties have probability nought). That is
    post-processing, so it costs nothing. Here the second term is drawn without looking at k, by a law that
    is off by about 2^-50 in total variation, and added in integers. Where 64 bits overflow, the sum wraps
    around: a function of the true sum again, so no value is refused, for a refusal would tell. Keep |values|
    under 2^62 steps for a release that is of use.

    >>> rounded_gaussian(Stream.fresh(), np.array([3, 4]), sigma=1.0, grid=0.25).dtype
    dtype('int64')
    """
    _check_grid("rounded_gaussian", grid)
    ratio = _checked_ratio(sigma, grid)
    steps = _checked_steps("rounded_gaussian", values)
    noise = normals(stream, steps.shape, np.float64)
    noise *= ratio
    with np.errstate(over="ignore"):  # it wraps around, see above: arrays silently, a single number warns
        return np.add(steps, np.rint(noise).astype(np.int64))


def _in_steps(who: str, values: Any, grid: float, rounding: np.ufunc) -> Integers:
    _check_grid(who, grid)
    finite = np.nan_to_num(np.asarray(values, np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    steps = rounding(np.clip(finite, -_FARTHEST * grid, _FARTHEST * grid) / grid)
    return np.asarray(steps, np.int64)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_grid(who: str, grid: float) -> None:
    if not _is_number(grid) or not _LEAST <= grid <= 1 / _LEAST or math.frexp(grid)[0] != 0.5:
        raise ParameterError(f"{who}: grid must be a power of two; got {grid!r}; try grid_below(...).")


def _checked_ratio(sigma: float, grid: float) -> float:
    low, high = grid * _COARSEST, grid * _FINEST
    if not _is_number(sigma) or not low <= sigma <= high:
        raise ParameterError(
            f"rounded_gaussian: on a grid of {grid:g}, sigma must be a number from {low:g} to {high:g}; "
            f"got {sigma!r}."
        )
    return sigma / grid


def _checked_steps(who: str, steps: Integers) -> Integers:
    whole = np.asarray(steps)
    if not np.issubdtype(whole.dtype, np.signedinteger):
        raise ParameterError(
            f"{who}: values must be whole steps (signed integers); got {whole.dtype}; call to_grid."
        )
    return whole.astype(np.int64, copy=False)
