"""What a server asks for in one round: parameters in, a difference out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.errors import InputError
from understudy.federated.message import Message

__all__ = ["Demand", "Parameters"]

Parameters = dict[str, npt.NDArray[np.float32]]

_NOW, _BEFORE = "now/", "before/"


@final
@dataclass(frozen=True, eq=False)
class Demand:
    """One round of one stage, from 0; `cohort` is how many sites are asked, as the server says.

    `before` has the parameters of stages that are finished, by stage: what this one learns may depend on
    them. All that an answer depends on is in the demand, so the same bytes have the same answer.
    """

    terms: str
    domain: str
    stage: str
    round: int
    cohort: int
    parameters: Parameters
    before: dict[str, Parameters]

    def to_message(self) -> Message:
        """Return the demand as it travels."""
        facts = {
            "terms": self.terms,
            "domain": self.domain,
            "stage": self.stage,
            "round": self.round,
            "cohort": self.cohort,
            "before": sorted(self.before),
        }
        arrays = {f"{_NOW}{name}": value for name, value in self.parameters.items()}
        for stage, parameters in self.before.items():
            arrays |= {f"{_BEFORE}{stage}/{name}": value for name, value in parameters.items()}
        return Message("train", facts, arrays)

    @classmethod
    def of(cls, message: Message) -> Demand:
        """Read a demand; refuse numbers that are none, or not float32."""
        stages = message.fact("before", list)
        if not all(isinstance(stage, str) and "/" not in stage for stage in stages):
            raise InputError("demand: stages before must be names.")
        for name, value in message.arrays.items():
            if value.dtype != np.float32 or not np.isfinite(value).all():
                raise InputError(f"demand: {name!r} must be finite float32 numbers.")
        found = cls(
            message.fact("terms", str),
            message.fact("domain", str),
            message.fact("stage", str),
            message.fact("round", int),
            message.fact("cohort", int),
            _under(_NOW, message),
            {stage: _under(f"{_BEFORE}{stage}/", message) for stage in stages},
        )
        count = len(found.parameters) + sum(len(each) for each in found.before.values())
        if count != len(message.arrays):
            raise InputError("demand: it holds arrays that belong to no stage.")
        return found


def _under(prefix: str, message: Message) -> Parameters:
    return {
        name.removeprefix(prefix): value for name, value in message.arrays.items() if name.startswith(prefix)
    }
