"""What methods of marginals are audited on: the methods, and pairs of tables that are hard on them."""

from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path

import pyarrow as pa

from understudy import synth
from understudy.model.recipe import Recipe
from understudy.model.rows_sampler import RowsSampler
from understudy.model.tree_sampler import TreeSampler
from understudy.table.read import read
from understudy.table.schema import Schema
from understudy.testing.two_worlds import TwoWorlds

__all__ = ["bare", "declared", "marginal_methods"]

# What is made of released tables is post-processing: a few steps of it say as much as many.
_FEW = {"steps": 2, "final_steps": 2, "rounds": 1, "sweeps": 1, "most_rows": 1_000}
HALF = 200


def marginal_methods() -> dict[str, Recipe]:
    """Return every private method of marginals by its name, as cheap as its settings make it.

    >>> "mst" in marginal_methods()
    True
    """
    found = {name: synth.get(name) for name in synth.names()}
    return {
        name: method(**{f.name: _FEW[f.name] for f in fields(method) if f.name in _FEW})  # type: ignore[arg-type]
        for name, method in found.items()
        if method.private and issubclass(method.sampler, TreeSampler | RowsSampler)
    }


def declared() -> TwoWorlds:
    """Return worlds of three declared columns that are all alike, and a row that breaks two of three pairs.

    All pairs are equally far from independence, and the row moves one of them up and the others down: no row
    of any table moves a choice among them farther. Cells are full enough to stand by themselves.
    """
    rows = [("x", "x", "x")] * HALF + [("y", "y", "y")] * HALF + [("x", "x", "y")]
    table = read(pa.table(dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True))))
    return TwoWorlds("declared", table, Schema.infer(table).declare())


def bare() -> TwoWorlds:
    """Return worlds of a few lines of CSV, nothing declared, and a row of values that no other row has."""
    lines = ["c,d,n", "x,u,1", "x,u,2", "y,v,2", "x,v,3", "y,u,1", "x,u,3", "z,w,1000"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bare.csv"
        path.write_text("\n".join(lines) + "\n")
        return TwoWorlds("bare", read(path))
