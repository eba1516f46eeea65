"""Plans: everything a private run will read, asked for before the first row is touched.

A recipe asks for reads by name and says what share of the budget each is worth. `allot` finds
the noise for all of them at once, so that together they cost what the budget allows and no more.
Shares are shares of rho, the zCDP price, in which Gaussian noise, selections and sampled steps
have simple exchange rates; the total is then judged by the real accountant, not by that rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, final

from understudy.errors import BudgetError, ParameterError
from understudy.privacy.budget import Budget
from understudy.privacy.entry import Phase
from understudy.privacy.events import DiscreteGaussian, Event, Gaussian, Pure, SampledGaussian, Selection
from understudy.privacy.meeting import meets

__all__ = ["Ask", "allot"]

Form = Literal["counts", "sums", "selections", "steps", "delta"]

DELTA_SHARE = 0.1  # of the budget's delta goes to the discovery of levels
TIGHT = 1e-3  # how close to the budget the noise is brought, relative


@final
@dataclass(frozen=True)
class Ask:
    """One named read: `count` counts, sums or selections that one row takes part in, or sampled steps.

    An ask of the form "delta" takes no noise: it is the chance, `share` of the delta set aside,
    that a level seen once is told.
    """

    name: str
    what: str
    phase: Phase
    form: Form
    share: float
    count: int = 1
    rate: float = 1.0
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.share > 0 and self.count >= 1 and 0 < self.rate <= 1):
            raise ParameterError(f"Ask {self.name}: share, count and rate must be positive, rate at most 1.")

    def scaled(self, factor: float) -> Ask:
        """Return the same ask with another share."""
        return replace(self, share=self.share * factor)

    def event(self, rho: float) -> Event:
        """Return the event that this read becomes at a price of `rho`."""
        if self.form == "counts":
            return DiscreteGaussian(math.sqrt(self.count / (2 * rho)), self.count)
        if self.form == "sums":
            return Gaussian(math.sqrt(self.count / (2 * rho)), self.count)
        if self.form == "selections":
            return Selection(math.sqrt(8 * rho / self.count), self.count)
        # The central limit of sampled steps: T q^2 (exp(1/sigma^2) - 1) = mu^2 = 2 rho. Only a rate of
        # exchange; what it really costs is computed afterwards.
        price = 2 * rho / (self.count * self.rate**2)
        return SampledGaussian(1 / math.sqrt(math.log1p(price)), self.rate, self.count)


def allot(asks: Sequence[Ask], budget: Budget) -> dict[str, Event]:
    """Return the event of every ask, as little noise as the budget allows.

    Guarantee: the composition of all returned events, judged by `account`, meets the budget;
    otherwise BudgetError is raised and nothing may be read.
    """
    if len({ask.name for ask in asks}) != len(asks):
        raise ParameterError("plan: two reads have the same name.")
    events = _at(asks, budget)
    if all(ask.form == "delta" for ask in asks):
        return events(1.0)
    low, high = _bracket(events, budget)
    while high / low > 1 + TIGHT:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if meets(events(middle).values(), budget) else (low, middle)
    return events(low)


def _at(asks: Sequence[Ask], budget: Budget) -> Callable[[float], dict[str, Event]]:
    paid = [ask for ask in asks if ask.form != "delta"]
    free = [ask for ask in asks if ask.form == "delta"]
    if free and budget.measure in {"mu", "rho"}:
        raise BudgetError(
            f"budget: discovering levels has a delta, which a {budget.measure} budget has no room for; "
            "declare the levels in the schema or give (epsilon, delta)."
        )
    aside = DELTA_SHARE * budget.delta
    if free and aside == 0:
        raise BudgetError("budget: discovering levels needs a delta above 0; give one or declare the levels.")
    total, total_free = math.fsum(ask.share for ask in paid), math.fsum(ask.share for ask in free)
    fixed: dict[str, Event] = {ask.name: Pure(0.0, aside * ask.share / total_free) for ask in free}
    return lambda rho: {ask.name: ask.event(rho * ask.share / total) for ask in paid} | fixed


def _bracket(events: Callable[[float], dict[str, Event]], budget: Budget) -> tuple[float, float]:
    """Return a rho that meets the budget and one that does not, at most a factor of 4 apart."""
    rho = 0.01
    if meets(events(rho).values(), budget):
        while meets(events(4 * rho).values(), budget):
            rho *= 4
            if rho > 1e8:
                raise BudgetError("budget: it is so large that no noise is needed; fit without a budget.")
        return rho, 4 * rho
    while not meets(events(rho / 4).values(), budget):
        rho /= 4
        if rho < 1e-14:
            raise BudgetError("budget: too small for this plan; no finite noise meets it.")
    return rho / 4, rho
