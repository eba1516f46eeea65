"""Splits: disjoint, complete, the same for the same seed; and a rehearsal that learns its part alone."""

import pyarrow as pa
import pytest

from understudy.errors import TooFewRows
from understudy.privacy import Budget
from understudy.study.splitting import halves, rehearse
from understudy.synth.copy import Copy
from understudy.synth.mst import MST
from understudy.table.table import Table


def numbers(size):
    return Table(pa.table({"x": [float(n) for n in range(size)]}))


def cells(*tables):
    return sorted(cell for table in tables for cell in table.to_arrow()["x"].to_pylist())


def test_halves_are_disjoint_and_all_rows_are_in_them():
    table = numbers(51)
    assert cells(*halves(table, 1)) == cells(table)
    assert [cells(half) for half in halves(table, 1)] == [cells(half) for half in halves(table, 1)]
    assert cells(halves(table, 1)[0]) != cells(halves(table, 2)[0])
    assert halves(numbers(19), 0) is None


def test_a_rehearsal_copies_only_rows_that_it_learned():
    table = numbers(100)
    found = rehearse(table, Copy(), None, seed=3)
    assert cells(found.train, found.holdout, found.reference) == cells(table)
    assert [len(part) for part in (found.train, found.holdout, found.reference)] == [60, 20, 20]
    assert set(cells(found.synthetic)) <= set(cells(found.train))
    assert cells(found.train) == [float(place) for place in found.places]


def test_a_rehearsal_spends_the_budget_that_it_is_given():
    table = Table(pa.table({"y": ["a", "b", "b"] * 200}))
    assert len(rehearse(table, MST(), Budget(epsilon=1.0, delta=1e-6), seed=0).synthetic) == 360


def test_too_few_rows_cannot_be_divided():
    with pytest.raises(TooFewRows, match="holdout"):
        rehearse(numbers(10), Copy(), None, seed=0)
