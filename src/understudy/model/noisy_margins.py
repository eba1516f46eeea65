"""Margins through the vault: the distribution of every column, from noisy counts.

What `histogram` and `gaussian_copula` share when they have a budget. Levels are counted as they are;
quantities are first cut into bins of about equal numbers of rows by recursive medians.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import LevelMargin, Margin, QuantityMargin
from understudy.model import noisy_order
from understudy.model.binned import Binned, cell_of
from understudy.model.cuts import DEPTH, buy_cuts
from understudy.model.purchase import told_counts
from understudy.privacy import Ask, Vault
from understudy.privacy.events import DiscreteGaussian, Event
from understudy.privacy.mechanisms import counts as tables
from understudy.table.columns import modelled
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["asks", "buy"]

EDGES, COUNTS = "margins.edges", "margins.counts"


def asks(schema: Schema, share: float) -> tuple[Ask, ...]:
    """Return the reads that margins take: a quarter of the share for the cuts, the rest for the counts."""
    columns = modelled(schema)
    quantities = tuple(c.name for c in columns if c.kind not in LEVEL_KINDS)
    wanted: list[Ask] = []
    if quantities:
        rounds = DEPTH * len(quantities)
        what = "cuts that halve the rows, round by round"
        wanted.append(Ask(EDGES, what, "select", "selections", share / 4, rounds, columns=quantities))
    if columns:
        names = tuple(column.name for column in columns)
        wanted.append(
            Ask(COUNTS, "rows in every cell", "measure", "counts", 0.75 * share, len(names), columns=names)
        )
    return tuple(wanted)


def buy(vault: Vault, schema: Schema, events: dict[str, Event]) -> Binned:
    """Return noisy margins of every modelled column; unordered levels in an order, if one was planned."""
    columns = modelled(schema)
    if not columns:
        return Binned({}, {}, {}, 0.0)
    cuts = {c.name: buy_cuts(vault, c, events, EDGES) for c in columns if c.kind not in LEVEL_KINDS}
    edges = {name: each.edges for name, each in cuts.items()}
    price = events[COUNTS]
    assert isinstance(price, DiscreteGaussian), "counts are paid for with discrete Gaussian noise"
    sizes = {c.name: _size(c, edges) for c in columns}
    coded = vault.map(lambda rows: {name: cell_of(values, edges.get(name)) for name, values in rows.items()})
    wanted = tuple(tables.Margin((name,), (size,)) for name, size in sizes.items())
    counted = coded.read(COUNTS, tables.CountTables(wanted, price))
    rows = tables.rows_of(counted)
    counted = _with_told(counted, columns, price.sigma, told_counts(vault, schema, events))
    for place, column in enumerate(columns):
        if column.name in cuts:
            counted[place] = cuts[column.name].settled(counted[place], rows, price.sigma)
    shares = {c.name: _shares(table, c, rows) for c, table in zip(columns, counted, strict=True)}
    margins = {c.name: _margin(shares[c.name], edges.get(c.name)) for c in columns}
    return noisy_order.buy(vault, Binned(margins, edges, shares, rows), schema, events)


def _with_told(
    counted: list[npt.NDArray[Any]],
    columns: list[Column],
    sigma: float,
    told: dict[str, tuple[npt.NDArray[np.float64], float]],
) -> list[npt.NDArray[Any]]:
    """Return tables in which counts that were told with their levels take part, by one over their noise."""
    found = []
    for table, column in zip(counted, columns, strict=True):
        if column.name in told and len(told[column.name][0]) == len(table) - 1:
            before, other = told[column.name]
            weight = other**-2 / (other**-2 + sigma**-2)
            present = weight * before + (1 - weight) * table[:-1]
            found.append(np.append(present, table[-1]))
        else:
            found.append(table)
    return found


def _size(column: Column, edges: dict[str, npt.NDArray[Any]]) -> int:
    if column.name in edges:
        return len(edges[column.name]) - 1
    assert column.levels is not None, "a completed schema has levels"
    return len(column.levels.values)


def _shares(table: npt.NDArray[Any], column: Column, rows: float) -> npt.NDArray[np.float64]:
    """Return the share of every cell; the missing rate was bought before, or is declared."""
    missing = column.missing.rate if column.missing is not None else 0.0
    present = _without_noise(table[:-1].astype(np.float64), rows * (1 - missing))
    return np.append(present * (1 - missing), missing)


def _without_noise(counts: npt.NDArray[np.float64], total: float) -> npt.NDArray[np.float64]:
    """Return shares: counts less whatever brings those above nought to the total, as far as noise can add.

    Cutting negative counts off alone would leave the noise of empty cells in, all of it upwards.
    """
    above = np.sort(np.maximum(counts, 0.0))[::-1]
    if above[0] <= 0:
        return np.full(len(counts), 1 / len(counts))
    kept = np.arange(1, len(above) + 1)
    excess = np.maximum((np.cumsum(above) - max(total, 1e-6 * above.sum())) / kept, 0.0)
    less = excess[np.flatnonzero(above > excess)[-1]]
    shares = np.maximum(counts - less, 0.0)
    return np.asarray(shares / shares.sum())


def _margin(shares: npt.NDArray[np.float64], edges: npt.NDArray[Any] | None) -> Margin:
    if edges is None:
        codes = np.append(np.arange(len(shares) - 1), -1).astype(np.int32)
        return LevelMargin(codes, np.minimum(np.cumsum(shares), 1.0))
    missing = float(shares[-1])
    inner = shares[:-1] / max(1 - missing, 1e-12)
    return _piecewise(edges, inner, missing)


def _piecewise(edges: npt.NDArray[Any], inner: npt.NDArray[np.float64], missing: float) -> QuantityMargin:
    """Return the margin that spreads each bin's share evenly over the values in it."""
    ends = np.minimum(np.cumsum(inner), 1.0)
    starts = np.concatenate([[0.0], ends[:-1]])
    whole = edges.dtype.kind == "i"
    # The last edge lies just past the bounds; whole numbers have a last value in every bin.
    last = edges[1:] - 1 if whole else np.append(edges[1:-1], np.nextafter(edges[-1], -np.inf))
    alone = last == edges[:-1]  # a bin of one value: all of its share lies there
    values = np.stack([edges[:-1], last], axis=1).ravel()
    lower = np.stack([starts, np.where(alone, starts, ends)], axis=1).ravel()
    upper = np.stack([np.where(alone, ends, starts), ends], axis=1).ravel()
    keep = np.ones(len(values), dtype=bool)
    keep[1::2] = ~alone
    kept = values[keep]
    first = np.concatenate([[True], kept[1:] != kept[:-1]])  # float bins share their ends
    return QuantityMargin(kept[first], lower[keep][first], upper[keep][first], missing)
