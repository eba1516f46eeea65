"""Margins through the vault: the distribution of every column, from noisy counts.

What all private methods share. Levels are counted as they are; quantities are counted in parts, and again
in finer ones where rows are. Counts that were bought with the schema take part too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.engines.margin import LevelMargin, Margin, QuantityMargin
from understudy.model import noisy_order
from understudy.model.binned import Binned, cell_of
from understudy.model.ladder import Parts, parts_of
from understudy.model.purchase import told_counts, told_powers, told_rows
from understudy.model.refining import cut_finer, first_parts, without_noise
from understudy.privacy import Ask, Vault
from understudy.privacy.events import DiscreteGaussian, Event
from understudy.privacy.mechanisms import counts as tables
from understudy.table.columns import modelled
from understudy.table.grid import grid_of
from understudy.table.raw import ends_of
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["COUNTS", "ROUNDS", "asks", "buy"]

COUNTS = "margins.counts"
ROUNDS = 2  # of counting: quantities in finer parts each time, levels for less noise
MANY = 1e9  # rows, where nothing is known of them yet

Tables = list[npt.NDArray[Any]]


def asks(schema: Schema, share: float) -> tuple[Ask, ...]:
    """Return the read that margins take: so many rounds of one table per column."""
    names = tuple(column.name for column in modelled(schema))
    if not names:
        return ()
    return (
        Ask(COUNTS, "rows in every cell", "measure", "counts", share, ROUNDS * len(names), columns=names),
    )


def buy(vault: Vault, schema: Schema, events: dict[str, Event]) -> Binned:
    """Return noisy margins of every modelled column; unordered levels in an order, if one was planned."""
    columns = modelled(schema)
    if not columns:
        return Binned({}, {}, {}, 0.0)
    price = events[COUNTS]
    assert isinstance(price, DiscreteGaussian), "counts are paid for with discrete Gaussian noise"
    known = told_rows(vault, events)
    rows, parts, counted = _Rows(*(known or (MANY, MANY))), dict[str, Parts](), list[Tables]()
    for number in range(ROUNDS):
        if number == 0:
            parts = _first(vault, schema, events, rows.value)
        cuts = {
            c.name: cut_finer(parts[c.name], rows.value * _there(c), price.sigma, number)
            for c in columns
            if c.name in parts
        }
        edges = {name: cut.edges for name, cut in cuts.items()}
        counted.append(_count(vault, columns, edges, price.sigma))
        rows = rows.seen(counted[-1], price.sigma)
        found = {c.name: table[:-1] for c, table in zip(columns, counted[-1], strict=True)}
        parts = {name: cut.counted(found[name], price.sigma) for name, cut in cuts.items()}
    told = told_counts(vault, schema, events)
    held = [
        parts[c.name].counts if c.name in parts else _of_levels(each, price.sigma, told.get(c.name))
        for c, each in zip(columns, zip(*counted, strict=True), strict=True)
    ]
    shares = {c.name: _shares(each, c, rows.value) for c, each in zip(columns, held, strict=True)}
    edges = {name: each.edges for name, each in parts.items()}
    margins = {c.name: _margin(shares[c.name], edges.get(c.name)) for c in columns}
    return noisy_order.buy(vault, Binned(margins, edges, shares, rows.value), schema, events)


@final
@dataclass(frozen=True)
class _Rows:
    """About how many rows there are, and the deviation of that."""

    value: float
    sigma: float

    def seen(self, counted: Tables, sigma: float) -> _Rows:
        """Return the same with the sums of tables taken in, each by one over its noise."""
        weight = sum(1 / table.size for table in counted) / sigma**2
        before = self.sigma**-2
        value = (before * self.value + weight * tables.rows_of(counted)) / (before + weight)
        return _Rows(max(value, 1.0), (before + weight) ** -0.5)


def _there(column: Column) -> float:
    """Return the share of rows that have a value; the missing rate was bought before, or is declared."""
    return 1 - (column.missing.rate if column.missing is not None else 0.0)


def _first(vault: Vault, schema: Schema, events: dict[str, Event], rows: float) -> dict[str, Parts]:
    """Return the parts of quantities before anything is counted here: those that bounds were found from."""
    told = told_powers(vault, schema, events)
    found = {}
    for column in modelled(schema):
        if column.kind in LEVEL_KINDS:
            continue
        low, high = ends_of(column)
        past = high + 1 if not isinstance(high, float) else np.nextafter(max(high, low), np.inf)
        if column.name in told:
            counts, sigma = told[column.name]
            there = max(rows * _there(column), 1.0)
            each = parts_of(counts, sigma, there, whole=grid_of(column) is not None)
            found[column.name] = _within(each, low, past)
        else:
            found[column.name] = first_parts(low, past, rows)
    return found


def _within(parts: Parts, low: Any, past: Any) -> Parts:
    """Return the parts inside of bounds: a type may end before the powers of two do."""
    edges = np.clip(parts.edges, low, past)
    edges[0], edges[-1] = low, past
    held = np.diff(edges) > 0
    return Parts(np.append(edges[:-1][held], edges[-1:]), parts.counts[held], parts.variances[held])


def _count(vault: Vault, columns: list[Column], edges: dict[str, npt.NDArray[Any]], sigma: float) -> Tables:
    coded = vault.map(lambda rows: {name: cell_of(values, edges.get(name)) for name, values in rows.items()})
    wanted = tuple(tables.Margin((c.name,), (_size(c, edges),)) for c in columns)
    found: Tables = coded.read(COUNTS, tables.CountTables(wanted, DiscreteGaussian(sigma, len(wanted))))
    return found


def _of_levels(
    each: tuple[npt.NDArray[Any], ...], sigma: float, told: tuple[npt.NDArray[np.float64], float] | None
) -> npt.NDArray[np.float64]:
    """Return the mean of all counts of levels, by one over their noise; some were told with the levels."""
    mean = np.asarray(sum(table[:-1] for table in each) / len(each), dtype=np.float64)
    if told is None or len(told[0]) != len(mean):
        return np.asarray(mean)
    before, other = told
    weight = other**-2 / (other**-2 + len(each) * sigma**-2)
    return np.asarray(weight * before + (1 - weight) * mean)


def _size(column: Column, edges: dict[str, npt.NDArray[Any]]) -> int:
    if column.name in edges:
        return len(edges[column.name]) - 1
    assert column.levels is not None, "a completed schema has levels"
    return len(column.levels.values)


def _shares(held: npt.NDArray[Any], column: Column, rows: float) -> npt.NDArray[np.float64]:
    """Return the share of every cell, that of missing rows last."""
    there = _there(column)
    return np.append(without_noise(held.astype(np.float64), rows * there) * there, 1 - there)


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
