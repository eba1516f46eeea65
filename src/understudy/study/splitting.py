"""Roles made of what there is: a holdout divided, or a recipe tried on parts of the one real table.

Attacks need rows that were never learned from, and many need more such rows for the adversary. Where only a
holdout is given, half of it becomes the reference. Where only the training rows are given and it is known how
the stand-in was made, the recipe is tried again: it learns a part of the rows, and the rest are holdout and
reference. What attacks then find is about the recipe at that size, not about the very table that was given.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.errors import TooFewRows
from understudy.model.recipe import Recipe
from understudy.privacy import Budget
from understudy.rng import seed_of, stream
from understudy.table.schema import Schema
from understudy.table.table import Table

__all__ = ["Rehearsal", "halves", "rehearse"]

FEWEST = 20  # holdout rows of which half can become a reference
PARTS = (0.6, 0.2, 0.2)  # train, holdout, reference


@final
class Rehearsal(NamedTuple):
    """Parts of one table, where the rows of the first stand in it, and the stand-in of that first part."""

    places: npt.NDArray[np.int64]
    train: Table
    holdout: Table
    reference: Table
    synthetic: Table


def halves(holdout: Table, seed: int) -> tuple[Table, Table] | None:
    """Return two halves of a table, or None if it is too small to be divided.

    >>> one, other = halves(Table(pa.table({"x": list(range(41))})), seed=0)
    >>> len(one), len(other)
    (21, 20)
    """
    if len(holdout) < FEWEST:
        return None
    first, second = (_taken(holdout, places) for places in _parts(holdout, (0.5, 0.5), seed))
    return first, second


def rehearse(
    table: Table,
    recipe: Recipe,
    budget: Budget | None,
    seed: int,
    *,
    schema: Schema | None = None,
    progress: bool = False,
) -> Rehearsal:
    """Divide a table, and fit the recipe to the first part, within the budget if there is one."""
    if len(table) < FEWEST:
        raise TooFewRows(f"audit: {FEWEST} rows or more can be divided; got fewer. Give a holdout table.")
    places = _parts(table, PARTS, seed)
    train, holdout, reference = (_taken(table, part) for part in places)
    rng = stream(seed, "audit", "rehearsal")
    model = recipe.fit(train, schema, budget, seed_of(rng), progress=progress)
    return Rehearsal(places[0], train, holdout, reference, model.sample_table(len(train), seed_of(rng)))


def _parts(table: Table, shares: tuple[float, ...], seed: int) -> list[npt.NDArray[np.int64]]:
    """Return the places of disjoint parts of these shares; what rounding leaves goes to the first."""
    order = stream(seed, "audit", "split").permutation(len(table))
    sizes = [int(share * len(table)) for share in shares[1:]]
    ends = np.cumsum([len(table) - sum(sizes), *sizes])[:-1]
    return [np.sort(part) for part in np.split(order, ends)]


def _taken(table: Table, places: npt.NDArray[np.int64]) -> Table:
    return Table(table.to_arrow().take(pa.array(places)), table.frame)
