from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.frames import Frame, ingest, to_pandas

CANARY = "canary-81c2"
DAYS = pd.Series(pd.to_datetime(["2020-01-01 10:00:01", None, "2021-07-01 00:00:00"]))
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"]


def series(values, dtype=None) -> pd.Series:
    return pd.Series(values, dtype=dtype)


NEW = int(pd.__version__.split(".")[0]) >= 3
NAN_STRINGS = {
    "str": series(["a", None, ""], "str" if NEW else pd.StringDtype("pyarrow_numpy")),
    "str python": series(["a", None, ""], pd.StringDtype("python", na_value=np.nan) if NEW else object),
}
COLUMNS = {
    **{name: series([0, 1, 100], name) for name in ("int8", "int16", "int32", "int64")},
    **{name: series([0, 1, 200], name) for name in ("uint8", "uint16", "uint32", "uint64")},
    **{name: series([0, None, 100], name) for name in ("Int8", "Int16", "Int32", "Int64")},
    **{name: series([0, None, 200], name) for name in ("UInt8", "UInt16", "UInt32", "UInt64")},
    **{name: series([0.5, np.nan, -np.inf], name) for name in ("float16", "float32", "float64")},
    **{name: series([0.5, None, 1e30], name) for name in ("Float32", "Float64")},
    "large int64": series([2**63 - 1, -(2**63), 2**53 + 1]),
    "large Int64": series([2**63 - 1, None, 2**53 + 1], "Int64"),
    "large uint64": series([2**64 - 1, 0, 1], "uint64"),
    "bool": series([True, False, True]),
    "boolean": series([True, None, False], "boolean"),
    **NAN_STRINGS,
    "string python": series(["a", None, ""], "string[python]"),
    "string pyarrow": series(["a", None, ""], "string[pyarrow]"),
    "object str": series(["a", None, ""], object),
    "object bool": series([True, None, False], object),
    "object int": series([1, None, 2], object),
    "object long int": series([2**100, None, -(2**100)], object),
    "object longer int": series([10**70, None, 1], object),
    "object float": series([1.5, None, 2.0], object),
    "object Decimal": series([Decimal("1.50"), None, Decimal("-2.25")], object),
    "object date": series([dt.date(2020, 1, 1), None, dt.date(1, 1, 1)], object),
    "object time": series([dt.time(1, 2, 3, 4), None, dt.time(0)], object),
    "object nothing": series([None, None, None], object),
    "category": series(pd.Categorical(["a", None, "b"], categories=["b", "unused", "a"])),
    "category ordered": series(pd.Categorical(["a", None, "b"], categories=["b", "a"], ordered=True)),
    "category int": series(pd.Categorical([3, None, 1], categories=[3, 2, 1], ordered=True)),
    "category float": series(pd.Categorical([3.5, None, 1.0])),
    "category bool": series(pd.Categorical([True, None, False])),
    "category date": series(pd.Categorical(DAYS)),
    "category object": series(
        pd.Categorical(["a", None, "b"], categories=pd.Index(["b", "a"], dtype=object))
    ),
    "category string": series(pd.Categorical(series(["a", None, "b"], "string[python]"))),
    "category empty": series(
        pd.Categorical([None, None, None], categories=pd.Index([], dtype="str" if NEW else object))
    ),
    "category 300": series(pd.Categorical.from_codes([0, -1, 299], [f"level {n}" for n in range(300)])),
    **{f"datetime64[{unit}]": DAYS.astype(f"datetime64[{unit}]") for unit in ("s", "ms", "us", "ns")},
    **{zone: DAYS.dt.tz_localize(zone) for zone in ZONES},
    "ns zone": DAYS.astype("datetime64[ns]").dt.tz_localize("Europe/Berlin"),
    "fixed zone": DAYS.dt.tz_localize(dt.timezone(dt.timedelta(hours=2))),
    "datetime year 1": series(np.array(["0001-01-01", "NaT", "9999-12-31"], "datetime64[us]")),
    **{
        f"timedelta64[{unit}]": series(pd.to_timedelta([1, None, -3], unit="s")).astype(
            f"timedelta64[{unit}]"
        )
        for unit in ("s", "ms", "us", "ns")
    },
    "arrow int": series([1, None, 3], "int32[pyarrow]"),
    "arrow string": series(["a", None, ""], pd.ArrowDtype(pa.string())),
    "arrow large string": series(["a", None, ""], pd.ArrowDtype(pa.large_string())),
    "arrow decimal": series([Decimal("1.23"), None, Decimal("0.01")], pd.ArrowDtype(pa.decimal128(10, 2))),
    "arrow date": series([dt.date(2020, 1, 1), None, dt.date(2021, 1, 1)], pd.ArrowDtype(pa.date32())),
    "arrow time": series([dt.time(1, 2), None, dt.time(3)], pd.ArrowDtype(pa.time64("us"))),
    "arrow timestamp": series(DAYS.array, pd.ArrowDtype(pa.timestamp("us"))),
    "arrow bool": series([True, None, False], pd.ArrowDtype(pa.bool_())),
    "arrow duration": series(pd.to_timedelta([1, None, 3], unit="s").array, pd.ArrowDtype(pa.duration("us"))),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_identical(name):
    before = pd.DataFrame({name: COLUMNS[name]})
    kept = before.copy(deep=True)
    arrow, frame = ingest(before)
    after = Frame.from_json(frame.to_json()).restore(arrow)
    pd.testing.assert_frame_equal(after, before, check_exact=True, check_column_type=True)
    pd.testing.assert_frame_equal(before, kept)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_without_rows_keeps_its_dtype(name):
    before = pd.DataFrame({name: COLUMNS[name]}).iloc[:0]
    arrow, frame = ingest(before)
    after = frame.restore(arrow)
    assert after.dtypes.equals(before.dtypes) or name.startswith("object")
    assert len(after) == 0


def test_all_columns_together_come_back_in_order():
    before = pd.DataFrame(COLUMNS)
    arrow, frame = ingest(before)
    shuffled = arrow.select(arrow.schema.names[::-1])
    pd.testing.assert_frame_equal(frame.restore(shuffled), before)


@pytest.mark.parametrize("name", COLUMNS)
def test_the_stored_frame_holds_no_cell(name):
    text = ingest(pd.DataFrame({"x": COLUMNS[name]}))[1].to_json()
    assert not any(word in text for word in ("unused", "level 299", "2020", "9999", "1.5"))


@pytest.mark.parametrize(
    ("dtype", "expected"), [("int8", "Int8"), ("uint16", "UInt16"), ("int64", "Int64"), ("bool", "boolean")]
)
def test_a_missing_value_where_numpy_has_none_gives_the_nullable_dtype(dtype, expected):
    arrow, frame = ingest(pd.DataFrame({"x": pd.Series([0, 1], dtype=dtype)}))
    column = pa.array([None, 1]).cast(arrow.schema.field("x").type)
    after = frame.restore(pa.table({"x": column}))
    assert str(after["x"].dtype) == expected
    assert after["x"].isna().tolist() == [True, False]


def test_a_column_the_model_leaves_out_is_left_out():
    _, frame = ingest(pd.DataFrame({"a": [1], "b": [2], "c": [3]}))
    after = frame.restore(pa.table({"c": [5], "a": [6]}))
    assert list(after.columns) == ["a", "c"]


def test_a_column_the_frame_does_not_know_comes_last():
    _, frame = ingest(pd.DataFrame({"a": [1]}))
    assert list(frame.restore(pa.table({"z": [5], "a": [6]})).columns) == ["a", "z"]


def test_plain_text_restores_into_a_category():
    _, frame = ingest(pd.DataFrame({"x": pd.Categorical(["a", "b"])}))
    after = frame.restore(pa.table({"x": ["b", "b", None]}))
    assert after["x"].dtype == pd.CategoricalDtype(["b"])


@pytest.mark.parametrize("index", [pd.RangeIndex(3), pd.RangeIndex(5, 8), pd.Index([7, 3, 5])])
def test_a_numbering_of_the_rows_is_no_part_of_the_table(index):
    arrow, _ = ingest(pd.DataFrame({"x": [1, 2, 3]}, index=index))
    assert arrow.schema.names == ["x"]


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([1, 2, 3], name="id"),
        pd.Index([CANARY, "b", "c"]),
        pd.Index([1.5, 2.5, 3.5]),
        pd.to_datetime(["2020", "2021", "2022"]),
        pd.MultiIndex.from_tuples([(1, 2), (3, 4), (5, 6)]),
        pd.CategoricalIndex([CANARY, "b", "c"]),
    ],
    ids=lambda index: type(index).__name__,
)
def test_an_index_that_holds_data_is_refused_with_advice(index):
    with pytest.raises(FrameError, match=r"reset_index\(\)") as caught:
        ingest(pd.DataFrame({"x": [1, 2, 3]}, index=index))
    assert CANARY not in str(caught.value)


def test_names_that_are_no_text_are_refused_with_advice():
    with pytest.raises(FrameError, match="rename"):
        ingest(pd.DataFrame({0: [1], 1: [2]}))
    with pytest.raises(FrameError, match="several levels"):
        ingest(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])))
    with pytest.raises(FrameError, match="same name"):
        ingest(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(FrameError, match="no name"):
        ingest(pd.DataFrame([[1, 2]], columns=["a", " "]))
    with pytest.raises(FrameError, match="no columns"):
        ingest(pd.DataFrame())


BAD = {
    "complex": pd.Series([1 + 2j]),
    "period": pd.Series(pd.period_range("2020-01", periods=1, freq="M")),
    "interval": pd.Series(pd.interval_range(0, 1)),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 1])),
    "cut": pd.Series(pd.cut([1, 2, 3], 2)),
    "arrow list": pd.Series([[1]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "arrow binary": pd.Series([b"x"], dtype=pd.ArrowDtype(pa.binary())),
    "category mixed": pd.Series(pd.Categorical([CANARY, 1])),
}


@pytest.mark.parametrize("name", BAD)
def test_a_dtype_without_a_place_is_refused_by_name(name):
    with pytest.raises(FrameError, match="'the column'") as caught:
        ingest(pd.DataFrame({"the column": BAD[name]}))
    assert CANARY not in str(caught.value)


def test_to_pandas_keeps_whole_numbers_and_truth_values_exact():
    arrow = pa.table(
        {"i": [2**53 + 1, None], "b": [True, None], "u": pa.array([2**64 - 1, None], pa.uint64())}
    )
    frame = to_pandas(arrow)
    assert list(map(str, frame.dtypes)) == ["Int64", "boolean", "UInt64"]
    assert frame["i"][0] == 2**53 + 1
    assert frame["u"][0] == 2**64 - 1


def test_to_pandas_takes_every_type_a_table_can_hold():
    arrow, _ = ingest(pd.DataFrame(COLUMNS))
    frame = to_pandas(arrow)
    assert frame.shape == (3, len(COLUMNS))
    assert str(frame["datetime64[s]"].dtype) == "datetime64[s]"
    assert str(frame["category"].dtype) == "category"


def test_a_time_with_nanoseconds_is_not_cut():
    arrow = pa.table({"t": pa.array([1, None], pa.int64()).cast(pa.time64("ns"))})
    assert pa.array(to_pandas(arrow)["t"]).to_pylist()[1] is None
    assert pa.Array.from_pandas(to_pandas(arrow)["t"]).cast(pa.time64("ns")).cast(pa.int64()).to_pylist() == [
        1,
        None,
    ]


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS.keys())
def test_a_frame_that_is_given_back_can_be_written_in_and_shares_no_memory_with_the_table(values):
    arrow, frame = ingest(pd.DataFrame({"a": values}))
    before = arrow.to_pydict()
    for given in (frame.restore(arrow), to_pandas(arrow)):
        given.loc[0, "a"] = given.loc[2, "a"]
        given.iloc[1:2, 0] = given.iloc[2:3, 0].array
        assert given["a"].dtype is not None
        assert arrow.to_pydict() == before
