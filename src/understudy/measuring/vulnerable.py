"""Which records stand alone: those far from all others, whom a model that overfits betrays first.

Meeus et al. 2023 ("Achilles' Heels") rank records by their mean distance to the nearest others. The record
itself is not one of these: public code counts it, at distance 0, and so looks at one neighbour less.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from understudy.engines.neighbours.points import Floats
from understudy.engines.neighbours.search import nearest_others
from understudy.engines.neighbours.vectors import Vectors
from understudy.measuring.distance import as_points
from understudy.measuring.encoder import Encoder, Matrix
from understudy.table.coded import CodedColumn, CodedTable

__all__ = ["Apart", "apart", "most_apart"]

Apart = Literal["mixed", "cosine"]


def apart(records: CodedTable, k: int, distance: Apart = "mixed") -> Floats:
    """Return the mean distance of each record to its k nearest others; to all where there are fewer.

    mixed    |difference| over range for quantities, 0 or 1 for levels
    cosine   as published: of one-hot levels and of quantities over their range, each by itself, weighted by
             their numbers of columns; records on one ray from the least values are at the same place

    >>> column = CodedColumn("x", quantity=True, low=0.0, high=10.0)
    >>> apart(CodedTable((column,), {"x": np.array([0.0, 1.0, 10.0])}), 1).round(6).tolist()
    [0.1, 0.1, 0.9]
    """
    most = min(k, len(records) - 1)
    if most < 1:
        return np.zeros(len(records))
    if distance == "mixed":
        return np.asarray(nearest_others(as_points(records), most).distances.mean(axis=1))
    found = nearest_others(Vectors(_on_spheres(records)), most).distances
    return np.asarray((found**2 / 2).mean(axis=1))


def most_apart(
    records: CodedTable, size: int, k: int, distance: Apart = "mixed"
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return the places of so many records that are farthest from others, in order; of equals the first."""
    far = np.argsort(-apart(records, k, distance), kind="stable")[:size]
    return np.sort(far).astype(np.int64)


def _on_spheres(records: CodedTable) -> Matrix:
    """Return points whose squared straight distance is twice the weighted cosine distance."""
    kinds = [kind for kind in (records.quantities, records.categories) if kind]
    return np.column_stack([_weighted(records, kind, len(records.domain)) for kind in kinds])


def _weighted(records: CodedTable, columns: tuple[CodedColumn, ...], all_columns: int) -> Matrix:
    part = CodedTable(columns, {column.name: records[column.name] for column in columns})
    matrix = Encoder.fit(part, "range").matrix(part)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    # A record of least values alone has no direction, and stays at the centre.
    rays = np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)
    return np.asarray(rays * np.sqrt(len(columns) / all_columns))
