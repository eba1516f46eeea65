"""Conversions between the measures of privacy that have a formula, each with its source.

mu          Gaussian differential privacy: as hard as telling N(0,1) from N(mu,1) (Dong, Roth, Su 2022)
separation  distance of the trade-off curve from the diagonal, total variation / sqrt(2) (paper 000)
rho         zero-concentrated differential privacy (Bun, Steinke 2016)
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from understudy.errors import ParameterError

__all__ = [
    "advantage_of_mu",
    "clt_mu",
    "delta_of_mu",
    "delta_of_rho",
    "epsilon_of_mu",
    "epsilon_of_rho",
    "h",
    "mu_of_advantage",
    "mu_of_epsilon",
    "mu_of_separation",
    "separation_of_mu",
    "tpr_of_mu",
]

LARGEST_SEPARATION = math.sqrt(0.5)


def delta_of_mu(mu: float, epsilon: float) -> float:
    """Return delta(epsilon) of a mu-GDP mechanism (Balle, Wang 2018, Theorem 8), stable in the tail.

    >>> round(delta_of_mu(1.0, 1.0), 6)
    0.126937
    """
    if mu == 0:
        return 0.0
    if math.isinf(mu):
        return 1.0
    if math.isinf(epsilon):
        return 0.0  # the limit; the formula has an infinity less another
    upper, lower = log_ndtr(-epsilon / mu + mu / 2), epsilon + log_ndtr(-epsilon / mu - mu / 2)
    if math.isinf(upper):
        return 0.0  # an epsilon so large that the chance of exceeding it is below every float
    # exp(upper) - exp(lower), written so that two nearly equal tails do not cancel to noise.
    return max(0.0, float(-math.exp(upper) * np.expm1(min(0.0, lower - upper))))


def epsilon_of_mu(mu: float, delta: float) -> float:
    """Return epsilon at `delta` of a mu-GDP mechanism.

    >>> round(epsilon_of_mu(0.356368, 1e-5), 3)
    1.368
    """
    if mu == 0 or delta >= delta_of_mu(mu, 0.0):
        return 0.0
    if math.isinf(mu) or delta == 0:
        return math.inf
    high = 1.0
    while delta_of_mu(mu, high) > delta:
        high *= 2
    found: float = brentq(lambda epsilon: delta_of_mu(mu, epsilon) - delta, 0.0, high, xtol=1e-12)
    return found


def mu_of_epsilon(epsilon: float, delta: float) -> float:
    """Return the largest mu whose guarantee at `delta` is epsilon.

    >>> round(mu_of_epsilon(1.0, 1e-5), 4)
    0.2681
    """
    if not (epsilon > 0 and 0 < delta < 1):
        raise ParameterError(
            f"mu_of_epsilon: needs epsilon > 0 and 0 < delta < 1; got {epsilon!r}, {delta!r}."
        )
    high = 1.0
    while delta_of_mu(high, epsilon) < delta:
        high *= 2
    found: float = brentq(lambda mu: delta_of_mu(mu, epsilon) - delta, 1e-12, high, xtol=1e-14)
    return found


def advantage_of_mu(mu: float) -> float:
    """Return the total variation distance: the largest advantage of any attacker."""
    return float(2 * ndtr(mu / 2) - 1)


def mu_of_advantage(advantage: float) -> float:
    """Return the mu at which the best attacker has this advantage."""
    if not 0 <= advantage < 1:
        raise ParameterError(f"advantage must be from 0 to below 1; got {advantage!r}.")
    return float(2 * ndtri(0.5 + advantage / 2))


def separation_of_mu(mu: float) -> float:
    """Return the separation value of paper 000, at most 0.7071.

    >>> round(separation_of_mu(0.356368), 6)
    0.1
    """
    return advantage_of_mu(mu) / math.sqrt(2)


def mu_of_separation(separation: float) -> float:
    """Return mu = 2 Phi^-1(1/2 + s / sqrt 2), the inverse of `separation_of_mu`.

    >>> [round(mu_of_separation(s), 6) for s in (0.1, 0.15, 0.2)]
    [0.356368, 0.53816, 0.724521]
    """
    if not 0 <= separation < LARGEST_SEPARATION:
        raise ParameterError(
            f"separation must be from 0 to below {LARGEST_SEPARATION:.4f}; got {separation!r}."
        )
    return mu_of_advantage(separation * math.sqrt(2))


def tpr_of_mu(mu: float, fpr: float) -> float:
    """Return the largest true positive rate at a false positive rate: Phi(mu + Phi^-1(fpr))."""
    return float(ndtr(mu + ndtri(fpr)))


def delta_of_rho(rho: float, epsilon: float) -> float:
    """Return the smallest delta of rho-zCDP at epsilon (Canonne, Kamath, Steinke 2020, Corollary 13)."""
    if rho == 0:
        return 0.0
    # The exponent is unimodal in the order a; its minimum lies below (epsilon + 1) / (2 rho) + 2.
    low, high = 1.01, (epsilon + 1) / (2 * rho) + 2
    for _ in range(200):
        order = (low + high) / 2
        slope = (2 * order - 1) * rho - epsilon + math.log1p(-1.0 / order)
        low, high = (order, high) if slope < 0 else (low, order)
    order = (low + high) / 2
    log_delta = (order - 1) * (order * rho - epsilon) + order * math.log1p(-1 / order)
    return min(1.0, math.exp(log_delta) / (order - 1.0))


def epsilon_of_rho(rho: float, delta: float) -> float:
    """Return the smallest epsilon of rho-zCDP at delta, by the same conversion.

    >>> round(epsilon_of_rho(0.05, 1e-9), 3)
    1.882
    """
    if rho == 0:
        return 0.0
    if not 0 < delta < 1:
        raise ParameterError(f"epsilon_of_rho: needs 0 < delta < 1; got {delta!r}.")
    high = rho + 2 * math.sqrt(rho * math.log(1 / delta))
    if delta_of_rho(rho, 0.0) <= delta:
        return 0.0
    found: float = brentq(lambda epsilon: delta_of_rho(rho, epsilon) - delta, 0.0, high, xtol=1e-10)
    return found


def h(sigma: float) -> float:
    """Return the price of one sampled step in the approximation of paper 000, section 5.3.

    >>> round(h(0.5), 4), round(h(2.0), 5)
    (10.2957, 0.62755)
    """
    inverse = 1 / sigma**2
    return math.sqrt(2) * math.sqrt(math.exp(inverse) * ndtr(1.5 / sigma) + 3 * ndtr(-0.5 / sigma) - 2)


def clt_mu(noise: float, batch: int, rows: int, epochs: float) -> float:
    """Return mu = sqrt(b E / N) h(sigma): the central-limit approximation that paper 000 budgets with.

    It is an approximation, not a bound: epsilon at small delta comes out too small by a factor
    of up to 3 at sigma 0.5 (notes in docs/explanation/accounting.md). Certificates never use it.
    """
    return math.sqrt(batch * epochs / rows) * h(noise)
