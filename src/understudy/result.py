"""A score is never a bare number: value, interval, null, direction, and what it saw."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from understudy.errors import ParameterError
from understudy.markup import interval_bar, section, table

__all__ = ["Result"]


@dataclass(frozen=True)
class Result:
    """What one metric or attack found.

    `null` is the value that pure chance, or real rows against other real rows, would
    give at the same sizes; without it a reader cannot tell a good score from a bad one.

    >>> Result("fidelity.toy", 0.1, 0.0, 0.2, null=0.05, better="lower", saw_real_rows=True).value
    0.1
    """

    name: str
    value: float
    low: float
    high: float
    null: float
    better: Literal["higher", "lower", "null"]
    saw_real_rows: bool
    parts: dict[str, float] = field(default_factory=dict)
    per_record: tuple[float, ...] | None = None
    n: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ParameterError(f"{self.name}: the interval is upside down ({self.low} > {self.high}).")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; per-record scores stay out, for they tell of single rows.

        What is undefined or infinite becomes None: JSON has no word for it.

        >>> Result("fidelity.toy", math.nan, 0.0, 0.2, 0.05, "lower", True).to_dict()["value"] is None
        True
        """
        plain = {key: value for key, value in asdict(self).items() if key != "per_record"}
        return {key: _finite(value) for key, value in plain.items()}

    def _repr_html_(self) -> str:
        return _html(self)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _html(result: Result) -> str:
    """Return what a notebook shows; counts and per-record scores stay out, for notebooks are passed on."""
    best = "its null" if result.better == "null" else result.better
    facts = [
        ("value", _figure(result.value)),
        ("interval", f"{_figure(result.low)} to {_figure(result.high)}"),
        ("null", _figure(result.null)),
        ("better", best),
        ("saw real rows", "yes" if result.saw_real_rows else "no"),
    ]
    bar = interval_bar(result.value, result.low, result.high, result.null)
    return section(result.name, table(("what", "found"), facts), bar)


def _figure(value: float) -> str:
    return "not measured" if math.isnan(value) else f"{value:.4g}"
