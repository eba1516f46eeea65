"""Small tables whose verdict is known: a law to draw from, and what can be done to its rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LEVELS = np.array(["north", "south", "east", "west"])


def drawn(rows: int, seed: int, *, holes: float = 0.0) -> pa.Table:
    """Draw rows of one law: two quantities and two columns of levels, all associated; some cells missing."""
    rng = np.random.default_rng(seed)
    place = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    age = np.round(rng.normal(40 + 6 * place, 9), 1)
    income = np.round(np.exp(rng.normal(2 + age / 40, 0.5)), 2)
    own = rng.random(rows) < 1 / (1 + np.exp(-(income - 25) / 8))
    mask = rng.random((rows, 2)) < holes
    return pa.table(
        {
            "age": pa.array(age, mask=mask[:, 0]),
            "income": income,
            "place": pa.array(LEVELS[place], mask=mask[:, 1]),
            "own": np.where(own, "yes", "no"),
        }
    )


def shifted(table: pa.Table, by: float = 100.0) -> pa.Table:
    """Add to every quantity, and call the levels by one another's names."""
    turn = dict(zip(LEVELS, np.roll(LEVELS, 1), strict=True)) | {"yes": "no", "no": "yes"}
    columns = {}
    for name in table.schema.names:
        cells = table.column(name)
        numeric = pa.types.is_floating(cells.type)
        columns[name] = pc.add(cells, by) if numeric else pa.array([turn.get(v) for v in cells.to_pylist()])
    return pa.table(columns)


def constant(table: pa.Table, rows: int = 500) -> pa.Table:
    """Repeat the first row."""
    return table.take(pa.array(np.zeros(rows, dtype=np.int64)))


def shuffled_apart(table: pa.Table, seed: int) -> pa.Table:
    """Shuffle every column by itself: the same columns, no association."""
    rng = np.random.default_rng(seed)
    names = table.schema.names
    return pa.table({name: table.column(name).take(rng.permutation(len(table))) for name in names})


def told_otherwise(table: pa.Table, seed: int) -> pa.Table:
    """Say the same in another order of rows and columns, in other units and by other names of levels."""
    order = np.random.default_rng(seed).permutation(len(table))
    columns = {}
    for name in reversed(table.schema.names):
        cells = table.column(name).take(order)
        if pa.types.is_floating(cells.type):
            columns[name] = pc.add(pc.multiply(cells, 0.25), 3.0)  # exact in binary
        else:
            columns[name] = pa.array([None if v is None else v[::-1] for v in cells.to_pylist()])
    return pa.table(columns)
