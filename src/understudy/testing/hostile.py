"""Checks: tables of an odd shape survive, or are refused with an error of ours."""

from __future__ import annotations

import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.model.recipe import Recipe
from understudy.testing.fitting import Check, fit, in_arrow
from understudy.testing.tables import HOSTILE_WORDS, hostile_tables, hostile_words

__all__ = ["CHECKS"]


def hostile_names_survive(recipe: Recipe) -> None:
    """Column names that break careless code come back as they were."""
    real = hostile_words()
    fake = in_arrow(fit(recipe, real).sample(20, seed=41))
    assert fake.schema.names == real.schema.names, "a hostile column name did not come back as it was"


def hostile_levels_survive(recipe: Recipe) -> None:
    """Levels that break careless code can be drawn and asked for."""
    real = hostile_words()
    name = real.schema.names[0]
    model = fit(recipe, real)
    found = set(in_arrow(model.sample(2_000, seed=42)).column(name).to_pylist())
    strange = found - {*HOSTILE_WORDS, ""}
    assert not strange, f"{len(strange)} levels came back that no row has"
    assert len(found) > len(HOSTILE_WORDS) / 3, "most of the hostile levels never came back"
    wanted = sorted(found)[-1]
    asked = set(in_arrow(model.sample(3, seed=43, where={name: wanted})).column(name).to_pylist())
    assert asked == {wanted}, "asking for a hostile level gave another one"


def _survives(recipe: Recipe, table: pa.Table) -> None:
    """Fit and sample; a refusal must be an error of ours, and a survivor must keep its columns."""
    try:
        fake = in_arrow(fit(recipe, table).sample(25, seed=44))
    except UnderstudyError as error:
        if str(error):
            return
        raise AssertionError("the table was refused without a word") from error
    except Exception as error:
        what = type(error).__name__
        raise AssertionError(f"expected rows, or a refusal by an UnderstudyError; got {what}") from error
    assert fake.num_rows == 25, f"25 rows were asked for and {fake.num_rows} came back"
    assert fake.schema.names == table.schema.names, "the columns have other names or another order"
    assert fake.schema.types == table.schema.types, "the columns have other types"


def _check_on(what: str) -> Check:
    def check(recipe: Recipe) -> None:
        _survives(recipe, hostile_tables()[what])

    check.__name__ = f"a_table_with_{what}_survives_or_is_refused"
    check.__qualname__ = check.__name__
    check.__doc__ = "The table is fitted and sampled, or refused with an error of ours."
    return check


CHECKS: tuple[Check, ...] = (
    hostile_names_survive,
    hostile_levels_survive,
    *(_check_on(what) for what in hostile_tables()),
)
