"""Composite scores: a mean of parts, each a mean of entries; nothing undefined is dropped in silence."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from understudy.measuring.finding import Score

__all__ = ["compose", "defined_mean", "one_sided_as_zero"]

Floats = npt.NDArray[np.float64]


def defined_mean(entries: Floats) -> float:
    """Return the mean of the entries that are defined; NaN if none is.

    >>> defined_mean(np.array([1.0, np.nan, 0.5]))
    0.75
    """
    known = entries[~np.isnan(entries)]
    return float(known.mean()) if len(known) else math.nan


def compose(entries: Mapping[str, Floats], more: Mapping[str, float] | None = None) -> Score:
    """Return the mean of the parts that are defined, each the mean of its defined entries.

    `coverage` is the mean share of entries that are defined; a part without any entry has a share of 0.
    `more` are parts that are reported and not averaged.

    >>> score = compose({"columns": np.array([1.0, 0.5]), "pairs": np.array([])})
    >>> score.value, score.parts["coverage"]
    (0.75, 0.5)
    """
    parts = {name: defined_mean(part) for name, part in entries.items()}
    shares = [float((~np.isnan(part)).mean()) if len(part) else 0.0 for part in entries.values()]
    value = defined_mean(np.array(list(parts.values())))
    return Score(value, {**parts, **(more or {}), "coverage": float(np.mean(shares))})


def one_sided_as_zero(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return both with 0 where only one of them is defined, and NaN where neither is.

    An association that one table has and a constant column of the other cannot have is lost, not unknown:
    leaving it out would reward columns that stand still.

    >>> one_sided_as_zero(np.array([0.5, np.nan]), np.array([np.nan, np.nan]))[1].tolist()
    [0.0, nan]
    """
    neither = np.isnan(first) & np.isnan(second)
    one, other = (np.where(neither, np.nan, np.nan_to_num(entries, nan=0.0)) for entries in (first, second))
    return one, other
