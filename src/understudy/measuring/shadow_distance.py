"""How near the sets of each shadow model come to records."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from understudy.engines.neighbours.points import Floats, Points
from understudy.engines.neighbours.search import shortest_from
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.distance import as_points
from understudy.measuring.encoder import Encoder
from understudy.measuring.shadow_cast import Shown
from understudy.table.coded import CodedTable

__all__ = ["Length", "measured_by", "shadow_distances"]

Length = Literal["l2", "l1"]
Ruler = tuple[Callable[[CodedTable], Points], float]


def shadow_distances(shown: Shown, targets: CodedTable, length: Length) -> Floats:
    """Return the distance of targets to the nearest row of a set, on average over sets: (models, targets).

    l2   straight, through one-hot levels and quantities over their range, divided by the root of the number
         of columns: one level that differs, of p columns, makes the root of 2 / p (as the code of paper 004)
    l1   |difference| over range, 0 or 1 for levels, on average over columns (as its text)
    """
    as_rows, unit = measured_by(shown.records, length)
    shortest = shortest_from(as_rows(targets))
    found = np.zeros((shown.shadows.models, len(targets)))
    for model in range(shown.shadows.models):
        for number in range(shown.shadows.sets):
            found[model] += shortest(as_rows(shown.drawn(model, number)))
    return np.asarray(found / (shown.shadows.sets * unit))


def measured_by(known: CodedTable, length: Length) -> Ruler:
    """Return the map from rows to points, and what a distance between them is divided by."""
    columns = max(1, len(known.domain))
    if length == "l1":
        return as_points, float(columns)
    encoder = Encoder.fit(known, "range")
    return (lambda table: Vectors(encoder.matrix(table))), math.sqrt(columns)
