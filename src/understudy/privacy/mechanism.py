"""A mechanism: a statistic of private rows, how far one row can move it, and the noise that hides that.

The three are separate on purpose. The vault computes the statistic, adds the noise and tells nobody
the statistic; the ledger prices the event; the replay test compares statistics of neighbouring
tables with the declared sensitivity.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from understudy.privacy.events import Event
from understudy.privacy.stream import Stream

__all__ = ["Columns", "Mechanism", "Sensitivity"]

Columns = Mapping[str, npt.NDArray[Any]]


@final
@dataclass(frozen=True)
class Sensitivity:
    """How far one row, added or removed, moves the statistic, in which norm, and why."""

    norm: Literal["l1", "l2", "linf"]
    value: float
    because: str

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how far two statistics are apart in this norm."""
        gap = np.abs(left.astype(np.float64) - right.astype(np.float64)).ravel()
        if self.norm == "l1":
            return float(gap.sum())
        return float(np.sqrt((gap**2).sum())) if self.norm == "l2" else float(gap.max(initial=0.0))


class Mechanism(ABC):
    """One private read. Concrete ones are final frozen dataclasses that hold their event."""

    @property
    @abstractmethod
    def event(self) -> Event:
        """What this read costs."""

    @property
    @abstractmethod
    def sensitivity(self) -> Sensitivity:
        """How far one row moves the statistic."""

    @property
    def chance(self) -> float:
        """The delta that this read takes beside its event; whoever plans the read reserves it by itself."""
        return 0.0

    @abstractmethod
    def statistic(self, columns: Columns) -> npt.NDArray[Any]:
        """Return the exact value. Only the vault calls this, and it never leaves the vault."""

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how far two statistics are apart, in the norm of the sensitivity."""
        return self.sensitivity.distance(left, right)

    @abstractmethod
    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> Any:
        """Return the noisy value, which is public from then on."""
