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
from functools import lru_cache
from typing import Literal, final

from understudy.errors import BudgetError, ParameterError
from understudy.privacy.budget import Budget
from understudy.privacy.closed_forms import mu_of_advantage, mu_of_epsilon, mu_of_separation
from understudy.privacy.entry import Phase
from understudy.privacy.events import (
    DiscreteGaussian,
    Event,
    Gaussian,
    GaussianDP,
    Pure,
    SampledGaussian,
    Selection,
)
from understudy.privacy.meeting import cost

__all__ = ["Ask", "allot"]

Form = Literal["counts", "sums", "selections", "steps", "votes", "adaptive", "delta"]

DELTA_SHARE = 0.1  # of the budget's delta goes to the discovery of levels
TIGHT = 2e-3  # how close to the budget the price is brought, relative
SMALLEST, LARGEST = 1e-14, 1e8  # prices that are looked at, in rho
FARTHEST = math.log(64)  # one guess leads to another at most this far from it


@final
@dataclass(frozen=True)
class Ask:
    """One named read: `count` counts, sums, selections or votes that one row takes part in, or sampled steps.

    An ask of the form "adaptive" is a filter: counts, sums and selections whose noise is chosen as the run
    goes on, within one price. One of the form "delta" takes no noise: it is the chance, `share` of the
    delta set aside, that a level seen once is told. `because` is why one row moves so little, where it is not
    for the reason that is usual with the form.
    """

    name: str
    what: str
    phase: Phase
    form: Form
    share: float
    count: int = 1
    rate: float = 1.0
    columns: tuple[str, ...] = ()
    because: str = ""

    def __post_init__(self) -> None:
        if not (self.share > 0 and self.count >= 1 and 0 < self.rate <= 1):
            raise ParameterError(f"Ask {self.name}: share, count and rate must be positive, rate at most 1.")

    def scaled(self, factor: float) -> Ask:
        """Return the same ask with another share."""
        return replace(self, share=self.share * factor)

    def event(self, rho: float) -> Event:
        """Return the event that this read becomes at a price of `rho`."""
        if self.form in ("counts", "votes"):
            return DiscreteGaussian(math.sqrt(self.count / (2 * rho)), self.count)
        if self.form == "sums":
            return Gaussian(math.sqrt(self.count / (2 * rho)), self.count)
        if self.form == "selections":
            return Selection(math.sqrt(8 * rho / self.count), self.count)
        if self.form == "adaptive":
            return GaussianDP(math.sqrt(2 * rho))
        # The central limit of sampled steps: T q^2 (exp(1/sigma^2) - 1) = mu^2 = 2 rho. Only a rate of
        # exchange; what it really costs is computed afterwards.
        price = 2 * rho / (self.count * self.rate**2)
        return SampledGaussian(1 / math.sqrt(math.log1p(price)), self.rate, self.count)


def allot(asks: Sequence[Ask], budget: Budget) -> dict[str, Event]:
    """Return the event of every ask, as little noise as the budget allows.

    Guarantee: the composition of all returned events, judged by `account`, meets the budget;
    otherwise BudgetError is raised and nothing may be read.

    That holds of a budget of mu with a chance set aside, too. Noise and chances are composed into one
    curve delta(epsilon), to which every chance adds itself at every epsilon, so that each of its points
    bounds what an attacker reaches: TPR <= exp(epsilon) FPR + delta(epsilon), and the same with the sides
    changed. `mu` of the curve is no smaller than Phi^-1(TPR) - Phi^-1(FPR) under these lines for false
    positive rates from 1e-6 to 1 - 1e-6, which is all that a budget of mu speaks of. No finite mu covers a
    chance at rates near nought: an attacker who accuses only whom a told level gives away is never wrong,
    and right as often as the chance says. zCDP has no room for one at any rate, so rho is refused.
    """
    return dict(_allotted(tuple(asks), budget))


@lru_cache(maxsize=256)
def _allotted(asks: tuple[Ask, ...], budget: Budget) -> dict[str, Event]:
    # Sites with equal terms, and runs that are repeated, plan the same; nothing of it depends on rows.
    if len({ask.name for ask in asks}) != len(asks):
        raise ParameterError("plan: two reads have the same name.")
    events = _at(asks, budget)
    if all(ask.form == "delta" for ask in asks):
        return events(1.0)
    return events(_largest(lambda rho: cost(events(rho).values(), budget), budget))


def _largest(price: Callable[[float], float], budget: Budget) -> float:
    """Return a rho whose price is within the budget, and close to it.

    Prices grow like a power of rho, so the next rho to try follows from the last two; a guess that
    leaves the bracket is replaced by its middle. Every price is the real accountant's, and each takes
    it a tenth of a second or more: seldom are more than five needed.
    """
    amount = float(budget.amount or 0.0)
    wanted = math.log(amount * (1 - TIGHT / 2))
    low, high, rho, power = 0.0, math.inf, _estimate(budget, amount), 0.5
    before: tuple[float, float] | None = None
    while SMALLEST <= rho <= LARGEST:
        found = price(rho)
        low, high = (rho, high) if found <= amount else (low, rho)
        if amount * (1 - TIGHT) <= found <= amount or high < low * (1 + TIGHT / 10):
            return low
        at = (math.log(rho), math.log(found) if 0 < found < math.inf else math.nan)
        power = _slope(before, at, power)
        before = at
        rho = _between(low, high, math.exp(_step(wanted - at[1], power)) * rho, up=found <= amount)
    if rho > LARGEST:
        raise BudgetError("budget: it is so large that no noise is needed; fit without a budget.")
    raise BudgetError("budget: too small for this plan; no finite noise meets it.")


def _estimate(budget: Budget, amount: float) -> float:
    """Return the rho that would be right if all noise were Gaussian."""
    if budget.measure == "rho":
        return amount
    if budget.measure == "epsilon":
        delta = budget.delta * (1 - DELTA_SHARE)
        mu = mu_of_epsilon(amount, delta) if delta > 0 else amount
    elif budget.measure == "mu":
        mu = amount
    else:
        mu = mu_of_separation(amount) if budget.measure == "separation" else mu_of_advantage(amount)
    return min(max(mu**2 / 2, SMALLEST), LARGEST)


def _slope(before: tuple[float, float] | None, at: tuple[float, float], known: float) -> float:
    """Return the power of rho that the price grows by, from two points; the one known so far if it is odd."""
    if before is None or before[0] == at[0]:
        return known
    slope = (at[1] - before[1]) / (at[0] - before[0])
    return slope if 0.2 < slope < 5 else known


def _step(gap: float, power: float) -> float:
    return max(-FARTHEST, min(FARTHEST, gap / power)) if math.isfinite(gap) else 0.0


def _between(low: float, high: float, guess: float, *, up: bool) -> float:
    """Return the guess if it lies inside the bracket, else the middle of it; an open end is moved out."""
    if low < guess < high:
        return guess
    if low == 0 or high == math.inf:
        return low * 4 if up else high / 4
    return math.sqrt(low * high)


def _at(asks: Sequence[Ask], budget: Budget) -> Callable[[float], dict[str, Event]]:
    paid = [ask for ask in asks if ask.form != "delta"]
    free = [ask for ask in asks if ask.form == "delta"]
    if free and budget.measure == "rho":
        raise BudgetError(
            "budget: discovering levels has a delta, which a rho budget (zCDP) has no room for; "
            "declare the levels in the schema, or give (epsilon, delta) or Budget.gdp(mu)."
        )
    aside = DELTA_SHARE * budget.delta
    if free and aside == 0:
        raise BudgetError("budget: discovering levels needs a delta above 0; give one or declare the levels.")
    if paid and budget.measure == "epsilon" and budget.delta == 0:
        raise BudgetError("budget: noise of these kinds needs a delta above 0; give one, such as 1e-9.")
    total, total_free = math.fsum(ask.share for ask in paid), math.fsum(ask.share for ask in free)
    fixed: dict[str, Event] = {ask.name: Pure(0.0, aside * ask.share / total_free) for ask in free}
    return lambda rho: {ask.name: ask.event(rho * ask.share / total) for ask in paid} | fixed
