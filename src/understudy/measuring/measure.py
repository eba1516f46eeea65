"""A measure: settings as fields, evidence in, a result out."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from understudy import check
from understudy.errors import InputError
from understudy.measuring.finding import Finding
from understudy.result import Result
from understudy.rng import stream
from understudy.table.evidence import Evidence

__all__ = ["Level", "Measure"]

Level = Literal["quick", "standard", "full"]


@dataclass(frozen=True)
class Measure(ABC):
    """Judges a synthetic table; the fields of an instance are its settings.

    `level` is the first level of `metrics.run` that includes it. `promised` names the parts that readers look
    for in every result; those of what cannot be judged are NaN.
    """

    room: ClassVar[Literal["fidelity", "utility", "privacy"]] = "fidelity"
    better: ClassVar[Literal["higher", "lower", "null"]] = "lower"
    level: ClassVar[Level] = "standard"
    promised: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check.validate(self)

    @classmethod
    def title(cls) -> str:
        """Return the name that results carry: room, dot, file name."""
        return f"{cls.room}.{cls.__module__.rsplit('.', 1)[-1]}"

    @classmethod
    def summary(cls) -> str:
        """Return what is measured, in one line."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    def __call__(self, evidence: Evidence, *, seed: int = 0) -> Result:
        """Measure, and say how long it took."""
        if not isinstance(evidence, Evidence):
            wanted = "expected us.Evidence(train=..., synthetic=...)"
            raise InputError(f"{self.title()}: {wanted}; got {type(evidence).__name__}.")
        start = time.perf_counter()
        found = self.find(evidence, stream(seed, self.title()))
        parts = dict.fromkeys(self.promised, math.nan) | found.score.parts
        return Result(
            name=self.title(),
            value=float(found.score.value),
            low=float(found.low),
            high=float(found.high),
            null=float(found.null),
            better=self.better,
            saw_real_rows=True,
            parts={part: float(value) for part, value in parts.items()},
            per_record=found.per_record,
            n=int(found.n),
            seconds=time.perf_counter() - start,
            notes=(*found.notes, *evidence.notes),
        )

    @abstractmethod
    def find(self, evidence: Evidence, rng: np.random.Generator) -> Finding:
        """Return the score with interval and null; every draw comes from `rng`."""
