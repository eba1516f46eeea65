"""How a server turns differences of sites into the next weights: FedAvg, FedProx, FedAdam, FedYogi.

A strategy sees the mean of the differences, a pseudo-gradient with its sign turned (Reddi et al. 2021,
Algorithm 2). All of it is post-processing of what sites sent. FedProx is FedAvg here: its pull towards the
weights that were sent is added to gradients at the site, after the noise (`Settings.pull`), and sees no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.federated.demand import Parameters
from understudy.federated.terms import Terms

__all__ = ["Strategy", "mean_of"]

Floats = npt.NDArray[np.float32]

_FIRST, _SECOND = "first/", "second/"


def mean_of(differences: Mapping[str, Parameters], weights: Mapping[str, float]) -> Parameters:
    """Return the weighted mean of the differences; the order in which sites answered has no say.

    >>> one, two = ({"w": np.array([value], np.float32)} for value in (1.0, 3.0))
    >>> float(mean_of({"a": one, "b": two}, {"a": 1.0, "b": 3.0})["w"][0])
    2.5
    """
    sites = sorted(differences)
    total = sum(weights[site] for site in sites)
    names = sorted(differences[sites[0]])
    return {
        name: sum(
            (
                np.float64(weights[site] / total) * differences[site][name].astype(np.float64)
                for site in sites
            ),
            start=np.zeros(differences[sites[0]][name].shape),
        ).astype(np.float32)
        for name in names
    }


@final
@dataclass(frozen=True, eq=False)
class Strategy:
    """The rule and what it remembers: first and second moments of the mean difference.

    FedAdam: v = b2 v + (1 - b2) d^2; FedYogi: v = v - (1 - b2) d^2 sign(v - d^2); both
    m = b1 m + (1 - b1) d and x = x + lr m / (sqrt v + tau). There is no correction of the first steps, as in
    the paper; v begins at tau^2.
    """

    terms: Terms
    memory: Parameters = field(default_factory=dict)

    def moved(self, weights: Parameters, mean: Parameters) -> tuple[Parameters, Strategy]:
        """Return the next weights, and the strategy that goes on from there."""
        if self.terms.strategy in ("fedavg", "fedprox"):
            rate = np.float32(self.terms.pace)
            return {name: value + rate * mean[name] for name, value in weights.items()}, self
        return self._adapted(weights, mean)

    def _adapted(self, weights: Parameters, mean: Parameters) -> tuple[Parameters, Strategy]:
        terms = self.terms
        one, tau = np.float32(terms.beta1), np.float32(terms.tau)
        found: Parameters = {}
        memory: Parameters = {}
        for name, value in weights.items():
            step = mean[name]
            first = self.memory.get(_FIRST + name, np.zeros_like(value))
            second = self.memory.get(_SECOND + name, np.full_like(value, tau**2))
            first = one * first + np.float32(1 - terms.beta1) * step
            second = self._second(second, np.square(step))
            gone = terms.pace * first / (np.sqrt(second) + tau)
            found[name] = value + gone.astype(np.float32)
            memory |= {_FIRST + name: first, _SECOND + name: second}
        return found, Strategy(terms, memory)

    def _second(self, before: Floats, square: Floats) -> Floats:
        new = np.float32(1 - self.terms.beta2)
        if self.terms.strategy == "fedyogi":
            return np.asarray(before - new * square * np.sign(before - square), np.float32)
        return np.asarray(before + new * (square - before), np.float32)
