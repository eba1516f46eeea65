"""Tables become columns and the same tables again, or are refused for what does not fit."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.builtin import load
from understudy.table.columns import from_columns, level_array, level_counts, modelled, to_columns
from understudy.table.infer import complete, infer
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.table.table import Table

DAY = dt.date(2024, 1, 1)
MODELLED = {"numerical", "boolean", "categorical", "ordinal", "datetime", "date", "time", "duration"}


def back(arrow, schema):
    return from_columns(to_columns(arrow, schema), schema, len(arrow), np.random.default_rng(0))


def schema_of(cells, **parts):
    table = Table(pa.table({"c": cells}))
    return complete(Schema(columns=(Column(name="c", **parts),)), table), table.to_arrow()


holes = st.integers(0, 3)
finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
days = st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1))
moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1))
CELLS = {
    **{f"int{bits}": (st.integers(-(2 ** (bits - 2)) + 1, 2 ** (bits - 2) - 1), kind)
       for bits, kind in ((8, pa.int8()), (16, pa.int16()), (32, pa.int32()), (64, pa.int64()))},
    **{f"uint{bits}": (st.integers(0, 2 ** (bits - 2) - 1), kind)
       for bits, kind in ((8, pa.uint8()), (32, pa.uint32()), (64, pa.uint64()))},
    "float32": (finite, pa.float32()),
    "float64": (st.floats(allow_nan=False, allow_infinity=False), pa.float64()),
    "decimal": (st.decimals(-10**9, 10**9, places=3), pa.decimal128(20, 3)),
    "decimal256": (st.decimals(-10**9, 10**9, places=2), pa.decimal256(60, 12)),
    "bool": (st.booleans(), pa.bool_()),
    "string": (st.sampled_from(["", "a", "é", "NA", "007", " x"]), pa.string()),
    "large": (st.sampled_from(["a", "b", "c"]), pa.large_string()),
    "dictionary": (st.sampled_from(["a", "b", "c"]), pa.dictionary(pa.int8(), pa.string())),
    "date32": (days, pa.date32()), "date64": (days, pa.date64()),
    "timestamp_ns": (moments, pa.timestamp("ns")), "timestamp_us": (moments, pa.timestamp("us")),
    "zoned": (moments, pa.timestamp("us", "Europe/Berlin")), "time": (st.times(), pa.time64("us")),
    "duration": (st.timedeltas(dt.timedelta(-9999), dt.timedelta(9999)), pa.duration("us")),
}  # fmt: skip


@settings(max_examples=60)
@given(st.data())
def test_a_random_table_of_all_types_comes_back_cell_by_cell(data):
    rows = data.draw(st.integers(1, 30))
    arrays = {}
    for name in data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=5, unique=True)):
        cells, kind = CELLS[name]
        drawn = data.draw(st.lists(cells | st.none() if data.draw(st.booleans()) else cells,
                                   min_size=rows, max_size=rows))  # fmt: skip
        arrays[name] = (
            pa.array(drawn, kind.value_type).cast(kind)
            if pa.types.is_dictionary(kind)
            else pa.array(drawn, kind)
        )
    arrow = pa.table(arrays)
    schema = infer(Table(arrow))
    kept = [c.name for c in schema.columns if c.kind in MODELLED | {"constant", "all_missing"}]
    again = back(arrow, schema)
    assert again.schema.equals(arrow.schema)
    for name in kept:
        left, right = again.column(name), arrow.column(name)
        if pa.types.is_dictionary(left.type):
            left, right = left.cast(pa.string()), right.cast(pa.string())
        assert left.equals(right), name


def test_the_arrays_are_codes_steps_and_floats():
    arrow = load("people", rows=200).to_arrow()
    schema = infer(Table(arrow))
    columns = to_columns(arrow, schema)
    assert list(columns) == [column.name for column in modelled(schema)]
    assert columns["sex"].dtype == np.int32
    assert columns["income"].dtype == np.int64
    assert columns["height_cm"].dtype == np.float64
    assert (columns["income"] == MISSING_STEP).sum() == arrow.column("income").null_count
    assert (columns["member"] == -1).sum() == arrow.column("member").null_count
    assert level_counts(schema) == {"sex": 2, "education": 5, "sector": 7, "member": 2} | {
        "town": len(schema.column("town").levels.values)
    }


def test_the_people_come_back_and_their_ids_do_not():
    arrow = load("people", rows=300).to_arrow()
    schema = infer(Table(arrow))
    again = back(arrow, schema)
    assert again.schema.equals(arrow.schema)
    for name in arrow.schema.names:
        assert again.column(name).equals(arrow.column(name)) == (name != "person_id")
    ids = again.column("person_id").to_pylist()
    assert len(set(ids)) == 300
    assert not set(ids) & set(arrow.column("person_id").to_pylist())


def test_columns_of_several_chunks_and_of_none_are_read():
    chunks = pa.chunked_array([[1, 2], [None, 30]])
    schema, arrow = schema_of(chunks, kind="numerical")
    assert to_columns(arrow, schema)["c"].tolist() == [1, 2, MISSING_STEP, 30]
    assert to_columns(arrow.slice(0, 0), schema)["c"].tolist() == []


def test_an_ignored_column_is_left_out_of_the_output():
    arrow = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    schema = complete(
        Schema(columns=(Column(name="a", kind="numerical"), Column(name="b", kind="ignore"))), Table(arrow)
    )
    assert back(arrow, schema).schema.names == ["a"]


def test_names_that_do_not_agree_are_refused_and_listed():
    schema = Schema(columns=tuple(Column(name=f"c{i}", kind="ignore") for i in range(7)))
    with pytest.raises(SchemaError, match=r"lacks 7 columns of the schema: 'c0', .*, \.\.\."):
        to_columns(pa.table({"x": [1]}), schema)
    with pytest.raises(SchemaError, match="does not name 1 of its columns: 'x'"):
        to_columns(pa.table({**{f"c{i}": [1] for i in range(7)}, "x": [1]}), schema)


@pytest.mark.parametrize(("cells", "parts", "message"), [
    (["a", "secret"], {"kind": "categorical", "levels": Levels(values=("a", "b"))}, "1 rows hold"),
    ([1, 99], {"kind": "ordinal", "levels": Levels(values=(1, 2))}, "1 rows hold"),
    ([1, 99], {"kind": "numerical", "bounds": Bounds(low=0, high=10)}, "1 rows lie"),
    ([0.5, 99.25], {"kind": "numerical", "bounds": Bounds(low=0, high=10)}, "1 rows lie"),
    ([1 / 3, 99.1234567], {"kind": "numerical", "bounds": Bounds(low=0, high=10)}, "1 rows lie"),
    ([Decimal("99.5")], {"kind": "numerical", "bounds": Bounds(low="0.5", high="10.5")}, "1 rows lie"),
    ([DAY], {"kind": "date", "bounds": Bounds(low="2020-01-01", high="2020-12-31")}, "1 rows lie"),
    ([dt.time(9)], {"kind": "time", "bounds": Bounds(low="10:00:00", high="12:00:00")}, "1 rows lie"),
    ([DAY], {"kind": "date", "bounds": Bounds(low="2025-01-01", high="2020-12-31")}, "low end"),
    ([1, 2], {"kind": "numerical", "bounds": Bounds(low=0.5, high=10)}, "does not fit"),
    ([DAY], {"kind": "date", "bounds": Bounds(low="x", high="y")}, "does not fit"),
    ([1.5, 2 / 3], {"kind": "numerical", "bounds": Bounds(low=0, high=10**400)}, "larger than any float"),
    ([1.5, float("inf")], {"kind": "numerical"}, "1 rows are infinite"),
    (["x"], {"kind": "categorical", "type": "int64", "levels": Levels(values=(1, 2))}, "does not fit"),
    ([1, None], {"kind": "numerical", "nullable": False}, "1 rows are missing"),
    (["a", None], {"kind": "categorical", "nullable": False}, "1 rows are missing"),
])  # fmt: skip
def test_rows_that_do_not_fit_are_counted_and_never_shown(cells, parts, message):
    schema, arrow = schema_of(cells, **parts)
    with pytest.raises(SchemaError, match=f"^column 'c': .*{message}") as caught:
        to_columns(arrow, schema)
    assert "secret" not in str(caught.value)
    assert "99" not in str(caught.value)


@pytest.mark.parametrize("source", ["observed", "bought", "declared"])
def test_bounds_bind_whatever_their_source(source):
    # A hand that edits a schema file seldom edits the source: an ignored edit would be worse than a refusal.
    schema, arrow = schema_of([1, 99], kind="numerical", bounds=Bounds(low=0, high=10, source=source))
    with pytest.raises(SchemaError, match=f"1 rows lie outside its {source} bounds; widen them"):
        to_columns(arrow, schema)


@pytest.mark.parametrize(("kind", "values", "cells"), [
    ("string", ("a", "b"), ["a", "b"]), ("int8", (1, 2.0), [1, 2]), ("double", (1, 2.5), [1.0, 2.5]),
    ("uint64", (2**64 - 1, 1), [2**64 - 1, 1]),
    ("decimal128(5, 2)", (1, 2.25), [Decimal("1.00"), Decimal("2.25")]),
    ("date32[day]", ("2024-01-01",), [dt.date(2024, 1, 1)]), ("bool", (False, True), [False, True]),
    ("timestamp[s, tz=UTC]", ("2024-01-01 00:00:00Z",), [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]),
    ("string", (1, 2), ["1", "2"]), ("time32[s]", ("08:30:00",), [dt.time(8, 30)]),
    ("duration[s]", ("90 s",), [dt.timedelta(seconds=90)]), ("large_string", (1.5,), ["1.5"]),
])  # fmt: skip
def test_levels_are_read_as_cells_of_the_columns_type(kind, values, cells):
    column = Column(name="c", kind="categorical", type=kind, levels=Levels(values=values))
    assert level_array(column).to_pylist() == cells


@pytest.mark.parametrize(("kind", "values"), [
    ("int64", ("x",)), ("int64", (1.5,)), ("int8", (300,)), ("uint8", (-1,)), ("date32[day]", ("soon",)),
    ("date32[day]", (1,)), ("bool", ("perhaps",)), ("int64", (10**30,)), ("decimal128(3, 1)", (0.25,)),
])  # fmt: skip
def test_levels_that_do_not_fit_their_type_are_refused_without_being_told(kind, values):
    column = Column(name="c", kind="categorical", type=kind, levels=Levels(values=values))
    with pytest.raises(SchemaError, match=r"^column 'c': its levels do not fit the type") as caught:
        level_array(column)
    assert str(values[0]) not in str(caught.value).replace(kind, "")


def test_missing_ids_and_constants_are_missing_as_often_as_the_schema_says():
    parts = {"missing": Missing(rate=0.25), "type": "string"}
    schema = Schema(columns=(
        Column(name="a", kind="id", **parts),
        Column(name="b", kind="constant", levels=Levels(values=("x",)), **parts),
        Column(name="c", kind="id", nullable=False, **parts),
    ))  # fmt: skip
    made = from_columns({}, schema, 4_000, np.random.default_rng(1))
    # Five standard deviations of a count with rate 1/4 in 4,000 rows: 137.
    assert abs(made.column("a").null_count - 1_000) < 137
    assert abs(made.column("b").null_count - 1_000) < 137
    assert made.column("c").null_count == 0
    present = made.column("a").drop_null().to_pylist()
    assert len(set(present)) == len(present)


def test_codes_say_where_ids_and_constants_are_missing():
    columns = (
        Column(name="key", kind="id", type="string", template="K99", missing=Missing(rate=0.5)),
        Column(name="one", kind="constant", type="int64", levels=Levels(values=(7,))),
    )
    codes = np.array([0, -1, 0], dtype=np.int32)
    made = from_columns({"key": codes, "one": codes}, Schema(columns=columns), 3, np.random.default_rng(0))
    assert made.column("one").to_pylist() == [7, None, 7]
    assert [cell is None for cell in made.column("key").to_pylist()] == [False, True, False]


def test_a_column_without_nulls_says_missing_as_nan():
    field = pa.field("c", pa.float64(), nullable=False)
    for cells in ([1.5, float("nan")], [1 / 3, float("nan")]):
        arrow = pa.table([pa.array(cells)], schema=pa.schema([field]))
        again = back(arrow, infer(Table(arrow)))
        assert again.column("c").null_count == 0
        assert np.isnan(again.column("c").to_numpy()[1])
        again.validate(full=True)


@pytest.mark.parametrize(
    "values", [pa.array([10, 20]), pa.array([1.5, 2.5]), pa.array([dt.date(2024, 1, 1)] * 2)]
)
def test_dictionaries_of_anything_come_back_as_dictionaries(values):
    cells = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int8()), values)
    numbers = not pa.types.is_date(values.type)
    schema, arrow = schema_of(cells, kind="numerical" if numbers else "date")
    again = back(arrow, schema)
    assert again.schema.field("c").type == cells.type
    assert again.column("c").to_pylist() == arrow.column("c").to_pylist()


def test_more_levels_than_a_dictionary_can_number_are_refused():
    values = tuple(f"w{i}" for i in range(200))
    column = Column(name="c", kind="categorical", type="dictionary<values=string, indices=int8, ordered=0>",
                    levels=Levels(values=values))  # fmt: skip
    codes = {"c": np.arange(200, dtype=np.int32)}
    with pytest.raises(SchemaError, match="200 different values do not fit the type"):
        from_columns(codes, Schema(columns=(column,)), 200, np.random.default_rng(0))


def test_how_cells_were_written_travels_along():
    column = Column(name="c", kind="numerical", type="double", resolution=0.01, form={"decimals": "2"})
    made = from_columns({"c": np.array([150])}, Schema(columns=(column,)), 1, np.random.default_rng(0))
    assert made.schema.field("c").metadata == {b"understudy.decimals": b"2"}
    assert made.column("c").to_pylist() == [1.5]


def test_minus_zero_is_the_level_zero():
    cells = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), pa.array([-0.0, 0.0, 1.5]))
    schema = infer(Table(pa.table({"c": cells})))
    assert to_columns(pa.table({"c": cells}), schema)["c"].tolist() == [0, 0, 1, -1]


def test_levels_of_a_column_without_any_value_come_back_in_its_type():
    cells = pa.DictionaryArray.from_arrays(pa.nulls(3, pa.int8()), pa.array(["low", "high"]), ordered=True)
    schema = infer(Table(pa.table({"c": cells})))
    drawn = from_columns({"c": np.array([-1, -1], dtype=np.int32)}, schema, 2, np.random.default_rng(0))
    assert drawn.column("c").chunk(0).dictionary.to_pylist() == ["low", "high"]
    assert drawn.column("c").null_count == 2
    assert drawn.column("c").type == cells.type


def test_bounds_that_were_looked_up_in_far_off_years_do_not_stop_their_own_rows():
    cells = pa.array([-(10**11), 10**12, None], pa.timestamp("s"))
    schema = infer(Table(pa.table({"c": cells})))
    assert to_columns(pa.table({"c": cells}), schema)["c"].tolist()[2] == np.iinfo(np.int64).min
