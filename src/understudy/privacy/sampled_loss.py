"""The privacy loss distribution of one sampled Gaussian step: dp-accounting's own, all its points at once.

The library asks for the cut-off of each point of its grid in a loop; here they come from one formula, and
everything else (which points, which bounds, how dots are joined pessimistically) is the library's. A price
is asked for several times in every plan, and a federation has a plan for each site.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

__all__ = ["sampled_gaussian"]

Floats = npt.NDArray[np.float64]


def sampled_gaussian(noise: float, rate: float, interval: float) -> PrivacyLossDistribution:
    """Return the distribution of one step, for adding and removing a row that is in with a chance of `rate`.

    Guarantee: an upper bound, by Connect-the-Dots (Doroshenko et al. 2022, Algorithm 1).

    >>> round(sampled_gaussian(1.0, 0.1, 1e-3).get_epsilon_for_delta(1e-5), 2)
    1.68
    """
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss

    removed, added = (
        _joined(GaussianPrivacyLoss(noise, sampling_prob=rate, adjacency_type=side), interval, sign)
        for side, sign in ((AdjacencyType.REMOVE, 1.0), (AdjacencyType.ADD, -1.0))
    )
    return PrivacyLossDistribution(removed, added)


def _joined(loss: Any, interval: float, sign: float) -> Any:
    from dp_accounting.pld.pld_pmf import create_pmf_pessimistic_connect_dots_fixed_gap

    ends = loss.connect_dots_bounds()
    low, high = math.floor(ends.epsilon_lower / interval), math.ceil(ends.epsilon_upper / interval)
    deltas = _deltas(loss, np.arange(low, high + 1) * interval, sign)
    return create_pmf_pessimistic_connect_dots_fixed_gap(interval, low, high, deltas)


def _deltas(loss: Any, epsilons: Floats, sign: float) -> Floats:
    """Return the hockey-stick divergence at every epsilon.

    With p the density of the noise and q the rate, one table's is p, the other's (1 - q) p + q p shifted by
    one. Their log ratio reaches an epsilon where that of p and p shifted reaches `bare`: at one point x, as
    the ratio is monotone. `sign` is 1 where the row is removed, -1 where it is added.
    """
    rate, variance = loss.sampling_prob, loss.standard_deviation**2
    bare = sign * _unsampled(sign * epsilons, rate)
    with np.errstate(over="ignore"):  # where no point reaches it the cut-off is infinitely far
        x = -sign / 2 - bare * variance
    found = loss.mu_upper_cdf(x) - np.exp(epsilons + loss.mu_lower_log_cdf(x))
    # Losses of a removed row stay above log(1 - q): below it all mass counts. Those of an added row stay
    # below -log(1 - q): above it none does.
    out = sign * epsilons <= math.log1p(-rate)
    beyond = -np.expm1(np.where(out, epsilons, 0.0)) if sign > 0 else np.zeros_like(epsilons)
    return np.clip(np.where(out, beyond, found), 0.0, 1.0)


def _unsampled(epsilons: Floats, rate: float) -> Floats:
    """Return log(1 + (exp(epsilon) - 1) / rate), the loss without sampling; -inf where there is none."""
    far = epsilons > 1
    with np.errstate(divide="ignore"):
        near = np.log1p(np.maximum(np.expm1(np.where(far, 0.0, epsilons)) / rate, -1.0))
    large = np.where(far, epsilons, 1.0)
    return np.where(far, large - math.log(rate) + np.log1p(-(1 - rate) * np.exp(-large)), near)
