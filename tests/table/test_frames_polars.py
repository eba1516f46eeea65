from __future__ import annotations

import builtins
import datetime as dt
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from understudy.errors import FrameError, MissingExtra
from understudy.table.frames import Frame, ingest, to_polars

CANARY = "canary-44fe"
MOMENT = dt.datetime(2020, 1, 2, 3, 4, 5, 678901)
COLUMNS = {
    **{str(kind): pl.Series([0, None, 100], dtype=kind) for kind in (pl.Int8, pl.Int16, pl.Int32, pl.Int64)},
    **{
        str(kind): pl.Series([0, None, 200], dtype=kind)
        for kind in (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    },
    "Int128": pl.Series([2**100, None, -1], dtype=pl.Int128),
    "Float32": pl.Series([0.5, None, float("inf")], dtype=pl.Float32),
    "Float64": pl.Series([0.1, None, -0.0], dtype=pl.Float64),
    "Boolean": pl.Series([True, None, False]),
    "String": pl.Series(["a", None, ""]),
    "Categorical": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "Enum": pl.Series(["a", None, "b"], dtype=pl.Enum(["b", "unused", "a"])),
    "Date": pl.Series([dt.date(2020, 1, 1), None, dt.date(1, 1, 1)]),
    "Time": pl.Series([dt.time(1, 2, 3, 4), None, dt.time(0)]),
    **{f"Datetime {u}": pl.Series([MOMENT, None, MOMENT], dtype=pl.Datetime(u)) for u in ("ms", "us", "ns")},
    **{
        f"Duration {u}": pl.Series([dt.timedelta(1), None, None], dtype=pl.Duration(u))
        for u in ("ms", "us", "ns")
    },
    "UTC": pl.Series([MOMENT, None, MOMENT]).dt.replace_time_zone("UTC"),
    "Berlin": pl.Series([MOMENT, None, MOMENT]).dt.replace_time_zone("Europe/Berlin"),
    "Decimal": pl.Series([Decimal("1.50"), None, Decimal("0.01")], dtype=pl.Decimal(12, 2)),
    "Null": pl.Series([None, None, None], dtype=pl.Null),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_comes_back_identical(name):
    before = pl.DataFrame({name: COLUMNS[name]})
    arrow, frame = ingest(before)
    after = Frame.from_json(frame.to_json()).restore(arrow)
    assert after.schema == before.schema
    assert_frame_equal(after, before, check_exact=True)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_without_rows_keeps_its_dtype(name):
    before = pl.DataFrame({name: COLUMNS[name]}).clear()
    arrow, frame = ingest(before)
    assert frame.restore(arrow).schema == before.schema


def test_a_lazy_frame_comes_back_lazy():
    arrow, frame = ingest(pl.DataFrame(COLUMNS).lazy())
    after = frame.restore(arrow)
    assert isinstance(after, pl.LazyFrame)
    assert_frame_equal(after.collect(), pl.DataFrame(COLUMNS))


def test_a_lazy_frame_that_fails_is_refused_without_its_cells():
    lazy = pl.DataFrame({"x": [CANARY]}).lazy().with_columns(pl.col("x").cast(pl.Int64))
    with pytest.raises(FrameError, match="lazy") as caught:
        ingest(lazy)
    assert CANARY not in str(caught.value)


def test_nan_is_missing():
    assert ingest(pl.DataFrame({"x": [float("nan"), 1.0]}))[0].column("x").null_count == 1


def test_the_stored_frame_holds_no_cell():
    text = ingest(pl.DataFrame(COLUMNS))[1].to_json()
    assert "unused" not in text
    assert "2020" not in text


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1]]),
        pl.Series([{"a": CANARY}]),
        pl.Series([b"x"]),
        pl.Series([object()], dtype=pl.Object),
        pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_dtype_without_a_place_is_refused_by_name(column):
    with pytest.raises(FrameError, match="'the column'") as caught:
        ingest(pl.DataFrame({"the column": column}))
    assert CANARY not in str(caught.value)


def test_a_128_bit_integer_beyond_38_digits_is_refused():
    with pytest.raises(FrameError, match="38 digits"):
        ingest(pl.DataFrame({"x": pl.Series([2**127 - 1], dtype=pl.Int128)}))


def test_an_empty_name_and_an_empty_frame_are_refused():
    with pytest.raises(FrameError):
        ingest(pl.DataFrame({"": [1]}))
    with pytest.raises(FrameError):
        ingest(pl.DataFrame())


def test_to_polars_takes_what_a_table_can_hold():
    arrow, _ = ingest(pl.DataFrame(COLUMNS))
    assert to_polars(arrow).shape == (3, len(COLUMNS))


def test_a_missing_package_is_named_with_the_line_that_installs_it(monkeypatch):
    real = builtins.__import__

    def without_polars(name, *rest):
        if name == "polars":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_polars)
    with pytest.raises(MissingExtra, match="pip install polars"):
        to_polars(pa.table({"x": [1]}))
