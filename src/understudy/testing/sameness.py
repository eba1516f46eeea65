"""Checks: what does not change a table does not change its score."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.measuring.measure import Measure
from understudy.result import Result
from understudy.rng import stream
from understudy.table.evidence import Evidence
from understudy.testing.judging import ROWS, MeasureCheck, judge, law, of_verdict, slack, verdict

__all__ = ["CHANGES", "CHECKS", "as_it_is", "told_otherwise"]

Change = Callable[[pa.Table], pa.Table]

_OTHER_WORDS = {"east": "zulu", "north": "mike", "west": "alpha", "no": "top", "yes": "bottom"}


def the_order_of_rows_does_not_matter(measure: Measure) -> None:
    """Tables are shuffled, each on its own."""
    _assert_same(measure, _shuffled, "the rows of all tables were shuffled")


def the_order_of_columns_does_not_matter(measure: Measure) -> None:
    """Columns are turned round; the target is named, so it stays the target."""
    _assert_same(measure, _turned_round, "the columns were turned round")


def the_units_of_quantities_do_not_matter(measure: Measure) -> None:
    """Quantities are told in another unit from another nought, exactly."""
    _assert_same(measure, _in_other_units, "quantities were told in other units")


def the_names_of_levels_do_not_matter(measure: Measure) -> None:
    """Levels get other names, in another alphabetical order."""
    _assert_same(measure, _relabelled, "levels were given other names")


def _assert_same(measure: Measure, change: Change, what: str) -> None:
    plain = of_verdict(measure, "fresh")
    changed, bare = told_otherwise(measure, change), told_otherwise(measure, as_it_is)
    gap = abs(changed.value - bare.value)
    unchanged = gap <= slack(measure) or (np.isnan(changed.value) and np.isnan(bare.value))
    assert unchanged, f"{bare.value:.6g} became {changed.value:.6g} when {what}"
    same_null = abs(changed.null - bare.null) <= max(slack(measure), 3 * (plain.high - plain.low))
    assert same_null or np.isnan(bare.null), f"the null {bare.null:.6g} became {changed.null:.6g} when {what}"


@lru_cache(maxsize=256)
def told_otherwise(measure: Measure, change: Change) -> Result:
    """Judge a fresh sample after a change that must not matter, without a schema that would contradict it."""
    return judge(measure, _without_schema(change))


@lru_cache(maxsize=16)
def _without_schema(change: Change) -> Evidence:
    """Return the evidence of a changed fresh sample; declared bounds and levels would contradict it."""
    tables: dict[str, Any] = {
        "train": law(ROWS, 0),
        "holdout": law(ROWS, 1),
        "reference": law(ROWS, 5),
        "synthetic": verdict("fresh"),
    }
    return Evidence(**{role: change(table) for role, table in tables.items()}, target="well")


def as_it_is(table: pa.Table) -> pa.Table:
    """Change nothing."""
    return table


def _turned_round(table: pa.Table) -> pa.Table:
    return table.select(table.schema.names[::-1])


def _shuffled(table: pa.Table) -> pa.Table:
    return table.take(pa.array(stream(4, "shuffled").permutation(table.num_rows)))


def _in_other_units(table: pa.Table) -> pa.Table:
    changes = {"dose": (4.0, 8.0), "rise": (0.25, -16.0)}
    for name, (factor, nought) in changes.items():
        cells = pc.add(pc.multiply(table.column(name), factor), nought)
        table = table.set_column(table.schema.names.index(name), name, cells)
    return table


def _relabelled(table: pa.Table) -> pa.Table:
    for name in ("ward", "well"):
        words = pa.array(_OTHER_WORDS.get(word) for word in table.column(name).to_pylist())
        table = table.set_column(table.schema.names.index(name), name, words)
    return table


CHANGES: tuple[Change, ...] = (_shuffled, _turned_round, _in_other_units, _relabelled)

CHECKS: tuple[MeasureCheck, ...] = (
    the_order_of_rows_does_not_matter,
    the_order_of_columns_does_not_matter,
    the_units_of_quantities_do_not_matter,
    the_names_of_levels_do_not_matter,
)
