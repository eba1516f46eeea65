import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from understudy.errors import SchemaError
from understudy.table.declared import declarations
from understudy.table.schema import Schema
from understudy.table.table import Table


def breaks(cells, **column):
    """Which cells break which declared part."""
    table = pa.table({"x": cells})
    full = {"name": "x", "type": str(table.schema.field("x").type), **column}
    schema = Schema.model_validate({"columns": [full]})
    return {part: broken(table).tolist() for _, part, broken in declarations(schema)}


def test_numbers_outside_their_bounds_break_them_and_missing_ones_do_not():
    bounds = {"low": 0, "high": 2.5}
    assert breaks([-1.0, 0.0, 2.5, 3.0, None], kind="numerical", bounds=bounds) == {
        "bounds": [True, False, False, True, False]
    }


def test_bounds_of_decimals_and_of_short_floats_are_exact():
    bounds = {"low": "0.10", "high": "0.30"}
    assert breaks([Decimal("0.10"), Decimal("0.31")], kind="numerical", bounds=bounds)["bounds"] == [
        False,
        True,
    ]
    short = pa.array([0.1, 0.3], pa.float32())
    assert breaks(short, kind="numerical", bounds={"low": 0.1, "high": 0.3})["bounds"] == [False, False]


def test_times_outside_their_bounds_break_them():
    cells = pa.array([dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)], pa.timestamp("us"))
    bounds = {"low": "2020-01-01", "high": "2020-12-31 23:59:59"}
    assert breaks(cells, kind="datetime", bounds=bounds)["bounds"] == [False, True]
    lengths = pa.array([60, 61], pa.int64()).view(pa.duration("s"))
    assert breaks(lengths, kind="duration", bounds={"low": "0 s", "high": "60 s"})["bounds"] == [False, True]


def test_levels_that_are_not_declared_break_them():
    levels = {"values": ["a", "b"]}
    assert breaks(["a", "c", None], kind="categorical", levels=levels) == {"levels": [False, True, False]}


def test_levels_in_another_type_are_told_apart():
    column = {"kind": "categorical", "type": "int64", "levels": {"values": [1, 2]}}
    assert breaks(["1", "2", "many"], **column)["levels"] == [False, False, True]
    assert breaks([1.0, 2.5], **column)["levels"] == [False, True]
    assert breaks(pa.array(["1", "3"]).dictionary_encode(), **column)["levels"] == [False, True]


def test_missing_cells_break_a_column_that_has_none():
    assert breaks([1, None], kind="numerical", nullable=False) == {"missing": [False, True]}


def test_values_between_two_steps_break_the_resolution():
    found = breaks([0.1, 0.1 + 0.2, 0.15, 1e6, 1e6 + 0.05, None], kind="numerical", resolution=0.1)
    assert found == {"resolution": [False, False, True, False, True, False]}
    assert breaks([1.0, 1.5], kind="numerical", type="int64", resolution=1)["resolution"] == [False, True]


def test_times_between_two_steps_break_the_resolution():
    cells = pa.array([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 30)], pa.timestamp("ns"))
    assert breaks(cells, kind="datetime", resolution="hour")["resolution"] == [False, True]


def test_infinity_is_outside_every_bound_and_on_every_grid():
    inf = float("inf")
    found = breaks([inf, -inf, 1e300], kind="numerical", resolution=0.01, bounds={"low": 0, "high": 1})
    assert found == {"bounds": [True, True, True], "resolution": [False, False, False]}


def test_what_was_observed_is_no_declaration():
    schema = Schema.infer(Table(pa.table({"a": [1, 2, 5] * 20, "s": ["x", "y", "z"] * 20})))
    assert list(declarations(schema)) == []
    assert {part for _, part, _ in declarations(schema.declare())} == {"levels"} | (
        {"bounds", "resolution"} if schema.column("a").kind == "numerical" else set()
    )


def test_what_is_not_judged_declares_nothing():
    columns = [{"name": name, "kind": name, "nullable": False} for name in ("id", "text", "ignore")]
    assert list(declarations(Schema.model_validate({"columns": columns}))) == []


def test_a_schema_that_leaves_a_type_open_is_refused():
    schema = Schema.model_validate(
        {"columns": [{"name": "x", "kind": "numerical", "bounds": {"low": 0, "high": 1}}]}
    )
    ((_, _, broken),) = declarations(schema)
    with pytest.raises(SchemaError, match="column 'x': the schema leaves its type open"):
        broken(pa.table({"x": [1]}))
