"""Canaries: rows that nobody has, made of the cells of a table: what a model knows of them, it learned.

`strange` puts cells together at random, each distinct value of a column as likely as any other. `rarest` is
one row of the rarest cell of every column, and `unlike` are the rows that share the fewest cells with one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["rarest", "strange", "unlike"]


def strange(table: pa.Table, count: int, rng: np.random.Generator) -> pa.Table:
    """Return so many rows of cells that do not belong together.

    >>> strange(pa.table({"a": ["x", "x", "y"]}), 3, np.random.default_rng(0)).schema.names
    ['a']
    """
    cells = {}
    for name in table.schema.names:
        distinct = _sorted(pc.unique(table[name]))
        cells[name] = distinct.take(pa.array(rng.integers(len(distinct), size=count)))
    return pa.table(cells, schema=table.schema)


def rarest(table: pa.Table) -> pa.Table:
    """Return one row of the rarest cells; of equally rare ones the last in their order.

    >>> rarest(pa.table({"a": ["x", "x", "y"], "n": [1, 5, 3]})).to_pylist()
    [{'a': 'y', 'n': 5}]
    """
    cells = {}
    for name in table.schema.names:
        counted = pc.value_counts(table[name])
        counts = counted.field("counts")
        values = counted.field("values").filter(pc.equal(counts, pc.min(counts)))
        cells[name] = _sorted(values).drop_null()[-1:] if values.null_count < len(values) else values[:1]
    return pa.table(cells, schema=table.schema)


def unlike(table: pa.Table, row: pa.Table, count: int, rng: np.random.Generator) -> pa.Table:
    """Return so many rows, or all, that have the fewest cells in common with a row: it is alone among them.

    >>> two = pa.table({"a": ["x", "y", "y"]})
    >>> unlike(two, two.slice(0, 1), 2, np.random.default_rng(0)).to_pylist()
    [{'a': 'y'}, {'a': 'y'}]
    """
    shared = np.zeros(table.num_rows)
    for name in table.schema.names:
        cell = row[name][0]
        same = pc.equal(table[name], cell) if cell.is_valid else pc.is_null(table[name])
        shared += same.fill_null(False).to_numpy(zero_copy_only=False)
    places = np.lexsort((rng.random(table.num_rows), shared))[:count]
    return table.take(pa.array(np.sort(places)))


def _sorted(values: pa.Array) -> pa.Array:
    """Return values in their own order: that of the rows has no part in what is made of them."""
    return values.take(pc.array_sort_indices(values))
