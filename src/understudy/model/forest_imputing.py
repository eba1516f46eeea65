"""Missing cells of rows, drawn from a forest given the cells that are there: exactly, as conditions are.

Given what is there, a leaf weighs what its coverage and the densities of the given cells in it say, over all
trees; a row takes a leaf by these weights, and its missing cells are drawn there, each by its own law of what
is not missing. A column that another one decides follows what that is, or what it must have been.

Only leaves whose boxes hold all cells of a row that are there can weigh anything: one in each tree, and a few
more for every cell that is missing. They are found by comparing whole numbers, and only they are weighed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from understudy.engines.condition import Among, Between
from understudy.engines.forest.follower import Follower
from understudy.engines.forest.laws import Law, LevelLaw
from understudy.engines.forest.partition import Ints, Partition
from understudy.missing import is_missing
from understudy.model.sampler import Columns

__all__ = ["Leaves", "fill"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Boxes = Mapping[str, tuple[Ints, Ints]]
PAIRS = 1_000_000  # of rows and leaves that are compared at a time


@final
class Leaves(NamedTuple):
    """What a forest learned: rows of leaves, laws of columns in leaves, and columns that follow others."""

    partition: Partition
    coverage: Floats
    laws: Mapping[str, Law]
    followers: Mapping[str, Follower]


@final
class _Pairs(NamedTuple):
    """Rows and leaves that may hold them, and the log weight of each pair."""

    row: npt.NDArray[np.int64]
    leaf: npt.NDArray[np.int64]
    logs: Floats

    def add(self, rows: Mask, law: Law, column: npt.NDArray[Any]) -> None:
        """Add the log density of the cells that are given in these rows."""
        some = np.flatnonzero(rows[self.row])
        self.logs[some] += law.log_density(self.leaf[some], column[self.row[some]])

    def share(self, rows: Mask, narrowed: Law, law: Law) -> None:
        """Add, in these rows, the log of what share of each leaf a narrower law leaves."""
        whole = law.mass()
        share = np.divide(narrowed.mass(), whole, out=np.zeros(len(whole)), where=whole > 0)
        some = np.flatnonzero(rows[self.row])
        with np.errstate(divide="ignore"):
            self.logs[some] += np.log(share)[self.leaf[some]]

    def table(self, rows: int, leaves: int) -> Floats:
        """Return the log weight of every leaf in every row."""
        logs = np.full((rows, leaves), -np.inf)
        logs[self.row, self.leaf] = self.logs
        return logs


def fill(leaves: Leaves, columns: Columns, rng: np.random.Generator) -> Columns:
    """Return the columns with every missing cell drawn; what is there stays as it is."""
    filled = {name: values.copy() for name, values in columns.items()}
    holes = np.logical_or.reduce([is_missing(values) for values in columns.values()]) if columns else []
    left, size = np.flatnonzero(holes), max(1, PAIRS // max(len(leaves.coverage), 1))
    boxes = _boxes(leaves) if len(left) else {}
    for at in range(0, len(left), size):
        some = left[at : at + size]
        part = {name: values[some] for name, values in columns.items()}
        for name, values in _filled(leaves, boxes, part, rng).items():
            filled[name][some] = values
    return filled


def _boxes(leaves: Leaves) -> Boxes:
    """Return the first and the last cell of every column in every leaf."""
    ends, partition = np.iinfo(np.int32).max, leaves.partition
    found = partition.leaves()
    return {name: partition.boxes(found, place, ends) for place, name in enumerate(leaves.laws)}


def _filled(leaves: Leaves, boxes: Boxes, columns: Columns, rng: np.random.Generator) -> Columns:
    rows = len(next(iter(columns.values())))
    pairs = _pairs(leaves, boxes, columns, rows)
    drawn: list[tuple[str, npt.NDArray[np.int64], Law]] = []
    for name, law in leaves.laws.items():
        gone = is_missing(columns[name])
        pairs.add(~gone, law, columns[name])
        for places, narrowed in _laws_of_holes(leaves, name, columns, np.flatnonzero(gone)):
            pairs.share(_marked(places, rows), narrowed, law)
            drawn.append((name, places, narrowed))
    leaf = _chosen(pairs.table(rows, len(leaves.coverage)), leaves.coverage, rng)
    filled = {name: values.copy() for name, values in columns.items()}
    for name, places, law in drawn:
        filled[name][places] = law.draw(leaf[places], rng)
    for name, follower in leaves.followers.items():
        filled[name] = _followed(follower, filled[follower.leader], filled[name], rng)
    return filled


def _pairs(leaves: Leaves, boxes: Boxes, columns: Columns, rows: int) -> _Pairs:
    """Return each row with the leaves that hold all of its cells that are there, and the leaves' coverage."""
    held = np.ones((rows, len(leaves.coverage)), dtype=bool)
    for name, law in leaves.laws.items():
        there = np.flatnonzero(~is_missing(columns[name]))
        cells = law.cells(columns[name][there])[:, None]
        first, last = boxes[name]
        held[there] &= (first <= cells) & (cells <= last)
    row, leaf = np.nonzero(held)
    with np.errstate(divide="ignore"):
        return _Pairs(row, leaf, np.log(leaves.coverage)[leaf])


def _marked(places: npt.NDArray[np.int64], rows: int) -> Mask:
    mask = np.zeros(rows, dtype=bool)
    mask[places] = True
    return mask


def _laws_of_holes(
    leaves: Leaves, name: str, columns: Columns, places: npt.NDArray[np.int64]
) -> list[tuple[npt.NDArray[np.int64], Law]]:
    """Return the rows whose cell is to be drawn, in groups that have one law: that of what it may be."""
    law = leaves.laws[name]
    if not len(places):
        return []
    if not isinstance(law, LevelLaw):
        low, high = law.axis.ends.tolist()
        return [(places, law.narrowed(Between(low, high)))]
    groups = dict[bytes, list[int]]()
    for place in places:
        groups.setdefault(_allowed(leaves, name, columns, int(place)).tobytes(), []).append(int(place))
    return [
        (np.array(group), law.narrowed(Among(np.frombuffer(key, np.bool_)))) for key, group in groups.items()
    ]


def _allowed(leaves: Leaves, name: str, columns: Columns, place: int) -> Mask:
    """Return which codes a missing level may have been, by the columns that it decides; missing is none."""
    law = leaves.laws[name]
    assert isinstance(law, LevelLaw), "levels decide other columns"
    allowed = np.arange(len(law.ranks)) < len(law.ranks) - 1
    for other, follower in leaves.followers.items():
        if follower.leader != name:
            continue
        beside, cell = follower.values, columns[other][place]
        fits = ~is_missing(beside) if is_missing(columns[other][place : place + 1])[0] else beside == cell
        if (allowed & fits).any():  # what no level is beside says nothing
            allowed = allowed & fits
    return allowed


def _chosen(logs: Floats, coverage: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a leaf for every row, by its weights; by coverage where no leaf has such cells."""
    nowhere = ~np.isfinite(logs).any(axis=1)
    with np.errstate(divide="ignore"):
        logs[nowhere] = np.log(coverage)
    return np.asarray((logs + rng.gumbel(size=logs.shape)).argmax(axis=1))


def _followed(
    follower: Follower, leader: npt.NDArray[Any], column: npt.NDArray[Any], rng: np.random.Generator
) -> npt.NDArray[Any]:
    """Return a column with gaps filled by what is beside its leader; by any value where that is none."""
    beside = follower.beside(leader)
    values = follower.values[~is_missing(follower.values)]
    if len(values):
        beside = np.where(is_missing(beside), rng.choice(values, len(beside)), beside)
    return np.where(is_missing(column), beside, column).astype(column.dtype)
