"""What is measured, in one sentence, and the paper and equation it comes from.

(Copy this file to src/understudy/metrics/<name>.py. A metric judges tables: it never imports a synthesizer.)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

from understudy import check
from understudy.result import Result
from understudy.rng import stream
from understudy.table.table import Table

__all__ = ["MyMetric"]


class Evidence(Protocol):
    """The tables a judge sees. The real type belongs to the table room; import it once it is there."""

    train: Table
    holdout: Table
    synthetic: Table


@final
@dataclass(frozen=True)
class MyMetric:
    """Mean difference of the columns' missing rates; 0 is best."""

    repeats: int = check.integer(200, low=20, high=100_000)

    def __post_init__(self) -> None:
        check.validate(self)

    def __call__(self, evidence: Evidence, *, seed: int = 0) -> Result:
        """Compare synthetic with training rows; the null compares holdout with training rows."""
        start, rng = time.perf_counter(), stream(seed, "metrics", "my_metric")
        train, holdout, synthetic = map(_blanks, (evidence.train, evidence.holdout, evidence.synthetic))
        draws = [_difference(_again(train, rng), _again(synthetic, rng)) for _ in range(self.repeats)]
        value = _difference(train, synthetic)
        return Result(
            name="fidelity.my_metric",
            value=value,
            low=min(value, float(np.quantile(draws, 0.025))),
            high=max(value, float(np.quantile(draws, 0.975))),
            null=_difference(train, holdout),
            better="lower",
            saw_real_rows=True,
            n=len(synthetic),
            seconds=time.perf_counter() - start,
        )


def _blanks(table: Table) -> npt.NDArray[np.bool_]:
    """Return which cells are missing: (rows, columns)."""
    arrow = table.to_arrow()
    return np.column_stack([np.asarray(arrow.column(name).is_null()) for name in table.names])


def _again(cells: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    return cells[rng.integers(len(cells), size=len(cells))]


def _difference(one: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> float:
    return float(np.abs(one.mean(axis=0) - other.mean(axis=0)).mean())
