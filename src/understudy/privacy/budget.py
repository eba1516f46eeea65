"""How much a table may reveal, as the person who signs for it states it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from understudy.errors import BudgetError

__all__ = ["Budget"]

_LARGEST_SEPARATION = math.sqrt(0.5)


@dataclass(frozen=True)
class Budget:
    """A bound on what one row can change: (epsilon, delta), or one of four other measures of it.

    >>> Budget(epsilon=1.0, delta=1e-9).epsilon
    1.0
    >>> Budget(epsilon=-1)
    Traceback (most recent call last):
    understudy.errors.BudgetError: Budget: epsilon must be a finite number > 0; got -1. Leave the budget out ...
    """

    epsilon: float | None = None
    delta: float = 1e-9
    measure: Literal["epsilon", "mu", "separation", "rho", "advantage"] = "epsilon"
    amount: float | None = None

    def __post_init__(self) -> None:
        if self.measure == "epsilon":
            _refuse_unless("epsilon", self.epsilon, math.inf)
            object.__setattr__(self, "amount", self.epsilon)
        if not (isinstance(self.delta, float | int) and 0 <= self.delta < 1):
            raise BudgetError(f"Budget: delta must be a number from 0 to below 1; got {self.delta!r}.")

    @classmethod
    def gdp(cls, mu: float) -> Budget:
        """Bound the trade-off curve by that of two unit Gaussians mu apart."""
        return cls(measure="mu", amount=_refuse_unless("mu", mu, math.inf))

    @classmethod
    def separation(cls, separation: float) -> Budget:
        """Bound the distance of the trade-off curve from the diagonal (paper 000); at most sqrt(1/2)."""
        return cls(measure="separation", amount=_refuse_unless("separation", separation, _LARGEST_SEPARATION))

    @classmethod
    def zcdp(cls, rho: float) -> Budget:
        """Bound by rho zero-concentrated differential privacy."""
        return cls(measure="rho", amount=_refuse_unless("rho", rho, math.inf))

    @classmethod
    def advantage(cls, advantage: float) -> Budget:
        """Bound a membership attacker's advantage, true minus false positive rate; below 1."""
        return cls(measure="advantage", amount=_refuse_unless("advantage", advantage, 1.0))


def _refuse_unless(name: str, value: float | None, below: float) -> float:
    good = isinstance(value, float | int) and not isinstance(value, bool) and 0 < value < below
    if not good or value is None:
        bound = "a finite number > 0" if below == math.inf else f"above 0 and below {below:.4g}"
        hint = " Leave the budget out to fit without privacy." if name == "epsilon" else ""
        raise BudgetError(f"Budget: {name} must be {bound}; got {value!r}.{hint}")
    return value
