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
from understudy.model.refining import cut_finer, first_parts, is_few, without_noise
from understudy.model.spikes import apart
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
AGAIN = 2  # columns for each further table, counted in the last round
TIMES = 5  # that few whole numbers, and levels, are counted in the last round, if there is room
KNOWN = 0.5  # of a count's deviation: levels told with less are not counted again
MANY = 1e9  # rows, where nothing is known of them yet

Tables = list[npt.NDArray[Any]]
Counted = tuple[npt.NDArray[np.float64], float]  # counts, and the deviation of each


def asks(schema: Schema, share: float) -> tuple[Ask, ...]:
    """Return the read that margins take: so many rounds of one table per column."""
    names = tuple(column.name for column in modelled(schema))
    if not names:
        return ()
    many = ROUNDS * len(names) + len(names) // AGAIN
    return (Ask(COUNTS, "rows in every cell", "measure", "counts", share, many, columns=names),)


def buy(vault: Vault, schema: Schema, events: dict[str, Event]) -> Binned:
    """Return noisy margins of every modelled column; unordered levels in an order, if one was planned."""
    columns = modelled(schema)
    if not columns:
        return Binned({}, {}, {}, 0.0)
    price = events[COUNTS]
    assert isinstance(price, DiscreteGaussian), "counts are paid for with discrete Gaussian noise"
    known = told_rows(vault, events)
    rows, parts = _Rows(*(known or (MANY, MANY))), dict[str, Parts]()
    held = _told(vault, schema, events, None if known is None else rows.value)
    for number in range(ROUNDS):
        if number == 0:
            parts = _first(vault, schema, events, rows.value)
        cuts = {
            c.name: cut_finer(parts[c.name], rows.value * _there(c), price.sigma, number)
            for c in columns
            if c.name in parts
        }
        edges = {name: cut.edges for name, cut in cuts.items()}
        names = [c.name for c in columns]
        names = names if number == 0 else _wanted(names, edges, held, price)
        tables_of = _count(vault, {c.name: _size(c, edges) for c in columns}, names, edges, price.sigma)
        rows = rows.seen(tables_of, price.sigma)
        found = _means(names, tables_of, price.sigma)
        parts = {name: cut.counted(*found[name]) for name, cut in cuts.items()}
        held = _averaged(held, found)
    counts = {c.name: parts[c.name].counts if c.name in parts else held[c.name][0] for c in columns}
    shares = {c.name: _shares(counts[c.name], c, rows.value) for c in columns}
    for name, each in parts.items():
        edges[name], shares[name] = apart(each.edges, shares[name])
    margins = {c.name: _margin(shares[c.name], edges.get(c.name)) for c in columns}
    noise = {name: each[1] for name, each in held.items()}
    return noisy_order.buy(vault, Binned(margins, edges, shares, rows.value, noise), schema, events)


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


def _count(
    vault: Vault, sizes: dict[str, int], names: list[str], edges: dict[str, npt.NDArray[Any]], sigma: float
) -> Tables:
    """Return a table for each of the names; one that is there twice is counted twice."""
    coded = vault.map(lambda rows: {name: cell_of(values, edges.get(name)) for name, values in rows.items()})
    wanted = tuple(tables.Margin((name,), (sizes[name],)) for name in names)
    found: Tables = coded.read(COUNTS, tables.CountTables(wanted, DiscreteGaussian(sigma, len(wanted))))
    return found


def _wanted(
    names: list[str], edges: dict[str, npt.NDArray[Any]], held: dict[str, Counted], price: DiscreteGaussian
) -> list[str]:
    """Return whose tables the last round counts, as many as are left of the plan.

    A row in a wrong level counts in full, one in a neighbouring part of a quantity by that little distance:
    so columns of few values are counted several times. What is left goes round.
    """
    open_ = [name for name in names if held[name][1] > KNOWN * price.sigma] or names
    few = [name for name in open_ if name not in edges or is_few(edges[name])]
    order = [*open_, *(few * (TIMES - 1)), *(open_ * len(names) * ROUNDS)]
    return order[: price.count - len(names)]


def _told(vault: Vault, schema: Schema, events: dict[str, Event], rows: float | None) -> dict[str, Counted]:
    """Return the counts that came with bought levels, where every level has one.

    Rows with values that were not told are among them by the same shares (table/raw.py), so they count too.
    """
    columns = {c.name: c for c in modelled(schema) if c.levels is not None}
    told = told_counts(vault, schema, events)
    return {
        name: _filled_up(counts, sigma, None if rows is None else rows * _there(columns[name]))
        for name, (counts, sigma) in told.items()
        if len(counts) == _size(columns[name], {})
    }


def _filled_up(counts: npt.NDArray[np.float64], sigma: float, present: float | None) -> Counted:
    factor = 1.0 if present is None else max(1.0, present / max(float(counts.sum()), 1.0))
    return counts * factor, sigma * factor


def _means(names: list[str], counted: Tables, sigma: float) -> dict[str, Counted]:
    """Return the mean of each column's tables, without missing rows, and its deviation."""
    found = dict[str, Tables]()
    for name, table in zip(names, counted, strict=True):
        found.setdefault(name, []).append(table[:-1])
    return {
        name: (np.mean(each, axis=0, dtype=np.float64), sigma / len(each) ** 0.5)
        for name, each in found.items()
    }


def _averaged(held: dict[str, Counted], found: dict[str, Counted]) -> dict[str, Counted]:
    """Return counts of levels averaged by one over their noise; of quantities, cut anew, the noise alone."""
    return held | {name: _average(held.get(name), each) for name, each in found.items()}


def _average(before: Counted | None, after: Counted) -> Counted:
    if before is None:
        return after
    old, new = before[1] ** -2, after[1] ** -2
    alike = len(before[0]) == len(after[0])
    counts = (old * before[0] + new * after[0]) / (old + new) if alike else after[0]
    return counts, (old + new) ** -0.5


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
    # A bin of one value: all of its share lies there.
    alone = last == edges[:-1] if whole else np.nextafter(edges[:-1], np.inf) >= edges[1:]
    values = np.stack([edges[:-1], np.where(alone, edges[:-1], last)], axis=1).ravel()
    lower = np.stack([starts, np.where(alone, starts, ends)], axis=1).ravel()
    upper = np.stack([np.where(alone, ends, starts), ends], axis=1).ravel()
    change = values[1:] != values[:-1]  # knots of one value are one: float bins share their ends
    first, final = np.append(True, change), np.append(change, True)
    return QuantityMargin(values[first], lower[first], upper[final], missing)
