"""Rows on a plane, neighbours beside each other: t-SNE of encoded rows (van der Maaten, Hinton 2008).

A picture to look at, no measure: distances and sizes of clusters on it mean nothing by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from sklearn.manifold import TSNE

from understudy.errors import ParameterError
from understudy.measuring.at_risk import top
from understudy.measuring.encoder import Encoder
from understudy.result import Result
from understudy.rng import seed_of, stream
from understudy.table.evidence import Evidence

__all__ = ["Plane", "embedded", "plane_of"]

Floats = npt.NDArray[np.float64]
_AXES = 50  # a first cut to principal axes, as is usual: distances beyond are noise


@final
@dataclass(frozen=True, eq=False)
class Plane:
    """Points of training rows, their places in the table, and which of them an attack puts on top."""

    points: Floats  # (rows, 2)
    places: npt.NDArray[np.int64]
    risky: npt.NDArray[np.bool_]


def plane_of(
    result: Result, evidence: Evidence, *, rows: int = 4_000, share: float = 0.01, seed: int = 0
) -> Plane:
    """Return at most so many rows that an attack judged, on a plane, with its top share among them marked.

    Rows on top come first, those of the largest scores if they are too many; others are drawn by the seed.
    The encoder is fitted on the rows shown.
    """
    if result.per_record is None:
        raise ParameterError(
            f"plane: {result.name} has no score per record; give a membership attack's result."
        )
    if rows < 3:
        raise ParameterError(f"plane: rows must be >= 3; got {rows}.")
    scores = np.asarray(result.per_record, np.float64)
    train = evidence.coded("train")
    if len(scores) != len(train):
        raise ParameterError(
            f"plane: {result.name} judged another table; give the evidence it was made with."
        )
    risky = top(scores, share)
    places = _chosen(scores, risky, rows, stream(seed, "plane"))
    shown = train.take(places)
    points = embedded(Encoder.fit(shown).matrix(shown), seed_of(stream(seed, "t-sne")))
    return Plane(points, places, risky[places])


def _chosen(
    scores: Floats, risky: npt.NDArray[np.bool_], rows: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return places of rows to show: those on top first of all, then others that were judged."""
    tops = np.flatnonzero(risky)
    tops = tops[np.argsort(-scores[tops], kind="stable")[:rows]]
    rest = np.flatnonzero(~np.isnan(scores) & ~risky)
    drawn = rng.choice(rest, min(len(rest), rows - len(tops)), replace=False)
    return np.sort(np.concatenate([tops, drawn]))


def embedded(matrix: Floats, seed: int) -> Floats:
    """Return points on the plane for rows of a matrix; fewer than three lie on a line."""
    if len(matrix) < 3:
        return np.column_stack([np.arange(len(matrix)), np.zeros(len(matrix))]).astype(np.float64)
    centred = matrix - matrix.mean(0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    reduced = centred @ axes[:_AXES].T
    spread = float(reduced[:, 0].std()) or 1.0
    walk = TSNE(
        init=(reduced[:, :2] if reduced.shape[1] > 1 else np.column_stack([reduced, reduced * 0]))
        / spread
        * 1e-4,
        perplexity=min(30.0, (len(matrix) - 1) / 3),
        learning_rate="auto",
        random_state=seed % 2**32,
    )
    return np.asarray(walk.fit_transform(reduced), np.float64)
