"""Checks: the synthetic table has the shape of the real one."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import ParameterError
from understudy.model.recipe import Recipe
from understudy.table.schema import Column, Schema
from understudy.table.table import Table
from understudy.testing.fitting import Check, fit, fit_people, in_arrow, refused
from understudy.testing.tables import people

__all__ = ["CHECKS"]


def the_schema_is_kept(recipe: Recipe) -> None:
    """Names, their order, types and nullability are those of the table that was fitted."""
    real = people()
    strict = pa.schema([field.with_nullable(field.name in {"income", "member"}) for field in real.schema])
    real = real.select(strict.names).drop_columns(["fax", "waited"])
    real = real.cast(pa.schema([strict.field(name) for name in real.schema.names]))
    fake = in_arrow(fit(recipe, real).sample(50, seed=1))
    assert fake.schema.names == real.schema.names, "the columns have other names or another order"
    for wanted, found in zip(real.schema, fake.schema, strict=True):
        assert found.type == wanted.type, f"column {wanted.name!r}: type {wanted.type} became {found.type}"
        assert found.nullable == wanted.nullable, f"column {wanted.name!r}: its nullability changed"
        assert wanted.nullable or fake.column(wanted.name).null_count == 0, (
            f"column {wanted.name!r} is never missing, and rows without it came back"
        )


def the_row_count_is_exact(recipe: Recipe) -> None:
    """Asking for n rows gives n rows, for none, one, few, as many and more than there were."""
    model, held = fit_people(recipe), people().num_rows
    for rows in (0, 1, 7, held, 3 * held):
        found = in_arrow(model.sample(rows, seed=1)).num_rows
        assert found == rows, f"{rows} rows were asked for and {found} came back"


def a_row_count_that_is_no_whole_number_is_refused(recipe: Recipe) -> None:
    """Negative, broken and non-numeric row counts are refused."""
    model = fit_people(recipe)
    for rows in (-1, 1.5, "7", True, None, float("nan")):
        refused(lambda rows=rows: model.sample(rows), ParameterError, f"rows={rows!r}")  # type: ignore[misc]


def numbers_stay_inside_their_bounds(recipe: Recipe) -> None:
    """No number and no time lies below the smallest or above the largest real one."""
    real, fake = people(), in_arrow(fit_people(recipe).sample(500, seed=2))
    for column in Schema.infer(Table(real)).columns:
        if column.bounds is not None:
            wanted, found = (pc.drop_null(t.column(column.name)).to_pylist() for t in (real, fake))
            inside = min(found) >= min(wanted) and max(found) <= max(wanted)
            assert inside, f"column {column.name!r}: values outside its bounds came back"


def levels_are_those_of_the_schema(recipe: Recipe) -> None:
    """Every level is one that the real table has, also when the schema declares one that no row holds."""
    model, real = fit_people(recipe), people()
    fake = in_arrow(model.sample(500, seed=3))
    for column in Schema.infer(Table(real)).columns:
        if column.levels is not None:
            known = {*real.column(column.name).to_pylist(), None}
            unknown = set(fake.column(column.name).to_pylist()) - known
            assert not unknown, f"column {column.name!r}: {len(unknown)} levels came back that no row has"


def a_column_to_ignore_is_left_out(recipe: Recipe) -> None:
    """A column that the schema tells to ignore is not in the sample; the others are."""
    real = people()
    schema = Schema.infer(Table(real))
    ignored = Column(name="income", kind="ignore", type=schema.column("income").type)
    columns = tuple(ignored if column.name == "income" else column for column in schema.columns)
    fake = in_arrow(fit(recipe, real, schema=Schema(columns=columns)).sample(20, seed=4))
    wanted = [name for name in real.schema.names if name != "income"]
    assert fake.schema.names == wanted, "the columns are not all but the one to ignore"


CHECKS: tuple[Check, ...] = (
    the_schema_is_kept,
    the_row_count_is_exact,
    a_row_count_that_is_no_whole_number_is_refused,
    numbers_stay_inside_their_bounds,
    levels_are_those_of_the_schema,
    a_column_to_ignore_is_left_out,
)
