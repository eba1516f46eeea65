"""Checks: odd tables are judged, or refused with an error of ours; nothing falls over."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.measuring.measure import Measure
from understudy.table.evidence import Evidence
from understudy.testing.judging import MeasureCheck, judge, law
from understudy.testing.results import assert_well_formed
from understudy.testing.tables import half_missing, people

__all__ = ["CHECKS", "ODD"]

FEW = 60
Tables = dict[str, Any]


def _real() -> Tables:
    seeds = {"train": 0, "holdout": 1, "synthetic": 2, "reference": 5}
    return {role: law(FEW, seed) for role, seed in seeds.items()}


def _each(change: Callable[[pa.Table], pa.Table]) -> Tables:
    return {role: change(table) for role, table in _real().items()}


def _cells(name: str, cells: Any) -> Tables:
    """Return tables of which the synthetic one has other cells in a column."""
    tables = _real()
    place = tables["synthetic"].schema.names.index(name)
    return {**tables, "synthetic": tables["synthetic"].set_column(place, name, pa.array(cells))}


def _constant(table: pa.Table) -> pa.Table:
    """Return a table with a constant, a missing and a huge column beside its own."""
    rows = table.num_rows
    table = table.append_column("same", pa.array([7] * rows))
    table = table.append_column("none", pa.nulls(rows, pa.string()))
    return table.append_column("huge", pa.array(np.linspace(-1, 1, rows) * 1e308))


ODD: dict[str, Callable[[], Tables]] = {
    "half_of_the_cells_are_missing": lambda: {
        "train": half_missing(120).slice(0, 60),
        "holdout": half_missing(120).slice(60),
        "synthetic": half_missing(90).slice(0, 50),
        "reference": half_missing(180).slice(120),
    },
    "a_level_was_never_seen": lambda: _cells("ward", ["never"] * 30 + ["east"] * 30),
    "every_level_was_never_seen": lambda: _cells("ward", [f"new {place}" for place in range(FEW)]),
    "the_target_was_never_seen": lambda: _cells("well", ["perhaps"] * FEW),
    "the_target_has_one_level": lambda: _cells("well", ["yes"] * FEW),
    "the_target_is_missing": lambda: _cells("well", pa.nulls(FEW, pa.string())),
    "a_quantity_is_missing": lambda: _cells("rise", pa.nulls(FEW, pa.float64())),
    "a_quantity_is_infinite": lambda: _cells("rise", [np.inf, -np.inf] * 30),
    "a_quantity_is_far_off": lambda: _cells("rise", [1e300, 5e-324, -1e300] * 20),
    "one_quantity_is_all_there_is": lambda: _each(lambda table: table.select(["rise"])),
    "one_category_is_all_there_is": lambda: _each(lambda table: table.select(["well"])),
    "there_are_only_categories": lambda: _each(lambda table: table.select(["ward", "well"])),
    "there_are_only_quantities": lambda: _each(lambda table: table.select(["dose", "rise"])),
    "there_are_two_rows": lambda: {role: table.slice(0, 2) for role, table in _real().items()},
    "there_is_one_row": lambda: {role: table.slice(0, 1) for role, table in _real().items()},
    "the_synthetic_table_has_three_rows": lambda: {**_real(), "synthetic": law(3, 2)},
    "the_training_table_has_three_rows": lambda: {**_real(), "train": law(3, 2)},
    "the_reference_has_three_rows": lambda: {**_real(), "reference": law(3, 5)},
    "there_is_no_reference": lambda: {**_real(), "reference": None},
    "there_is_no_holdout": lambda: {"train": law(FEW, 0), "synthetic": law(FEW, 2)},
    "columns_are_constant_missing_and_huge": lambda: _each(_constant),
    "there_are_times_dates_and_truth_values": lambda: {
        "train": people(120).slice(0, 60),
        "holdout": people(120).slice(60),
        "synthetic": people(180).slice(120),
        "reference": people(240).slice(180),
    },
}


@lru_cache(maxsize=64)
def _odd(name: str) -> Evidence:
    return Evidence(**ODD[name]())


def _check(name: str) -> MeasureCheck:
    def check(measure: Measure) -> None:
        try:
            result = judge(measure, _odd(name))
        except UnderstudyError:
            return
        assert_well_formed(measure, result, name)

    check.__name__ = check.__qualname__ = f"nothing_falls_over_when_{name}"
    check.__doc__ = f"A result, or an error of ours, when {name.replace('_', ' ')}."
    return check


CHECKS: tuple[MeasureCheck, ...] = tuple(_check(name) for name in ODD)
