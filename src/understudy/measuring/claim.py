"""What is claimed of a fit, and how an attacker's curve lies under it.

The claim is the certificate's own curve where it bounds anything. Where it does not, because rows were read
in the open, the claim is what somebody would say who took the budget for a guarantee: of a separation the
curve of its mu, of an epsilon and a delta all that such a pair allows, which is more than one Gaussian does.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.errors import ParameterError
from understudy.measuring.roc import tpr_at
from understudy.privacy import Budget, Certificate, Entry
from understudy.privacy.closed_forms import mu_of_separation
from understudy.privacy.events import Event, Gaussian, Pure

__all__ = ["BUDGET", "FPRS", "claim_of", "curve_under", "of_budget"]

Floats = npt.NDArray[np.float64]
BUDGET = "what the budget would allow"
FPRS = (0.01, 0.05, 0.1, 0.25, 0.5)


def of_budget(budget: Budget) -> Certificate:
    """Return the certificate of whatever spends a budget of epsilon, or of one Gaussian of a separation.

    >>> round(of_budget(Budget.separation(0.1)).mu(), 4)
    0.3564
    """
    amount = float(budget.amount or 0.0)
    if budget.measure == "separation":
        event: Event = Gaussian(1 / mu_of_separation(amount))
    elif budget.measure == "epsilon":
        event = Pure(amount, budget.delta)
    else:
        raise ParameterError(f"claim: a budget of epsilon or of separation is needed; got {budget.measure}.")
    return Certificate((Entry(BUDGET, "measure", event),))


def claim_of(certificate: Certificate, budget: Budget) -> Certificate:
    """Return the certificate if it bounds what was made of the rows, else what its budget would allow."""
    return certificate if certificate.status in ("sound", "conditional") else of_budget(budget)


def curve_under(members: Floats, others: Floats, claim: Certificate) -> dict[str, float]:
    """Return points of an attacker's curve, and what the claim says that no attacker exceeds there."""
    found = {}
    for fpr in FPRS:
        found[f"tpr_at_fpr_{fpr}"] = tpr_at(members, others, fpr)
        found[f"ceiling_at_fpr_{fpr}"] = claim.tradeoff(fpr)
    return found
