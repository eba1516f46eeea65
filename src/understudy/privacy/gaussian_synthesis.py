"""Paper 002: what sampling from N(mean, covariance) of a private table reveals, with no noise added.

The mechanism draws one row from the normal law of the table's mean and covariance, rows being in
[-1, 1]^d. Its Renyi divergence between neighbouring tables is bounded if every covariance has its
least eigenvalue above sigma. That is a condition on the private table, so a certificate that
rests on it is conditional. `ridge` drops the condition by adding sigma to the diagonal.

tau = 4 d / sigma bounds the squared length of a difference of two rows in the metric of the
covariance. Everything is written with log1p: at n = 10^7 the printed formulas lose 9 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar

from understudy.errors import ParameterError

__all__ = ["bounded", "largest_order", "ridge", "to_epsilon", "unbounded"]


def largest_order(n: int, d: int, sigma: float) -> float:
    """Return c: orders must lie below it (paper 002, condition (1)).

    >>> round(largest_order(10_000, 6, 0.01), 4)
    4.168
    """
    tau = _tau(n, d, sigma)
    if tau <= n / (n + 1):
        raise ParameterError(f"gaussian synthesis: tau = 4 d / sigma must exceed n / (n + 1); got {tau:g}.")
    return min(n + 1.0, n**2 / (tau * (n + 1) - n))


def unbounded(alpha: float, n: int, d: int, sigma: float) -> float:
    """Return the Renyi divergence of one drawn row when a row is added or removed (Theorem 3.1).

    Infinite where the theorem says nothing. n is the size of the smaller table.

    >>> round(10**6 * unbounded(4, 10**6, 6, 0.01), 4)
    5.8064
    """
    _refuse_order(alpha)
    if alpha >= largest_order(n, d, sigma):
        return math.inf
    tau = _tau(n, d, sigma)
    return max(_added(alpha, n, d, tau), _removed(alpha, n, d, tau))


def bounded(alpha: float, n: int, d: int, sigma: float) -> float:
    """Return the Renyi divergence of one drawn row when a row is replaced (Corollary 3.2).

    The infimum over p of the weak triangle inequality through the table without the row.

    >>> round(10**6 * bounded(4, 10**6, 6, 0.01), 4)
    23.3577
    """
    _refuse_order(alpha)
    c = largest_order(n, d, sigma)
    if alpha >= c**2 / (2 * c - 1):
        return math.inf

    def through(p: float) -> float:
        first, second = p * alpha, (p * alpha - 1) / (p - 1)
        weight = (alpha - 1 / p) / (alpha - 1)
        return weight * unbounded(first, n, d, sigma) + unbounded(second, n + 1, d, sigma)

    return _least(through, (c - 1) / (c - alpha), c / alpha)


def ridge(alpha: float, n: int, d: int, sigma: float) -> float:
    """Return the Renyi divergence of one row from N(mean, covariance + sigma I): it holds for every table.

    Adding or removing a row moves the ridged covariance by at most a factor between n / (n + 1) and
    1 + n tau / (n + 1)^2 along one direction, and by n / (n + 1) along all others (rank-one
    interlacing); the divergence of two normals is then largest at the ends. n is the smaller size.

    >>> [round(n * ridge(4, n, 6, 0.01), 4) for n in (10**4, 10**5, 10**6, 10**7)]
    [1047.1029, 59.6155, 5.7834, 0.5767]
    """
    _refuse_order(alpha)
    tau = _tau(n, d, sigma)
    shrink, stretch = -1 / (n + 1), n * tau / (n + 1) ** 2  # k - 1 and mbar - 1
    lower, upper = 1 + alpha * shrink, 1 - (alpha - 1) * stretch
    if lower <= 0 or upper <= 0:
        return math.inf
    first = alpha / 2 * tau / ((n + 1) ** 2 * lower)
    first += (d - 1) * _phi(shrink, alpha) + max(_phi(shrink, alpha), _phi(stretch, alpha))
    second = alpha / 2 * tau / ((n + 1) ** 2 * upper)
    second += (d - 1) * _psi(shrink, alpha) + max(_psi(shrink, alpha), _psi(stretch, alpha))
    return max(first, second)


def to_epsilon(divergence: float, alpha: float, delta: float) -> float:
    """Return epsilon of (alpha, divergence)-RDP at delta, as paper 002 converts it (Proposition 2.6).

    >>> round(to_epsilon(5.8064, 4, 1e-5), 3)
    9.644
    """
    if not 0 < delta < 1:
        raise ParameterError(f"gaussian synthesis: delta must be above 0 and below 1; got {delta!r}.")
    return divergence + math.log(1 / delta) / (alpha - 1)


def _tau(n: int, d: int, sigma: float) -> float:
    good = isinstance(n, int | np.integer) and n >= 2 and isinstance(d, int | np.integer) and d >= 1
    if not good or not 0 < sigma < math.inf:
        raise ParameterError("gaussian synthesis: needs whole n >= 2 and d >= 1, and a finite sigma > 0.")
    return 4 * d / sigma


def _refuse_order(alpha: float) -> None:
    if not 1 < alpha < math.inf:
        raise ParameterError(f"gaussian synthesis: the order alpha must be above 1; got {alpha!r}.")


def _added(alpha: float, n: int, d: int, tau: float) -> float:
    """Return epsilon_alpha1 of Theorem 3.1."""
    distance = alpha / 2 * tau / ((n + 1) * (n + 1 - alpha))
    volume = d * (alpha * math.log1p(-1 / (n + 1)) - math.log1p(-alpha / (n + 1)))
    ratio = math.log1p(alpha * n * tau / ((n + 1) * (n + 1 - alpha))) - alpha * math.log1p(tau / (n + 1))
    return distance + (volume - min(0.0, ratio)) / (2 * (alpha - 1))


def _removed(alpha: float, n: int, d: int, tau: float) -> float:
    """Return epsilon_alpha2 of Theorem 3.1."""
    distance = alpha / 2 * tau / (n * (n + alpha) - alpha * (n + 1) * tau)
    volume = d * (alpha * math.log1p(1 / n) - math.log1p(alpha / n))
    if tau >= n:
        return math.inf
    ratio = math.log1p(-alpha * (n + 1) * tau / ((n + alpha) * n)) - alpha * math.log1p(-tau / n)
    return distance + (volume - min(0.0, ratio)) / (2 * (alpha - 1))


def _phi(x: float, alpha: float) -> float:
    return -(math.log1p(alpha * x) - alpha * math.log1p(x)) / (2 * (alpha - 1))


def _psi(x: float, alpha: float) -> float:
    return -(math.log1p(-(alpha - 1) * x) + (alpha - 1) * math.log1p(x)) / (2 * (alpha - 1))


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the least value of a function that rises to infinity at both ends of an interval."""
    # A coarse scan first: the function is flat in the middle and very steep at the ends.
    points = low + (high - low) * (1 - np.cos(np.linspace(0, np.pi, 202)[1:-1])) / 2
    values = [function(float(p)) for p in points]
    best = int(np.argmin(values))
    left, right = points[max(best - 1, 0)], points[min(best + 1, len(points) - 1)]
    found = minimize_scalar(function, bounds=(left, right), method="bounded", options={"xatol": 1e-12})
    return float(min(values[best], found.fun))
