import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP, is_missing
from understudy.table.columns import level_array, to_columns
from understudy.table.public import by_type
from understudy.table.raw import encode, ends_of, raw_columns
from understudy.table.schema import Bounds, Column, Levels, Schema
from understudy.table.table import Table
from understudy.testing.neighbours import extreme_row
from understudy.testing.tables import people

TYPES = [
    pa.int8(), pa.int64(), pa.uint8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(),
    pa.decimal128(38, 2), pa.decimal256(76, 4), pa.bool_(), pa.string(), pa.large_string(), pa.date32(),
    pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("ns"), pa.timestamp("us", "Europe/Berlin"),
    pa.duration("ms"), pa.dictionary(pa.int16(), pa.string()),
]  # fmt: skip


def raw(cells, column=None):
    table = Table(pa.table({"x": cells}))
    schema = by_type(table, None if column is None else Schema(columns=(column,)))
    return raw_columns(table.to_arrow(), schema)["x"]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([3, 900, None]),
        pa.array([0.5, 2.25, None]),
        pa.array([dt.date(1999, 3, 3), dt.date(2020, 1, 1), None]),
        pa.array([5, 10**15, None], pa.timestamp("us", "Europe/Berlin")),
        pa.array([-7, 5, None], pa.duration("ms")),
        pa.array([5, 70, None], pa.time32("s")),
        pa.array([Decimal("1.10"), Decimal("2.30"), None]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_the_values_of_a_dictionary_are_levels_that_a_schema_can_hold(cells):
    column = Column(name="x", kind="categorical", type=str(cells.dictionary_encode().type))
    words = raw(cells.dictionary_encode()).tolist()
    told = column.model_copy(update={"levels": Levels(values=tuple(words[:2]))})
    assert words[2] is None
    assert level_array(told).to_pylist() == cells.to_pylist()[:2]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_no_cell_is_refused_whatever_it_holds(kind):
    schema = pa.schema([("x", kind)])
    cells = pa.concat_tables([extreme_row(schema), extreme_row(schema, low=True)]).column("x")
    values = raw(pa.chunked_array([*cells.chunks, pa.nulls(1, kind)]))
    assert len(values) == 3
    missing = [value is None for value in values] if values.dtype == object else is_missing(values).tolist()
    assert missing == [False, False, True]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_each_cell_is_read_by_itself(kind):
    schema = pa.schema([("x", kind)])
    cells = pa.concat_tables([extreme_row(schema), extreme_row(schema, low=True)] * 2).column("x")
    together = raw(cells).tolist()
    apart = [raw(cells.slice(place, 1)).tolist()[0] for place in range(4)]
    assert together == apart


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_no_rows_give_empty_columns(kind):
    assert len(raw(pa.chunked_array([], kind))) == 0


def test_what_fits_is_read_as_the_open_way_reads_it():
    table = Table(people(120))
    schema = Schema.infer(table).declare()
    public = by_type(table, schema)
    private = encode(raw_columns(table.to_arrow(), public), public)
    opened = to_columns(table.to_arrow(), schema)
    assert private.keys() == opened.keys()
    for name, values in opened.items():
        assert private[name].dtype == values.dtype, name
        assert np.array_equal(private[name], values, equal_nan=values.dtype.kind == "f"), name


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=8))
def test_whole_numbers_are_exact_within_reach_and_at_its_end_beyond(values):
    for value, step in zip(values, raw(pa.array(values, pa.int64())).tolist(), strict=True):
        assert step == (MISSING_STEP if value is None else max(-(2**61), min(2**61, value)))


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8))
def test_floats_are_exact_within_reach_and_at_its_end_beyond(values):
    found = raw(pa.array(values, pa.float64()))
    wanted = np.clip(np.array(values, dtype=float), -1e300, 1e300)
    assert np.array_equal(found, wanted, equal_nan=True)


def test_coarse_resolutions_round_as_the_grid_does():
    for kind, cells in (
        ("numerical", pa.array([14, 15, -14, -16])),
        ("duration", pa.array([14, 29, 31], pa.duration("s"))),
    ):
        resolution = 10.0 if kind == "numerical" else "minute"
        column = Column(name="x", kind=kind, resolution=resolution)
        table = Table(pa.table({"x": cells}))
        schema = by_type(table, Schema(columns=(column,)))
        opened = to_columns(table.to_arrow(), schema)["x"]
        assert raw(cells, column).tolist() == opened.tolist()


def test_numbers_of_another_type_are_counted_in_the_schemas_steps():
    column = Column(name="x", kind="numerical", type="int64", resolution=1.0)
    assert raw(pa.array([1.4, None, float("nan"), 1e300]), column).tolist() == [
        1,
        MISSING_STEP,
        MISSING_STEP,
        2**61,
    ]
    exact = Column(name="x", kind="numerical", type="decimal128(9, 2)")
    assert raw(pa.array([Decimal("1.25"), None]), exact).tolist() == [125, MISSING_STEP]


def test_a_level_that_is_not_known_is_missing():
    column = Column(name="x", kind="categorical", levels=Levels(values=("a", "b")))
    assert raw(pa.array(["b", "z", None, "a"]), column).tolist() == [1, -1, -1, 0]
    numbers = Column(name="x", kind="ordinal", type="int8", levels=Levels(values=(1, 44)))
    assert raw(pa.array([300, 44]), numbers).tolist() == [-1, 1]


def test_levels_that_the_tables_type_cannot_hold_are_refused_before_a_row_is_looked_at():
    column = Column(name="x", kind="ordinal", type="int64", levels=Levels(values=(1, 1000)))
    with pytest.raises(SchemaError, match="levels do not fit"):
        raw(pa.array([1], pa.int8()), column)


def test_words_are_kept_as_they_are_until_their_levels_are_bought():
    assert raw(pa.array(["b", None, "a"])).tolist() == ["b", None, "a"]
    grades = Column(name="x", kind="ordinal", type="double")
    assert raw(pa.array([1.0, float("nan"), float("inf"), None]), grades).tolist() == [1.0, None, None, None]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_there_is_one_nought(kind):
    cells = pa.array(np.array([-0.0, 0.0, 1.5, -0.0], dtype=kind.to_pandas_dtype()), kind)
    words = raw(cells, Column(name="x", kind="categorical", type=str(kind)))
    assert [repr(word) for word in words] == ["0.0", "0.0", "1.5", "0.0"]


def test_bought_levels_turn_words_into_codes_and_bounds_clip():
    schema = Schema(
        columns=(
            Column(name="w", kind="categorical", type="string", levels=Levels(values=("a", "b"))),
            Column(name="n", kind="numerical", type="int64", resolution=1.0, bounds=Bounds(low=0, high=9)),
        )
    )
    words = np.array(["b", None, "z"], dtype=object)
    found = encode({"w": words, "n": np.array([-5, MISSING_STEP, 50])}, schema)
    assert found["w"].tolist() == [1, -1, -1]
    assert found["n"].tolist() == [0, MISSING_STEP, 9]
    assert found["n"].dtype == np.int64


TOLD = Schema(
    columns=(
        Column(
            name="x", kind="categorical", type="string", levels=Levels(values=("a", "b"), source="bought")
        ),
    )
)


def told(words, shares=(300.0, 100.0)):
    return encode({"x": np.array(words, dtype=object)}, TOLD, {"x": shares})["x"].tolist()


def test_values_that_were_not_told_are_taken_for_told_ones_by_their_shares_and_missing_ones_stay_missing():
    codes = np.array(told([f"rare {number}" for number in range(4_000)]))
    assert set(codes) == {0, 1}
    assert (codes == 0).mean() == pytest.approx(0.75, abs=0.035)  # five deviations of a draw
    assert told(["a", None, "b"]) == [0, -1, 1]
    assert told(["rare", None], shares=(1.0,)) == [0, -1]


@given(st.lists(st.none() | st.text(max_size=3), max_size=20), st.data())
def test_what_a_value_is_taken_for_depends_on_no_other_row(words, data):
    kept = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    some = [word for word, keep in zip(words, kept, strict=True) if keep]
    assert told(some) == [code for code, keep in zip(told(words), kept, strict=True) if keep]


def test_ends_are_told_in_the_columns_own_terms():
    date = Column(
        name="x", kind="date", type="date32[day]", bounds=Bounds(low="1970-01-02", high="1970-01-05")
    )
    assert ends_of(date) == (1, 4)
    number = Column(name="x", kind="numerical", type="double", bounds=Bounds(low=-1, high=1.7e308))
    assert ends_of(number) == (-1.0, 1e300)


def test_bounds_that_are_the_wrong_way_round_are_refused():
    date = Column(
        name="x", kind="date", type="date32[day]", bounds=Bounds(low="1980-01-02", high="1970-01-05")
    )
    with pytest.raises(SchemaError, match="above the high end"):
        ends_of(date)


def test_a_column_that_is_not_there_is_refused_by_name():
    schema = by_type(Table(pa.table({"x": [1]})))
    with pytest.raises(SchemaError, match="lacks column 'x'"):
        raw_columns(pa.table({"y": [1]}), schema)


def test_days_are_whole_also_where_they_are_kept_in_milliseconds():
    cells = pa.array([dt.date(1970, 1, 3)], pa.date64())
    assert raw(cells, Column(name="x", kind="date", resolution="day")).tolist() == [2]


def test_few_untold_values_with_many_rows_each_leave_the_shares_of_levels_alone():
    rng = np.random.default_rng(0)
    words = np.repeat(
        np.array(["A", "B", *(f"u{i}" for i in range(5))], dtype=object), [900, 600, *[300] * 5]
    )
    columns = {"s": words, "x": rng.normal(size=len(words))}
    level = Column(
        name="s", kind="categorical", type="string", levels=Levels(values=("A", "B"), source="bought")
    )
    bounds = Bounds(low=-9.0, high=9.0, source="bought")
    schema = Schema(columns=(level, Column(name="x", kind="numerical", type="double", bounds=bounds)))
    codes = encode(columns, schema, {"s": (900.0, 600.0)})["s"]
    untold = codes[1_500:]
    assert set(untold) == {0, 1}
    assert np.mean(untold == 0) == pytest.approx(0.6, abs=4 * (0.6 * 0.4 / len(untold)) ** 0.5)
    order = rng.permutation(len(words))
    again = encode({name: each[order] for name, each in columns.items()}, schema, {"s": (900.0, 600.0)})["s"]
    assert (again == codes[order]).all()  # by its own cells alone, wherever a row stands
