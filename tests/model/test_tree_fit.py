"""The tree is learned under the names it is given, from exact tables and from noisy ones alike."""

import numpy as np
import pyarrow as pa
import pytest

from understudy.model.tree_fit import TreeFit
from understudy.privacy import Ledger, Vault
from understudy.progress import Silent
from understudy.table.columns import to_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

TREE = TreeFit("one.choose", "one.measure")


def copies(n=2_000):
    """Return a, a noisy copy of it, and a column that has nothing to do with them."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.9, a, rng.integers(0, 3, n))
    return pa.table({"a": a.astype(str), "b": b.astype(str), "c": rng.integers(0, 3, n).astype(str)})


def test_the_most_telling_pair_is_on_the_tree():
    table = copies()
    schema = Schema.infer(Table(table))
    ledger = Ledger()
    sampler = TREE.learn(Vault(to_columns(table, schema), ledger), schema, Silent())
    assert (0, 1) in sampler.model.tree.cliques
    assert [entry.infinite for entry in ledger.entries] == [True]


def test_reads_have_the_names_that_were_given_and_shares_of_one_whole():
    schema = Schema.infer(Table(copies())).declare()
    margins, choose, measure = TREE.asks(schema)
    assert (choose.name, measure.name) == ("one.choose", "one.measure")
    assert (choose.count, measure.count) == (2, 2)
    assert margins.share + choose.share + measure.share == pytest.approx(1.0)


def test_one_column_has_no_pairs_to_ask_for():
    schema = Schema.infer(Table(copies().select(["a"]))).declare()
    assert [ask.form for ask in TREE.asks(schema)] == ["counts"]
