"""Gaussian differential privacy: the mu of noise and of choices, with proofs, and the noise of a mu.

A mechanism is mu-GDP if no test tells two neighbouring tables apart better than it tells N(0, 1) from
N(mu, 1): a test with false positive rate a finds at most B(a) = Phi(Phi^-1(a) + mu) (Dong, Roth, Su 2022). B
is concave, from 0 at 0 to 1 at 1. So where the best tests of a mechanism lie on straight lines between
corners, with (0, 0) and (1, 1) among them, only corners need be looked at: B lies above its own chords.

Composition: mechanisms of mu_1, mu_2, ..., each chosen by what came before, are together mu-GDP with
mu^2 = sum of mu_i^2 (corollary 3.3 there; for a mu_i that is itself chosen, see privacy/allowance.py).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import log_expit, log_ndtr, ndtri_exp

from understudy.errors import ParameterError
from understudy.privacy.events import DiscreteGaussian, Event, Gaussian, GaussianDP, Selection

__all__ = ["epsilon_of_choice", "mu_of", "mu_of_choice", "mu_of_counts", "sigma_of_counts", "squared_mu"]

_WIDE = 1_000.0  # from this deviation on, whole numbers are as good as a line
_LINE = 1e-5  # by how much, at most, a mu is larger than that of the line there
_FAR, _FARTHER = 38.0, 45.0  # deviations; farther out lies less than 1e-300 of any noise
_HAIR = 1e-9  # relative, for the rounding of what is computed here
_TINY = 0.05  # up to this deviation mu is below 2 / sigma, and exponents need not be looked at
_STEEP = 39.0  # from this mu on noise is about as small as that: 2 / sigma is taken, and never too little
_FINE, _STEEPEST = 1e-3, math.sqrt(math.pi / 8)


def squared_mu(event: Event) -> float | None:
    """Return mu^2 of an event; None if it has none.

    >>> squared_mu(Gaussian(2.0, count=4))
    1.0
    """
    if isinstance(event, Gaussian):
        return event.count / event.noise**2
    if isinstance(event, DiscreteGaussian):
        return event.count * mu_of_counts(event.sigma) ** 2
    if isinstance(event, Selection):
        return event.count * mu_of_choice(event.epsilon) ** 2
    return event.mu**2 if isinstance(event, GaussianDP) else None


def mu_of(events: tuple[Event, ...]) -> float | None:
    """Return the mu of a composition; None if one of its events has none."""
    squares = [squared_mu(event) for event in events]
    known = [square for square in squares if square is not None]
    return math.sqrt(math.fsum(known)) if len(known) == len(squares) else None


def mu_of_choice(epsilon: float) -> float:
    """Return the mu of a choice of bounded range epsilon: 2 Phi^-1(1 / (1 + exp(-epsilon / 2))).

    Proof. Of two neighbouring tables the likelihood ratio lies between e^(t - epsilon) = a and e^t = b, for
    some t that depends on them. So a test with false positive rate p finds q <= b p, and 1 - q >= a (1 - p).
    These lines meet at a corner with p / (1 - p) = (1 - a) / (b - 1) and q / (1 - q) = b / a times that, so
    logit q = logit p + epsilon, and the choice is mu-GDP if Phi^-1(q) - Phi^-1(p) <= mu at the corner.
    With g = Phi^-1 o logit^-1 that is g(x + epsilon / 2) - g(x - epsilon / 2) for the middle x of both
    logits. It is largest at x = 0, as g' is even and falls with |x|: where u = logit^-1(x) = Phi(z), z > 0,
    (log g')' = z u (1 - u) / phi(z) - (2 u - 1), which is at most 0 since
    D(z) = (2 Phi - 1) phi - z Phi (1 - Phi) is at least 0: D(0) = D(oo) = 0, D' = 2 phi^2 - Phi (1 - Phi) is
    positive at 0 and goes to 0, and D'' = phi (2 Phi - 1 - 4 z phi) changes its sign once, from - to +; so
    D' is first positive, then negative, and D rises and falls.

    As g' is largest at 0, this is at most sqrt(pi / 8) epsilon = 0.627 epsilon, where zCDP has 0.5; below
    0.001 that is taken, since digits would cancel.

    >>> round(mu_of_choice(0.1), 6)
    0.062663
    """
    if epsilon < _FINE:
        return _STEEPEST * epsilon
    return float(-2 * ndtri_exp(log_expit(-epsilon / 2))) * (1 + _HAIR)


def epsilon_of_choice(mu: float) -> float:
    """Return the epsilon of a choice that costs a hair less than mu.

    >>> mu_of_choice(epsilon_of_choice(0.3)) < 0.3
    True
    """
    if mu < _STEEPEST * _FINE:
        return mu * (1 - _HAIR) / _STEEPEST
    half = mu * (1 - 2 * _HAIR) / 2
    return float(2 * (log_ndtr(half) - log_ndtr(-half)))


@lru_cache(maxsize=4_096)
def mu_of_counts(sigma: float) -> float:
    """Return the mu of discrete Gaussian noise on a whole number that one row moves by 1.

    Proof. The likelihood ratio of X + 1 and X is monotone, so the best tests ask whether a count is at least
    k, and lie on straight lines between these. With S(k) = P(X >= k) and z(k) = -Phi^-1(S(k)), the corner of
    k has the false positive rate S(k) and finds S(k - 1): mu is the largest z(k) - z(k - 1). It is computed
    for all k within 38 deviations; farther out lies less than 1e-300 of the noise, which is taken for
    nought here as it is wherever noise is drawn.

    Up to a deviation of 0.05, z(1) < 1 / sigma, as Phi(-1 / sigma) < exp(-1 / 2 sigma^2) / 2 < S(1), and
    other steps of z are about 1 / sigma, so mu is at most 2 / sigma.

    From a deviation of 1,000 on no k is looked at: mu is at most (1 + 1e-5) / sigma. Take s with
    1 / s^2 - 1 / (12 s^4) = 1 / sigma^2, and a density that on the cell from k - 1/2 to k + 1/2 is that of
    N(0, s^2) times c_k, so that the cell holds P(X = k). The cell's share of exp(-y^2 / 2 s^2) is
    exp(-k^2 / 2 s^2) times the mean of exp(-a u - u^2 / 2 s^2), a = k / s^2, over u within 1/2 of 0. The
    mean of exp(-a u) is sinh(a / 2) / (a / 2), whose log lies within a^4 / 2880 below a^2 / 24; what u^2
    adds changes with k by less than a^2 / (300 s^2). So log c_k varies by at most
    eta = a^4 / 2880 + a^2 / (300 s^2), at k = 38 s less than 800 / s^4, and S(k) is
    Phi(-(k - 1/2) / s) to a factor of exp(+-2 eta). As (log Phi)' > 0.79 left of 0 (for k right of 0; the
    other side by symmetry), z(k) is off by less than 2 eta / 0.79, and
    mu <= 1 / s + 6 eta < (1 + 1 / (20 sigma^2) + 4800 / sigma^3) / sigma.

    >>> round(mu_of_counts(2.0), 5), round(mu_of_counts(100.0), 8)
    (0.50533, 0.01000004)
    """
    if not 0 < sigma < math.inf:
        raise ParameterError(f"mu_of_counts: sigma must be a finite number > 0; got {sigma!r}.")
    if sigma >= _WIDE or sigma <= _TINY:
        return (1 + _LINE if sigma >= _WIDE else 2.0) / sigma
    # z is odd about 1/2: z(1 - k) = -z(k). Tails are summed from farther out than they are looked at.
    places = np.arange(math.ceil(_FARTHER * sigma) + 2, 0, -1)
    tails = np.logaddexp.accumulate(-(places**2) / (2 * sigma**2))
    whole = np.logaddexp(0.0, math.log(2.0) + tails[-1])
    z = -ndtri_exp((tails - whole)[places <= math.ceil(_FAR * sigma)])
    return float(max(2 * z[-1], np.max(-np.diff(z), initial=0.0))) * (1 + _HAIR)


def sigma_of_counts(mu: float) -> float:
    """Return the deviation of counts that cost a hair less than mu.

    >>> mu_of_counts(sigma_of_counts(0.3)) <= 0.3 < mu_of_counts(0.999 * sigma_of_counts(0.3))
    True
    """
    if mu >= _STEEP:
        return 2 * (1 + _HAIR) / mu
    sigma = 1 / mu
    for _ in range(60):
        found = mu_of_counts(sigma)
        if mu * (1 - 1e-6) <= found <= mu:
            return sigma
        sigma *= found / mu * (1 + 2e-7)
    raise ParameterError(f"sigma_of_counts: no noise has a mu of {mu!r}.")
