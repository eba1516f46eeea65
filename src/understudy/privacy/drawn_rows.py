"""Rows drawn from a normal law of private rows, as events of the ledger (paper 002 and its ridge form).

A drawn row is the release here: no noise is added to the mean and the covariance, which stay secret.
So every row costs, again and again, and the number of rows must not depend on the table.
"""

from __future__ import annotations

import math
from typing import Literal

from understudy.errors import ParameterError
from understudy.privacy import gaussian_synthesis
from understudy.privacy.events import Event, Open, Renyi
from understudy.privacy.renyi import ORDERS

__all__ = ["Form", "condition_of", "price"]

Form = Literal["paper", "ridge"]


def price(form: Form, rows: int, at_least: int, d: int, sigma: float) -> Event:
    """Return the event of drawing so many rows from the law of any table of `at_least` rows or more.

    The divergence falls as the table grows, so the smallest table counts: one row may be removed from
    `at_least`, which leaves one less. Divergences of independent draws add. Open if no order is bounded.

    >>> isinstance(price("paper", 48_842, 48_842, 6, 0.01), Renyi)
    True
    """
    if rows < 1 or at_least < 3:
        raise ParameterError("drawn rows: needs at least 1 row to draw, and tables of at least 3 rows.")
    bound = gaussian_synthesis.unbounded if form == "paper" else gaussian_synthesis.ridge
    smaller = at_least - 1
    found = [(float(order), rows * bound(float(order), smaller, d, sigma)) for order in ORDERS]
    finite = [(order, value) for order, value in found if math.isfinite(value)]
    if not finite:
        return Open()
    return Renyi(tuple(order for order, _ in finite), tuple(value for _, value in finite))


def condition_of(form: Form, sigma: float) -> str:
    """Return what must hold of the rows for the price to be right; nothing for the ridge form."""
    if form == "ridge":
        return ""
    return (
        f"no eigenvalue of the covariance of the scaled columns is below {sigma:g}, in this table and in every "
        "table that differs from it by one row"
    )
