"""Checks: every row of a sample keeps the rules of the schema, although the rows that were learned do not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.rng import stream
from understudy.table.rules import broken_rows, rules_of
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.fitting import Check, fit, in_arrow, refused

__all__ = ["CHECKS"]

_ROWS = 60
_RULES = (
    "net + tax == gross",
    "first <= last",
    "age >= 18",
    "ward == 'west' implies beds > 0",
    "member == false implies since is missing",
    "ward != 'north' implies nurse == 'yes'",
    "beds != 4",
)


def rules_hold_in_every_row(recipe: Recipe) -> None:
    """Sums, orders, levels, missing cells, one where another holds."""
    model = _fit_bills(recipe)
    for rows in (1, _ROWS):
        _hold(model, in_arrow(model.sample(rows, seed=81)), rows)


def rules_hold_under_conditions(recipe: Recipe) -> None:
    """Conditions and rules hold in the same rows, also where a condition is on what a rule works out."""
    model = _fit_bills(recipe)
    wanted: dict[str, Mapping[str, Any]] = {
        "gross": {"gross": (300.0, 800.0)},
        "ward": {"ward": "west", "since": None},
    }
    for where in wanted.values():
        fake = in_arrow(model.sample(_ROWS, seed=82, where=where))
        _hold(model, fake, _ROWS)
    gross = in_arrow(model.sample(_ROWS, seed=82, where=wanted["gross"])).column("gross").to_pylist()
    assert all(value is not None and 300 <= value <= 800 for value in gross), (
        "a rule moved a cell out of what was asked for"
    )


def rules_that_exclude_each_other_end_in_an_error(recipe: Recipe) -> None:
    """No row is made up that keeps some of them."""
    model = fit(recipe, _bills(), schema=_schema("age < 30", "age > 40", "age is not missing"))
    refused(lambda: model.sample(9), UnderstudyError, "rules that exclude each other")


@lru_cache(maxsize=4)
def _fit_bills(recipe: Recipe) -> Model:
    return fit(recipe, _bills(), schema=_schema(*_RULES))


def _hold(model: Model, fake: pa.Table, rows: int) -> None:
    assert fake.num_rows == rows, f"{rows} rows were asked for and {fake.num_rows} came back"
    schema = _schema(*_RULES).model_copy(update={"columns": model.schema.columns})
    for rule in rules_of(schema):
        wrong = int(broken_rows(rule, fake, schema).sum())
        assert not wrong, f"{wrong} of {rows} rows break the rule `{rule}`"


def _schema(*rules: str) -> Schema:
    return Schema.infer(Table(_bills())).model_copy(update={"rules": rules})


@lru_cache(maxsize=1)
def _bills(rows: int = 150) -> pa.Table:
    """Return a table whose columns have nothing to do with each other, so that many rows break a rule."""
    rng = stream(8, "bills")
    days = rng.integers(18_000, 18_400, (2, rows)).astype(np.int32)
    return pa.table(
        {
            "net": np.round(rng.gamma(3.0, 200.0, rows), 2),
            "tax": np.round(rng.gamma(2.0, 60.0, rows), 2),
            "gross": pa.array(np.round(rng.gamma(3.0, 260.0, rows), 2), mask=rng.random(rows) < 0.1),
            "first": pa.array(days[0]).view(pa.date32()),
            "last": pa.array(days[1]).view(pa.date32()),
            "age": pa.array(rng.integers(10, 90, rows), mask=rng.random(rows) < 0.1),
            "ward": rng.choice(["west", "east", "north"], rows),
            "beds": rng.integers(0, 9, rows),
            "nurse": rng.choice(["yes", "no"], rows),
            "member": rng.random(rows) < 0.5,
            "since": pa.array(rng.integers(2_000, 2_020, rows), mask=rng.random(rows) < 0.3),
        }
    )


CHECKS: tuple[Check, ...] = (
    rules_hold_in_every_row,
    rules_hold_under_conditions,
    rules_that_exclude_each_other_end_in_an_error,
)
