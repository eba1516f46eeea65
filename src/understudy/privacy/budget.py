"""How much a table may reveal, as the person who signs for it states it."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from numbers import Real
from typing import Literal, final

from understudy.errors import BudgetError

__all__ = ["Budget"]

_BELOW = {
    "epsilon": math.inf,
    "mu": math.inf,
    "separation": math.sqrt(0.5),
    "rho": math.inf,
    "advantage": 1.0,
}  # at or above these a measure bounds nothing


@final
@dataclass(frozen=True)
class Budget:
    """A bound on what one row can change: (epsilon, delta), or one of four other measures of it.

    >>> Budget(epsilon=1.0, delta=1e-9).epsilon
    1.0
    >>> Budget.gdp(mu=-1)
    Traceback (most recent call last):
    understudy.errors.BudgetError: Budget: mu must be a finite number > 0; got -1.
    """

    epsilon: float | None = None
    delta: float = 1e-9
    measure: Literal["epsilon", "mu", "separation", "rho", "advantage"] = "epsilon"
    amount: float | None = None

    def __post_init__(self) -> None:
        if self.measure not in _BELOW:
            raise BudgetError(f"Budget: measure must be one of {', '.join(_BELOW)}; got {self.measure!r}.")
        if self.measure != "epsilon" and self.epsilon is not None:
            raise BudgetError(f"Budget: say either epsilon or an amount of {self.measure}, not both.")
        given = self.epsilon if self.measure == "epsilon" else self.amount
        amount = _refuse_unless(self.measure, given)
        if self.amount not in (None, amount):
            raise BudgetError("Budget: say epsilon alone; its amount follows from it.")
        if not (_is_number(self.delta) and 0 <= self.delta < 1):
            raise BudgetError(f"Budget: delta must be a number from 0 to below 1; got {self.delta!r}.")
        # Whatever kind of number was given, of numpy say: a plan and its file hold plain floats.
        object.__setattr__(self, "amount", amount)
        object.__setattr__(self, "delta", float(self.delta))
        object.__setattr__(self, "epsilon", amount if self.measure == "epsilon" else None)

    @classmethod
    def gdp(cls, mu: float) -> Budget:
        """Bound the trade-off curve by that of two unit Gaussians mu apart."""
        return cls(measure="mu", amount=mu)

    @classmethod
    def separation(cls, separation: float) -> Budget:
        """Bound the distance of the trade-off curve from the diagonal (paper 000); below sqrt(1/2)."""
        return cls(measure="separation", amount=separation)

    @classmethod
    def zcdp(cls, rho: float) -> Budget:
        """Bound by rho zero-concentrated differential privacy."""
        return cls(measure="rho", amount=rho)

    @classmethod
    def advantage(cls, advantage: float) -> Budget:
        """Bound a membership attacker's advantage, true minus false positive rate; below 1."""
        return cls(measure="advantage", amount=advantage)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _refuse_unless(name: str, value: float | None) -> float:
    below = _BELOW[name]
    amount = _as_float(value)
    if not 0 < amount < below:
        bound = "a finite number > 0" if below == math.inf else f"above 0 and below {below:.4g}"
        hint = " Leave the budget out to fit without privacy." if name == "epsilon" else ""
        raise BudgetError(f"Budget: {name} must be {bound}; got {reprlib.repr(value)}.{hint}")
    return amount


def _as_float(value: object) -> float:
    """Return a number as the float that is reckoned with; NaN for what is none, or has no room in one."""
    try:
        return float(value) if isinstance(value, Real) and _is_number(value) else math.nan
    except OverflowError:
        return math.nan
