"""Rows drawn from a normal law of private rows, as events of the ledger (paper 002 and its ridge form).

A drawn row is the release here: no noise is added to the mean and the covariance, which stay secret.
So every row costs, again and again, and the number of rows must not depend on the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

from understudy.errors import ParameterError
from understudy.privacy import gaussian_synthesis
from understudy.privacy.events import Event, Open, Renyi
from understudy.privacy.renyi import ORDERS

__all__ = ["Meter"]

_BOUNDS = {"paper": gaussian_synthesis.unbounded, "ridge": gaussian_synthesis.ridge}


@final
@dataclass(frozen=True)
class Meter:
    """What drawn rows cost, how many are paid for, and how many were drawn.

    `form` is "paper", N(mean, covariance), or "ridge", N(mean, covariance + sigma I), both of rows in
    [-1, 1]^d; the table is promised to have `at_least` so many rows.
    """

    form: str
    sigma: float
    at_least: int
    d: int
    paid: int = 0
    drawn: int = 0

    def __post_init__(self) -> None:
        whole = all(isinstance(n, int) for n in (self.at_least, self.d, self.paid, self.drawn))
        if self.form not in _BOUNDS or not whole or self.at_least < 3 or min(self.paid, self.drawn) < 0:
            raise ParameterError("drawn rows: needs the form paper or ridge, and a table of at least 3 rows.")

    def draw(self, rows: int) -> tuple[int, Meter]:
        """Return how many rows must be paid for now, and the meter after these rows are drawn.

        >>> due, meter = Meter("ridge", 0.01, 100_000, 6, paid=1_000).draw(1_500)
        >>> due, meter.paid, meter.drawn
        (500, 1500, 1500)
        """
        drawn = self.drawn + rows
        due = max(0, drawn - self.paid)
        return due, replace(self, paid=self.paid + due, drawn=drawn)

    def event(self, rows: int) -> Event:
        """Return the event of so many rows, for any table of `at_least` rows or more.

        Guarantee. Theorem 3.1 of paper 002, or the ridge bound, at every order; divergences of
        independent draws add. Both fall as the table grows, so the smallest table counts: the one that
        a row was removed from, with `at_least` - 1. Open if no order has a bound.

        >>> isinstance(Meter("paper", 0.01, 48_842, 6).event(48_842), Renyi)
        True
        """
        bound, smaller = _BOUNDS[self.form], self.at_least - 1
        found = [(float(order), rows * bound(float(order), smaller, self.d, self.sigma)) for order in ORDERS]
        finite = [(order, value) for order, value in found if math.isfinite(value)]
        if not finite:
            return Open()
        return Renyi(tuple(order for order, _ in finite), tuple(value for _, value in finite))

    @property
    def because(self) -> str:
        """Why a row moves the law of a drawn row only so far, and what is taken to be public for that."""
        return (
            f"a row moves the mean and covariance of at least {self.at_least:,} rows in [-1, 1] by little; "
            "taken to be public: that the table has so many rows, and how many rows are drawn from it"
        )

    @property
    def condition(self) -> str:
        """What must hold of the rows for the price to be right; nothing for the ridge form."""
        if self.form == "ridge":
            return ""
        return (
            f"no eigenvalue of the covariance of the scaled columns is below {self.sigma:g}, in this table "
            "and in every table that differs from it by one row; and the number of rows drawn is a constant "
            "that does not depend on the table"
        )
