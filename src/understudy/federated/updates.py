"""Updates, and the checks that every one of them passes before it moves anything.

An update is a difference: weights after a site's steps less those it was sent. A site is not trusted: what is
not finite, not float32, of another shape, of other names, or about another round is refused; what is longer
than the limit is cut to it; what an update weighs was fixed when the terms were agreed to. So in one round a
site moves the mean by at most its share of the limit, whatever it sends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.errors import InputError
from understudy.federated.demand import Demand, Parameters
from understudy.federated.message import Message

__all__ = ["Checker", "Update", "length_of"]


@final
@dataclass(frozen=True, eq=False)
class Update:
    """What a site answers to a demand; `digest` is that of the demand, `weight` the one agreed to."""

    terms: str
    stage: str
    round: int
    digest: str
    weight: float
    difference: Parameters

    def to_message(self) -> Message:
        """Return the update as it travels."""
        facts = {
            "terms": self.terms,
            "stage": self.stage,
            "round": self.round,
            "digest": self.digest,
            "weight": self.weight,
        }
        return Message("update", facts, self.difference)

    @classmethod
    def of(cls, message: Message) -> Update:
        """Read an update as it came; `Checker` says whether it is one to use."""
        if message.kind != "update":
            raise InputError(f"update: expected an update; got a message of kind {message.kind[:32]!r}.")
        return cls(
            message.fact("terms", str),
            message.fact("stage", str),
            message.fact("round", int),
            message.fact("digest", str),
            message.fact("weight", float),
            dict(message.arrays),
        )


@final
class Checker:
    """Checks the updates of one round: one from each site, each what was asked for."""

    def __init__(self, demand: Demand, digest: str, weights: Mapping[str, float], limit: float) -> None:
        self._demand, self._digest = demand, digest
        self._weights, self._limit = dict(weights), limit
        self._seen: set[str] = set()

    def checked(self, site: str, message: Message) -> Parameters:
        """Return the difference of a site, cut to the limit; refuse what is no answer to this round."""
        if site not in self._weights:
            raise InputError(f"update: {site!r} is no site of this run.")
        if site in self._seen:
            raise InputError(f"update: {site!r} has answered this round already.")
        update = Update.of(message)
        self._refuse_other_rounds(update)
        if update.weight != self._weights[site]:
            raise InputError(f"update: {site!r} claims another weight than was agreed to.")
        self._refuse_misfits(site, update.difference)
        found = self._cut(site, update.difference)
        self._seen.add(site)
        return found

    def _refuse_other_rounds(self, update: Update) -> None:
        asked = self._demand
        mine = (asked.terms, asked.stage, asked.round, self._digest)
        if (update.terms, update.stage, update.round, update.digest) != mine:
            raise InputError(
                f"update: expected one for round {asked.round} of {asked.stage!r}; got another's."
            )

    def _refuse_misfits(self, site: str, difference: Mapping[str, npt.NDArray[np.float32]]) -> None:
        wanted = self._demand.parameters
        if set(difference) != set(wanted):
            odd = len(set(difference) ^ set(wanted))
            raise InputError(f"update: {site!r} sends other arrays than were asked for; {odd} differ.")
        for name, value in difference.items():
            if value.dtype != np.float32 or value.shape != wanted[name].shape:
                raise InputError(
                    f"update: {site!r}: {name!r} must be float32 of shape {wanted[name].shape}; "
                    f"got {value.dtype} of shape {value.shape}."
                )

    def _cut(self, site: str, difference: Parameters) -> Parameters:
        length = length_of(difference)
        if not math.isfinite(length):  # squares of floats do not overflow in double
            odd = next(name for name, value in difference.items() if not np.isfinite(value).all())
            raise InputError(f"update: {site!r}: {odd!r} must be finite.")
        if length <= self._limit:
            return difference
        factor = np.float64(self._limit / length)
        return {name: (value * factor).astype(np.float32) for name, value in difference.items()}


def length_of(difference: Mapping[str, npt.NDArray[np.float32]]) -> float:
    """Return the L2 norm of all arrays together, in double: squares of large floats would overflow.

    >>> length_of({"a": np.array([3.0], np.float32), "b": np.array([4.0], np.float32)})
    5.0
    """
    every = np.concatenate([np.zeros(0, np.float32), *(value.reshape(-1) for value in difference.values())])
    return math.sqrt(float(np.einsum("i,i->", every, every, dtype=np.float64)))  # without a copy in double
