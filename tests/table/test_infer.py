"""What a column is found to be, in one table of small columns, and what is left for the schema to say."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import SchemaError
from understudy.table.builtin import load
from understudy.table.infer import complete, infer
from understudy.table.kinds import FEW, FEWEST_ROWS, MANY_ROWS, NEARLY_ALL
from understudy.table.schema import Bounds, Column, Schema
from understudy.table.table import Table

N = 40
SENTENCE = "the patient came back after {} days and felt much better than before"
DAY = dt.date(2024, 1, 1)


def inferred(cells, name="c", kind=None):
    return infer(
        Table(pa.table({name: pa.array(cells, kind) if isinstance(cells, list) else cells}))
    ).columns[0]


# name, cells, Arrow type (None: as pyarrow guesses), kind
KINDS = [
    ("whole numbers", [i * i for i in range(N)], None, "numerical"),
    ("whole numbers with a hole", [None, *(i * i for i in range(N))], None, "numerical"),
    ("few whole numbers", [i % FEW for i in range(N)], None, "ordinal"),
    ("one more than few", [i % (FEW + 1) for i in range(N)], None, "numerical"),
    ("few whole numbers in few rows", [1, 2, 1, 2], None, "numerical"),
    ("small unsigned numbers", [i % 3 for i in range(N)], pa.uint8(), "ordinal"),
    ("one number with holes", [7, None] * N, None, "ordinal"),
    ("a sequence", list(range(100, 100 + N)), None, "id"),
    ("a sequence out of order", [(i * 7) % N for i in range(N)], None, "id"),
    ("a sequence with a hole", [None, *range(N)], None, "id"),
    ("a sequence of too few rows", list(range(FEWEST_ROWS - 1)), None, "numerical"),
    ("customer_id", [i * 37 for i in range(N)], None, "id"),
    ("customerID", [i * 37 for i in range(N)], None, "id"),
    ("ID", [i * 37 for i in range(N)], None, "id"),
    ("key", [i * 37 for i in range(N)], None, "id"),
    ("humid", [i * 37 for i in range(N)], None, "numerical"),
    ("paid", [i * 37 for i in range(N)], None, "numerical"),
    ("repeated_id", [i * 37 % 20 for i in range(N)], None, "numerical"),
    ("decimals", [Decimal(i * i) / 100 for i in range(N)], pa.decimal128(10, 2), "numerical"),
    ("whole decimals", [Decimal(i * i * i) for i in range(N)], pa.decimal128(20, 0), "numerical"),
    ("few whole decimals", [Decimal(i % 4) for i in range(N)], pa.decimal128(20, 0), "ordinal"),
    ("huge numbers, all different", [2**63 + i * i for i in range(N)], pa.uint64(), "id"),
    ("huge numbers, repeated", [2**63 + i % 4 for i in range(N)], pa.uint64(), "categorical"),
    ("huge decimals, repeated", [Decimal(10**30 + i % 4) for i in range(N)], pa.decimal128(38, 0),
     "categorical"),
    ("fine decimals, repeated", [Decimal(i % 4) / 10**10 + 10**15 for i in range(N)], pa.decimal128(38, 10),
     "categorical"),
    ("long decimals, small steps", [Decimal(i * i) / 4 for i in range(N)], pa.decimal128(38, 20),
     "numerical"),
    ("floats", [i / 7 for i in range(N)], None, "numerical"),
    ("whole floats", [float(i % 3) for i in range(N)], None, "numerical"),
    ("single floats", [i / 7 for i in range(N)], pa.float32(), "numerical"),
    ("half floats", [i / 2 for i in range(N)], pa.float16(), "numerical"),
    ("floats with NaN", [float("nan"), *(i / 7 for i in range(N))], None, "numerical"),
    ("one float", [2.5] * N, None, "constant"),
    ("one float and NaN", [2.5, float("nan")] * N, None, "numerical"),
    ("NaN only", [float("nan")] * N, None, "all_missing"),
    ("nothing", [None] * N, pa.string(), "all_missing"),
    ("nothing of no type", [None] * N, pa.null(), "all_missing"),
    ("truth", [True, False, None] * N, None, "boolean"),
    ("only true", [True] * N, None, "boolean"),
    ("words", ["a", "b"] * N, None, "categorical"),
    ("words of a large type", ["a", "b"] * N, pa.large_string(), "categorical"),
    ("words of a view type", ["a", "b"] * N, pa.string_view(), "categorical"),
    ("words with holes", ["a", None] * N, None, "categorical"),
    ("one word", ["a"] * N, None, "constant"),
    ("the empty word", [""] * N, None, "constant"),
    ("different words", [f"w{i}" for i in range(N)], None, "id"),
    ("different words of a view type", [f"w{i}" for i in range(N)], pa.string_view(), "id"),
    ("different words, one missing", [None, *(f"w{i}" for i in range(N))], None, "id"),
    ("different words in few rows", [f"w{i}" for i in range(5)], None, "categorical"),
    ("patient_id", [float("nan"), *(float(i * 37) for i in range(N))], None, "id"),
    ("id", [None, 1012.0, 2044.0], None, "id"),
    ("half floats id", [i / 2 for i in range(N)], None, "numerical"),
    ("infinite id", [float("inf"), 1.0, 2.0], None, "numerical"),
    ("ssn", [536221111, 219099999], None, "id"),
    ("mobile phone", [i * 37 for i in range(N)], None, "id"),
    ("patient_no", [Decimal(i * i) for i in range(N)], pa.decimal128(20, 0), "id"),
    ("cardNumber", [i * i for i in range(5)], None, "id"),
    ("mrn_id", [412, 877, 902], None, "id"),
    ("education-num", [i % 16 for i in range(N)], None, "numerical"),
    ("one_id", [7], None, "constant"),
    ("patient_key", [f"w{i}" for i in range(5)], None, "id"),
    ("name_of_key", ["Ann Lee", "Bo Wu", "Cy Ode"], None, "categorical"),
    ("mostly different words", [f"w{i % 60}" for i in range(100)], None, "id"),
    ("half different words", [f"w{i % 50}" for i in range(100)], None, "categorical"),
    ("mostly different words in fewer rows", [f"w{i % 60}" for i in range(99)], None, "categorical"),
    ("mostly different names", [f"Ann Lee{i % 94}" for i in range(100)], None, "text"),
    ("three e-mails", ["a@x.org", "b@x.org", "c@y.co.uk"], None, "id"),
    ("e-mails, some repeated", [f"u{i % 94}@x.org" for i in range(100)], None, "id"),
    ("e-mails of few people", [f"u{i % 3}@x.org" for i in range(N)], None, "categorical"),
    ("three uuids", [str(uuid.UUID(int=i * 7919)).upper() for i in range(3)], None, "id"),
    ("uuids", [str(uuid.UUID(int=i * 7919)) for i in range(N)], None, "id"),
    ("sentences", [SENTENCE.format(i) for i in range(N)], None, "text"),
    ("sentences, some repeated", [SENTENCE.format(i % 30) for i in range(N)], None, "text"),
    ("few sentences", [SENTENCE.format(i % 3) for i in range(N)], None, "categorical"),
    ("names", [f"Ann Lee{i}" for i in range(N)], None, "text"),
    ("leading zeros", [f"{i % 7:05d}" for i in range(N)], None, "categorical"),
    ("dates", [DAY + dt.timedelta(i) for i in range(N)], None, "date"),
    ("dates in milliseconds", [DAY + dt.timedelta(i) for i in range(N)], pa.date64(), "date"),
    ("one date", [DAY] * N, None, "constant"),
    ("moments", [dt.datetime(2024, 1, 1, i % 24) for i in range(N)], None, "datetime"),
    ("zoned moments", [dt.datetime(2024, 1, 1, i % 24) for i in range(N)],
     pa.timestamp("ms", "Asia/Tokyo"), "datetime"),
    ("times of day", [dt.time(i % 24) for i in range(N)], None, "time"),
    ("one time of day", [dt.time(8)] * N, None, "constant"),
    ("one length of time", [dt.timedelta(hours=1)] * N, None, "constant"),
    ("one zoned moment", [dt.datetime(2024, 1, 1)] * N, pa.timestamp("ms", "Asia/Tokyo"), "constant"),
    ("one decimal", [Decimal("1.50")] * N, pa.decimal128(10, 2), "constant"),
    ("lengths of time", [dt.timedelta(hours=i) for i in range(N)], None, "duration"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "kind", "expected"), KINDS, ids=[row[0] for row in KINDS])
def test_the_kind_of_a_column(name, cells, kind, expected):
    column = inferred(cells, name, kind)
    assert column.kind == expected
    assert all(source == "observed" for part, source in column.sources() if column.kind != "boolean")
    assert Schema.from_json(Schema(columns=(column,)).to_json()).columns[0] == column


@pytest.mark.parametrize(("values", "ordered", "expected"), [
    (["b", "a"], False, "categorical"), (["low", "high"], True, "ordinal"),
    ([2.5, 1.5], False, "categorical"),
    ([20, 10], True, "ordinal"), ([DAY, DAY + dt.timedelta(1)], True, "ordinal"),
    ([Decimal("1.5"), Decimal("0.5")], False, "categorical"), (["only"], False, "categorical"),
    ([dt.datetime(2024, 1, 1), dt.datetime(2023, 1, 1)], True, "ordinal"),
    (["a", "unused"], False, "categorical"),
])  # fmt: skip
def test_a_dictionary_says_itself_whether_its_levels_have_an_order(values, ordered, expected):
    indices = pa.array([0, None, 0, len(values) - 1], pa.int8())
    cells = pa.DictionaryArray.from_arrays(indices, pa.array(values), ordered=ordered)
    column = inferred(cells)
    assert column.kind == expected
    assert len(column.levels.values) == len(values)
    assert column.missing.rate == 0.25


def test_levels_keep_the_order_of_their_dictionary_and_else_are_sorted():
    cells = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2]), pa.array(["low", "middle", "high"]), ordered=True
    )
    assert inferred(cells).levels.values == ("low", "middle", "high")
    assert inferred(["b", "a", "c"] * N).levels.values == ("a", "b", "c")
    assert inferred([3, 1, 2] * N).levels.values == (1, 2, 3)


def test_a_dictionary_with_a_missing_level_a_repeated_one_and_infinity_is_understood():
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["a", None, "a", "b"]))
    assert inferred(words).levels.values == ("a", "b")
    floats = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([1.5, float("nan"), float("inf")]))
    assert inferred(floats).levels.values == (1.5,)


def test_zero_and_minus_zero_in_a_dictionary_are_one_level():
    cells = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([-0.0, 0.0, 1.5]))
    column = inferred(cells)
    assert [str(value) for value in column.levels.values] == ["0.0", "1.5"]


def test_a_dictionary_keeps_its_levels_although_every_cell_is_missing():
    cells = pa.DictionaryArray.from_arrays(pa.nulls(3, pa.int8()), pa.array(["low", "high"]), ordered=True)
    column = inferred(cells)
    assert (column.kind, column.levels.values, column.missing.rate) == ("ordinal", ("low", "high"), 1.0)
    nothing = pa.DictionaryArray.from_arrays(pa.nulls(3, pa.int8()), pa.array([], pa.string()))
    assert inferred(nothing).kind == "all_missing"


def test_dictionaries_of_several_chunks_are_put_together():
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    assert set(inferred(pa.chunked_array(chunks)).levels.values) == {"a", "b", "c"}


@pytest.mark.parametrize(("cells", "low", "high", "resolution"), [
    ([i * i for i in range(N)], 0, (N - 1) ** 2, 1.0),
    ([i / 4 for i in range(N)], 0.0, 9.75, 0.01),
    ([i / 7 for i in range(7)], 0.0, 6 / 7, None),
    ([Decimal(i * i) / 4 for i in range(N)], 0, 380.25, 0.01),
    ([DAY, DAY + dt.timedelta(9)], "2024-01-01", "2024-01-10", "day"),
    ([dt.time(8), dt.time(9, 30)], "08:00:00.000000", "09:30:00.000000", "minute"),
    ([dt.timedelta(seconds=90), dt.timedelta(0)], "0 us", "90000000 us", "second"),
])  # fmt: skip
def test_bounds_and_resolution_are_read_off_the_rows(cells, low, high, resolution):
    column = inferred(cells)
    assert column.bounds == Bounds(low=low, high=high, source="observed")
    assert column.resolution == resolution


def test_bounds_that_no_float_holds_are_text():
    cells = [Decimal("100000000000000.0001") + i for i in range(N)]
    bounds = inferred(cells, kind=pa.decimal128(38, 4)).bounds
    assert (bounds.low, bounds.high) == ("100000000000000.0001", "100000000000039.0001")


def test_infinite_floats_do_not_hide_the_finite_bounds():
    column = inferred([1.5, float("inf"), -float("inf"), 2.5] * N)
    assert (column.bounds.low, column.bounds.high, column.resolution) == (1.5, 2.5, None)


@pytest.mark.parametrize("cells", [
    pa.array([[1], [2]]), pa.array([{"a": 1}]), pa.array([b"x"]), pa.array([b"x"], pa.binary(1)),
    pa.array([b"x"], pa.large_binary()), pa.array([b"x"], pa.binary_view()),
    pa.array([(1, 2, 3)], pa.month_day_nano_interval()), pa.array([[1]], pa.list_(pa.int64(), 1)),
    pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
], ids=lambda cells: str(cells.type))  # fmt: skip
def test_cells_that_no_schema_describes_are_refused_by_column(cells):
    with pytest.raises(SchemaError, match=r"column 'c': cells of type .* are not supported"):
        inferred(cells)


def test_a_table_without_columns_is_refused_and_one_without_rows_is_all_missing():
    with pytest.raises(SchemaError, match="no columns"):
        infer(Table(pa.table({})))
    empty = infer(Table(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})))
    assert [column.kind for column in empty.columns] == ["all_missing", "all_missing"]


def test_every_built_in_table_is_understood():
    assert {column.kind for column in infer(load("people")).columns} == {
        "id", "numerical", "categorical", "ordinal", "boolean", "date", "datetime", "time", "duration",
        "constant", "all_missing",
    }  # fmt: skip
    assert {column.kind for column in infer(load("wine")).columns} == {"numerical", "categorical"}


def completed(cells, **parts):
    schema = Schema(columns=(Column(name="c", **parts),))
    return complete(schema, Table(pa.table({"c": cells}))).columns[0]


def test_what_a_schema_says_is_kept_and_the_rest_is_looked_up():
    column = completed([1, 50], kind="numerical", bounds=Bounds(low=0, high=120))
    assert column.bounds == Bounds(low=0, high=120, source="declared")
    assert (column.type, column.resolution) == ("int64", 1.0)
    assert column.missing.source == "observed"


def test_a_schema_that_says_not_nullable_is_believed_over_the_field():
    assert completed([1, 2], kind="numerical", nullable=False).nullable is False
    assert completed([1, 2], kind="numerical").nullable is True


@pytest.mark.parametrize(("cells", "parts", "message"), [
    (["a", "b"], {"kind": "numerical"}, "cannot be numerical"),
    ([1, 2], {"kind": "datetime"}, "cannot be datetime"),
    (["a", "b"], {"kind": "date"}, "cannot be date"),
    ([True], {"kind": "numerical"}, "cannot be numerical"),
    (["x"], {"kind": "numerical", "type": "int64"}, "does not fit the schema's int64"),
    ([1.5], {"kind": "numerical", "type": "int64"}, "does not fit the schema's int64"),
    ([1, 2], {"kind": "constant"}, "said to be constant, and its rows hold 2 values"),
    (pa.nulls(3, pa.string()), {"kind": "categorical"}, "every row is missing"),
    (pa.nulls(3, pa.int64()), {"kind": "numerical"}, "every row is missing"),
    (pa.nulls(3, pa.float64()), {"kind": "numerical"}, "every row is missing|no row holds a finite number"),
    ([2**62], {"kind": "numerical"}, r"numbers beyond 2\*\*62"),
    ([DAY], {"kind": "date", "resolution": "hour"}, "does not fit the type"),
    ([1, 2], {"kind": "all_missing"}, "2 rows hold a value"),
    (list(range(56)), {"kind": "boolean"}, "needs exactly two levels; got 56"),
])  # fmt: skip
def test_rows_that_contradict_the_schema_are_refused(cells, parts, message):
    with pytest.raises(SchemaError, match=f"column 'c': .*({message})"):
        completed(cells, **parts)


def test_a_completed_schema_follows_the_order_of_the_table():
    schema = Schema(columns=(Column(name="b", kind="numerical"), Column(name="a", kind="numerical")))
    full = complete(schema, Table(pa.table({"a": [1, 2], "b": [3, 4]})))
    assert [column.name for column in full.columns] == ["a", "b"]


def test_a_schema_that_we_completed_is_accepted_again():
    table = load("people", rows=300)
    full = infer(table)
    assert complete(full, table) == full
    assert complete(full.declare(), table) == full.declare()


def test_a_column_that_the_table_lacks_is_refused_by_name():
    with pytest.raises(SchemaError, match="lacks column 'c'"):
        complete(Schema(columns=(Column(name="c", kind="id"),)), Table(pa.table({"d": [1]})))


def test_the_page_about_kinds_states_the_thresholds_that_hold():
    page = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "kinds.md"
    text = page.read_text(encoding="utf-8")
    for name, value in (("FEW", FEW), ("FEWEST_ROWS", FEWEST_ROWS), ("MANY_ROWS", MANY_ROWS)):
        assert f"`{name}` = {value} " in text or f"`{name}` = {value}:" in text
    assert f"{NEARLY_ALL:.0%}".rstrip("%") + " in 100" in text


def test_inference_does_not_change_the_table():
    arrow = load("people", rows=60).to_arrow()
    before = arrow.slice(0)
    infer(Table(arrow))
    assert arrow.equals(before)


def test_a_hundred_columns_of_noise_are_understood_without_a_warning():
    rng = np.random.default_rng(0)
    wide = {f"c{i}": rng.normal(0, 10.0 ** (i - 50), 30) for i in range(100)}
    assert {column.kind for column in infer(Table(pa.table(wide))).columns} == {"numerical"}


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.uint64()])
def test_whole_numbers_have_their_least_and_largest_as_bounds_whatever_is_missing(kind):
    cells = pa.chunked_array([pa.array([7, None, 3], kind), pa.array([None, 90], kind)])
    column = infer(Table(pa.table({"n": cells}))).column("n")
    assert (column.bounds.low, column.bounds.high, column.bounds.source) == (3, 90, "observed")
    assert column.missing.rate == 0.4


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([1.5, None, float("nan"), 2.5]),
        pa.array(["a", None, None, "b"]),
        pa.array(["a", None, None, "a"]).dictionary_encode(),
        pa.array([1, None, None, 86_400], pa.timestamp("s")),
        pa.array([True, None, None, False]),
    ],
)
def test_the_missing_rate_counts_every_way_of_being_missing(cells):
    assert infer(Table(pa.table({"c": cells}))).column("c").missing.rate == 0.5
