"""Questions about noise and budgets that need no table: plain numbers in, a tree of plain numbers out.

What has no bound is None. `understudy account` prints these trees.
"""

from __future__ import annotations

import math
from typing import Any

from understudy.errors import ParameterError
from understudy.privacy import closed_forms
from understudy.privacy.accounting import Curve, account
from understudy.privacy.budget import Budget
from understudy.privacy.events import Gaussian, SampledGaussian
from understudy.privacy.plan import Ask, allot
from understudy.privacy.renyi import divergences, renyi_epsilon

__all__ = ["bounded", "calibrated", "central_limit", "converted", "gaussian", "schedule", "steps"]

_LEAST_SIGMA = 0.04  # below, exp(1 / sigma^2) of paper 000's formula is beyond every float

Tree = dict[str, Any]


def gaussian(noise: float, count: int, delta: float) -> Tree:
    """Return what `count` Gaussian mechanisms reveal, each with noise of so many sensitivities: exact.

    >>> round(gaussian(2.0, 4, 1e-5)["epsilon"], 4)
    4.3772
    """
    _refuse_delta(delta)
    event = Gaussian(noise, count)
    return {"noise": noise, "count": count, "delta": delta, "rho": count / (2 * noise**2)} | _told(
        account((event,)), delta
    )


def schedule(batch: int, rows: int, epochs: float) -> tuple[float, int]:
    """Return the sampling rate and the number of steps of a training run; a step begun is a step.

    >>> schedule(64, 6_400, 1.5)
    (0.01, 150)
    """
    if not (1 <= batch <= rows and 0 < epochs < math.inf):
        raise ParameterError("steps: needs 1 <= batch <= rows, and epochs above 0.")
    return batch / rows, math.ceil(epochs * rows / batch)


def steps(noise: float, rate: float, count: int, delta: float) -> Tree:
    """Return what `count` Poisson-sampled Gaussian steps reveal, by three accountants.

    The first is the one that certificates use, a privacy loss distribution; the second a looser bound by
    Renyi divergences; the third, paper 000's formula, is an approximation and can be far too small.
    """
    _refuse_delta(delta)
    event = SampledGaussian(noise, rate, count)
    return {
        "noise": noise,
        "rate": rate,
        "steps": count,
        "delta": delta,
        "exact": _told(account((event,)), delta),
        "renyi": {"epsilon": bounded(renyi_epsilon(divergences([event]), delta))},
        "central_limit_approximation": central_limit(noise, rate, count, delta),
    }


def central_limit(noise: float, rate: float, count: int, delta: float) -> Tree:
    """Return what paper 000's formula, mu = (b / N) sqrt(steps) h(sigma), makes of steps: not a bound."""
    mu = rate * math.sqrt(count) * closed_forms.h(noise) if noise >= _LEAST_SIGMA else math.inf
    return {
        "mu": bounded(mu),
        "epsilon": bounded(closed_forms.epsilon_of_mu(mu, delta)),
        "separation": closed_forms.separation_of_mu(mu),
    }


def calibrated(epsilon: float, delta: float, rate: float, count: int) -> Tree:
    """Return the least noise, to a part in a thousand, at which so many sampled steps stay in a budget."""
    budget = Budget(epsilon=epsilon, delta=delta)
    if isinstance(count, bool) or count < 1 or not 0 < rate <= 1:
        raise ParameterError("calibrate: needs at least 1 step, and a rate above 0 and at most 1.")
    ask = Ask("steps", "sampled steps", "train", "steps", 1.0, count, rate)
    event = allot([ask], budget)["steps"]
    assert isinstance(event, SampledGaussian), "an ask for steps becomes sampled steps"
    return {"noise": event.noise, "rate": rate, "steps": count, "delta": delta} | _told(
        account((event,)), delta
    )


def converted(measure: str, amount: float, delta: float) -> Tree:
    """Return one measure of privacy in all the others.

    `gaussian` is exact for the Gaussian mechanism that has this much. `any_mechanism` holds for every
    mechanism of which only the given measure is known, and so is larger.

    >>> found = converted("separation", 0.1, 1e-5)
    >>> round(found["gaussian"]["mu"], 6), round(found["gaussian"]["epsilon"], 3)
    (0.356368, 1.368)
    """
    _refuse_delta(delta)
    _refuse_amount(measure, amount)
    mu = _mu_of(measure, amount, delta)
    return {
        "given": {measure: amount, "delta": delta},
        "gaussian": {
            "mu": mu,
            "epsilon": closed_forms.epsilon_of_mu(mu, delta),
            "rho": mu**2 / 2,
            "noise": 1 / mu,
            "separation": closed_forms.separation_of_mu(mu),
            "advantage": closed_forms.advantage_of_mu(mu),
            "tpr_at_fpr_0.01": closed_forms.tpr_of_mu(mu, 0.01),
        },
        "any_mechanism": _in_general(measure, amount, delta),
    }


def bounded(value: float) -> float | None:
    """Return the number, or None for "no bound": JSON has no infinity."""
    return float(value) if math.isfinite(value) else None


def _mu_of(measure: str, amount: float, delta: float) -> float:
    if measure == "epsilon":
        return closed_forms.mu_of_epsilon(amount, delta)
    if measure == "rho":
        return math.sqrt(2 * amount)
    if measure == "separation":
        return closed_forms.mu_of_separation(amount)
    return closed_forms.mu_of_advantage(amount) if measure == "advantage" else amount


def _in_general(measure: str, amount: float, delta: float) -> Tree:
    """Return what follows from the measure alone, whatever the mechanism is."""
    if measure == "epsilon":
        advantage = (math.expm1(min(amount, 700.0)) + 2 * delta) / (math.exp(min(amount, 700.0)) + 1)
        return {"advantage": advantage, "separation": advantage / math.sqrt(2)}
    if measure == "rho":
        advantage = closed_forms.delta_of_rho(amount, 0.0)
        return {"epsilon": closed_forms.epsilon_of_rho(amount, delta), "advantage": advantage}
    if measure == "mu":
        return {"epsilon": closed_forms.epsilon_of_mu(amount, delta)}
    # A bound on the total variation alone says nothing about the tail.
    return {"epsilon": None}


def _told(curve: Curve, delta: float) -> Tree:
    return {
        "epsilon": bounded(curve.epsilon(delta)),
        "mu": bounded(curve.mu()),
        "separation": curve.separation(),
        "advantage": curve.advantage(),
        "tpr_at_fpr_0.01": curve.tradeoff(0.01),
    }


def _refuse_amount(measure: str, amount: float) -> None:
    """Refuse what is no budget either: the ranges of the measures are those of budgets."""
    if measure == "epsilon":
        Budget(epsilon=amount)
    else:
        Budget(measure=measure, amount=amount)  # type: ignore[arg-type]


def _refuse_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ParameterError(f"account: delta must be above 0 and below 1; got {delta!r}.")
