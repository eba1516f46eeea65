"""Tables with known verdicts, and a measure called on them in one wording for all checks."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from understudy.measuring.measure import Measure
from understudy.result import Result
from understudy.rng import stream
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema

__all__ = ["LAW", "VERDICTS", "MeasureCheck", "evidence", "judge", "law", "slack", "verdict"]

MeasureCheck = Callable[[Measure], None]

ROWS = 400
VERDICTS = ("copy", "fresh", "shifted", "constant")

# What is public about the law: nothing it makes lies outside, and its rules always hold.
LAW = Schema.model_validate({
    "columns": [
        {"name": "dose", "kind": "numerical", "bounds": {"low": -4, "high": 4}},
        {"name": "rise", "kind": "numerical", "bounds": {"low": -20, "high": 20}},
        {"name": "visits", "kind": "numerical", "type": "int64", "bounds": {"low": 0, "high": 40}},
        {"name": "ward", "kind": "categorical", "levels": {"values": ["east", "north", "west"]}},
        {"name": "well", "kind": "categorical", "levels": {"values": ["no", "yes"]}},
    ],
})  # fmt: skip


def law(rows: int, seed: int) -> pa.Table:
    """Return a fresh sample: two quantities that rise together, a count, wards, an outcome, some holes.

    Quantities lie on a grid of 1/64, so that a change of their unit is exact.
    """
    rng = stream(seed, "law")
    dose = np.clip(rng.normal(size=rows), -4, 4)
    rise = np.clip(3 * dose + rng.normal(size=rows), -20, 20)
    ward = np.where(rng.random(rows) < 0.7, (dose > 0).astype(int), 2)
    well = rng.random(rows) < 1 / (1 + np.exp(-2 * dose))
    return pa.table({
        "dose": _with_holes(np.round(dose * 64) / 64, rng.random(rows) < 0.1),
        "rise": pa.array(np.round(rise * 64) / 64),
        "visits": pa.array(np.minimum(rng.poisson(6 + 4 * (ward == 2)), 40)),
        "ward": _words(["east", "north", "west"], ward, rng.random(rows) < 0.05),
        "well": _words(["no", "yes"], well.astype(int), np.zeros(rows, dtype=bool)),
    })  # fmt: skip


@lru_cache(maxsize=16)
def verdict(name: str, rows: int = ROWS) -> pa.Table:
    """Return the table of a known verdict: a copy, a fresh sample, a shifted one, a constant one."""
    if name == "copy":
        return law(rows, 0)
    if name == "fresh":
        return law(rows, 2)
    shifted = _shifted(rows)
    return shifted if name == "shifted" else pa.concat_tables([shifted.slice(0, 1)] * rows)


@lru_cache(maxsize=16)
def evidence(name: str = "fresh", rows: int = ROWS) -> Evidence:
    """Return the evidence of a verdict; the real tables are the same for all of them."""
    return Evidence(
        train=law(rows, 0),
        holdout=law(rows, 1),
        reference=law(rows, 5),
        synthetic=verdict(name, rows),
        schema=LAW,
        target="well",
    )


def judge(measure: Measure, given: Evidence, seed: int = 0) -> Result:
    """Call a measure; a warning is a failure, for whoever reads the result never sees it."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return measure(given, seed=seed)


@lru_cache(maxsize=256)
def of_verdict(measure: Measure, name: str, seed: int = 0) -> Result:
    """Judge the table of a verdict; checks share these results."""
    return judge(measure, evidence(name), seed)


@lru_cache(maxsize=64)
def slack(measure: Measure) -> float:
    """Return by how much values may differ where nothing has changed but the draws.

    A measure whose value does not depend on the seed has none. One whose value does may be off by half of
    its interval, or by as much as two seeds are apart.
    """
    first, second = (of_verdict(measure, "fresh", seed) for seed in (0, 1))
    if first.value == second.value:
        return 1e-6 * max(1.0, abs(first.value))
    return max(first.high - first.low, second.high - second.low, 2 * abs(first.value - second.value))


def _shifted(rows: int) -> pa.Table:
    rng = stream(3, "shifted")
    dose = np.round((2.5 + rng.normal(size=rows)) * 64) / 64
    return pa.table({
        "dose": _with_holes(dose, rng.random(rows) < 0.5),
        "rise": pa.array(np.round((30 - 4 * dose) * 64) / 64),
        "visits": pa.array(rng.integers(20, 60, rows)),
        "ward": _words(["south", "north", "west"], rng.integers(0, 3, rows), rng.random(rows) < 0.4),
        "well": _words(["no", "yes"], (dose < 2.5).astype(int), np.zeros(rows, dtype=bool)),
    })  # fmt: skip


def _with_holes(values: np.ndarray[Any, Any], holes: np.ndarray[Any, Any]) -> pa.Array:
    return pa.array(values, mask=holes)


def _words(words: list[str], codes: np.ndarray[Any, Any], holes: np.ndarray[Any, Any]) -> pa.Array:
    return pa.array([words[code] for code in codes], mask=holes)
