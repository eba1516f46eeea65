from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from understudy.errors import SqlError
from understudy.table.sql_text import parse_decimals, parse_text


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("2020-02-29", pa.date32(), dt.date(2020, 2, 29)),
        ("10:11:12", pa.time64("us"), dt.time(10, 11, 12)),
        ("10:11:12.5", pa.time64("us"), dt.time(10, 11, 12, 500_000)),
        ("2020-01-01 10:00:00.000001", pa.timestamp("us"), dt.datetime(2020, 1, 1, 10, 0, 0, 1)),
        ("2020-01-01 10:00:00", pa.timestamp("us", "UTC"), dt.datetime(2020, 1, 1, 10, tzinfo=dt.UTC)),
        ("-90000000001", pa.duration("us"), dt.timedelta(microseconds=-90_000_000_001)),
        ("12.50", pa.decimal128(12, 2), Decimal("12.50")),
    ],
)
def test_text_becomes_what_it_stands_for(text, kind, value):
    assert parse_text("x", pa.chunked_array([[text, None]]), kind).to_pylist() == [value, None]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("infinity", pa.date32()), ("0044-03-15 BC", pa.date32()), ("10000-01-01", pa.date32()),
        ("24:00:00", pa.time64("us")), ("infinity", pa.timestamp("us")), ("months", pa.duration("us")),
        ("2020-01-01 00:00:00.1234567", pa.timestamp("us")), ("12.505", pa.decimal128(12, 2)),
        ("NaN", pa.decimal128(12, 2)), ("2020-02-30", pa.date32()),
    ],
)  # fmt: skip
def test_a_value_outside_the_type_is_refused_by_column_and_never_shown(text, kind):
    with pytest.raises(SqlError, match="'the column'") as caught:
        parse_text("the column", pa.chunked_array([[text]]), kind)
    assert f"{text!r}" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", None], pa.decimal128(38, 0)),
        (["-1.50", "2"], pa.decimal128(38, 2)),
        (["0.1", "1" * 37], pa.decimal128(38, 1)),
        (["0.1", "1" * 38], pa.decimal256(76, 1)),
        (["9" * 76], pa.decimal256(76, 0)),
        ([None], pa.decimal128(38, 0)),
        ([], pa.decimal128(38, 0)),
    ],
)
def test_a_number_without_a_scale_gets_the_one_it_needs(cells, kind):
    column = parse_decimals("x", pa.chunked_array([pa.array(cells, pa.string())]))
    assert column.type == kind
    assert column.to_pylist() == [None if cell is None else Decimal(cell) for cell in cells]


@pytest.mark.parametrize("cells", [["NaN"], ["Infinity"], ["1" * 77], ["0." + "1" * 77]])
def test_a_number_beyond_every_decimal_is_refused(cells):
    with pytest.raises(SqlError, match="'x'"):
        parse_decimals("x", pa.chunked_array([cells]))
