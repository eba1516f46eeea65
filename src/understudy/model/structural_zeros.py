"""Structural zeros: pairs of cells that a rule rules out get no weight in a model, so that none is drawn.

A rule of one or two columns that lie in one clique of the tree is a pattern of zeros there: `sex == 'm'
implies pregnant == 'no'`, `start <= end`. A pair of cells is ruled out if all values in it break the rule;
what is only partly ruled out is left to `obeying`, which draws again. Both together draw from the model given
the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.beliefs import marginals_of
from understudy.engines.marginals.cliques import clique, lined_up
from understudy.engines.marginals.estimate import TreeModel
from understudy.missing import missing_like
from understudy.model.cells import Cells
from understudy.model.ruled import Ruled
from understudy.table.rule import Condition, Implies, IsMissing, Rule
from understudy.table.schema import Schema

__all__ = ["without_zeros"]

Mask = npt.NDArray[np.bool_]
MOST_PAIRS = 1_000_000  # of cells before merging: more would take longer to look at than to draw again


def without_zeros(model: TreeModel, cells: Mapping[str, Cells], schema: Schema) -> TreeModel:
    """Return the model given the rules, as far as whole cells go; the same where they would leave nothing."""
    ruled, places = Ruled.of(schema, {}), {name: place for place, name in enumerate(cells)}
    potentials = list(model.potentials)
    for rule in ruled.rules:
        named = [name for name in cells if name in rule.columns]
        of = clique(places[name] for name in named)
        if len(named) < len(rule.columns) or len(of) > 2 or not model.tree.holds(of):
            continue
        if not _is_told_by_corners(rule, {name for name in named if cells[name].edges is not None}):
            continue
        allowed = _allowed(rule, {name: cells[name] for name in named}, ruled)
        if allowed is not None:
            home = model.tree.home(of)
            zeros = lined_up(np.where(allowed, 0.0, -np.inf), of, model.tree.cliques[home])
            potentials[home] = potentials[home] + zeros
    with np.errstate(invalid="ignore"):
        marginals = marginals_of(model.tree, potentials, model.total)
    if not all(np.isfinite(each).all() for each in marginals):
        return model
    return replace(model, potentials=tuple(potentials), marginals=tuple(marginals))


def _is_told_by_corners(rule: Rule, quantities: set[str]) -> bool:
    """Say whether a box whose corners all break the rule has no other rows: the breaking set is convex.

    It is for orders, not for `==`: on both sides of a line rows break it.
    """
    if isinstance(rule, Implies):
        return _is_convex(rule.condition, "!=", quantities) and _is_convex(rule.consequence, "==", quantities)
    return _is_convex(rule, "==", quantities)


def _is_convex(condition: Condition, unfit: str, quantities: set[str]) -> bool:
    if isinstance(condition, IsMissing) or not quantities & set(condition.columns):
        return True
    return condition.operator != unfit


def _allowed(rule: Rule, cells: dict[str, Cells], ruled: Ruled) -> Mask | None:
    """Return which merged cells hold a row that keeps the rule; None where there are too many cells."""
    sizes = [len(each.merged) for each in cells.values()]
    if np.prod(sizes, dtype=np.float64) > MOST_PAIRS:
        return None
    ends = [_ends(each) for each in cells.values()]
    grid = np.meshgrid(*(np.arange(len(each)) for each in ends), indexing="ij")
    corners = {name: end[at.ravel()] for name, end, at in zip(cells, ends, grid, strict=True)}
    broken = ruled.broken(rule, corners).reshape([part for size in sizes for part in (size, 2)])
    fine: Mask = np.asarray(~broken.all(axis=tuple(range(1, 2 * len(sizes), 2))))
    for axis, each in enumerate(cells.values()):
        fine = _merged(fine, axis, each)
    return fine


def _ends(cells: Cells) -> npt.NDArray[Any]:
    """Return the first and the last value of every cell, one after the other; missing cells have one."""
    count = len(cells.merged)
    if cells.edges is None:
        return np.repeat(np.append(np.arange(count - 1), -1), 2).astype(np.int32)
    edges = cells.edges
    last = edges[1:] - 1 if edges.dtype.kind == "i" else np.nextafter(edges[1:], -np.inf)
    ends = np.stack([edges[:-1], np.maximum(last, edges[:-1])], axis=1).ravel()
    return np.append(ends, [missing_like(edges)] * 2).astype(edges.dtype)


def _merged(allowed: Mask, axis: int, cells: Cells) -> Mask:
    """Return which merged cells hold any allowed cell that is ever drawn."""
    moved = np.moveaxis(allowed, axis, 0) & (cells.within > 0).reshape(-1, *[1] * (allowed.ndim - 1))
    found = np.zeros((cells.size, *moved.shape[1:]), dtype=bool)
    np.logical_or.at(found, cells.merged, moved)
    return np.moveaxis(found, 0, axis)
