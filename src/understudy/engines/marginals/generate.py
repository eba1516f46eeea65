"""Generation: rows from a tree model, with as little chance as whole rows allow.

From the root on, each clique's new attributes are drawn given what it shares with its parent. Of the rows
that share one cell, in random order, the r-th of n takes the quantile (r + u) / n of what may follow, with
one u for all of them (systematic sampling): each cell gets its expected number of rows, up to one, and its
expectation exactly. Independent draws would add a deviation of the square root of every count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, cells
from understudy.engines.marginals.estimate import TreeModel

__all__ = ["draw_rows", "systematic"]

Codes = npt.NDArray[np.int32]


def draw_rows(model: TreeModel, rows: int, rng: np.random.Generator) -> list[Codes]:
    """Return the codes of every attribute."""
    columns: list[Codes] = [np.zeros(rows, dtype=np.int32) for _ in model.sizes]
    known: set[int] = set()
    for each, shared, table in zip(model.tree.cliques, model.tree.separators, model.marginals, strict=True):
        fresh = tuple(attribute for attribute in each if attribute not in known)
        if fresh:
            _draw_clique(columns, (each, shared, fresh), table, model.sizes, rng)
        known.update(each)
    return columns


def _draw_clique(
    columns: list[Codes],
    parts: tuple[Clique, Clique, Clique],
    table: Floats,
    sizes: tuple[int, ...],
    rng: np.random.Generator,
) -> None:
    each, shared, fresh = parts
    axes = [each.index(attribute) for attribute in (*shared, *fresh)]
    given = np.ascontiguousarray(table.transpose(axes)).reshape(cells(shared, sizes), cells(fresh, sizes))
    group = _joint(columns, shared, sizes, len(columns[0]))
    chosen = systematic(given, group, rng)
    for attribute in reversed(fresh):
        chosen, code = np.divmod(chosen, sizes[attribute])
        columns[attribute] = code.astype(np.int32)


def _joint(columns: list[Codes], of: Clique, sizes: tuple[int, ...], rows: int) -> npt.NDArray[np.int64]:
    place = np.zeros(rows, dtype=np.int64)
    for attribute in of:
        place *= sizes[attribute]
        place += columns[attribute]
    return place


def systematic(
    given: Floats, group: npt.NDArray[np.int64], rng: np.random.Generator, ranks: Floats | None = None
) -> npt.NDArray[np.int64]:
    """Return for every row a column of `given`, in proportion to the row of `given` that its group names.

    Inside a group rows come in random order, or by their ranks: then first columns go to low ranks.
    """
    rows = len(group)
    order = rng.permutation(rows) if ranks is None else np.argsort(ranks)
    order = order[np.argsort(group[order], kind="stable")]  # by group, and as before inside it
    sorted_group = group[order]
    counts = np.bincount(group, minlength=len(given))
    starts = np.cumsum(counts) - counts
    rank = np.arange(rows) - starts[sorted_group]
    quantile = (rank + rng.random(len(given))[sorted_group]) / counts[sorted_group]
    sums = given.sum(axis=1, keepdims=True)
    # A group that the model rules out can hold rows only by rounding: it takes the overall proportions.
    shares = np.where(sums > 0, given, given.sum(axis=0, keepdims=True) + 1e-300)
    upper = np.cumsum(shares, axis=1)
    upper /= upper[:, -1:]
    ends = (np.arange(len(given))[:, None] + upper).ravel()
    place = np.searchsorted(ends, sorted_group + np.minimum(quantile, 1 - 1e-12), side="right")
    chosen = np.empty(rows, dtype=np.int64)
    chosen[order] = np.clip(place - sorted_group * given.shape[1], 0, given.shape[1] - 1)
    return chosen
