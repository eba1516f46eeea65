"""What a measure found, before it is given its name and its time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

__all__ = ["Finding", "Score"]


@final
@dataclass(frozen=True)
class Score:
    """One number and the parts it is made of; a part that is undefined is NaN, and `coverage` says so."""

    value: float
    parts: dict[str, float] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class Finding:
    """A score with its interval and its null."""

    score: Score
    low: float
    high: float
    null: float
    n: int
    notes: tuple[str, ...] = ()
    per_record: tuple[float, ...] | None = None
