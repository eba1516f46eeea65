"""How each Arrow type is printed."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from understudy.errors import InputError
from understudy.table.csv_render import is_text, renderer

HOUR = 3_600


def show(cells: list[Any], kind: pa.DataType, **spelling: str) -> list[str | None]:
    notes = {f"understudy.{key}".encode(): value.encode() for key, value in spelling.items()}
    column = pa.chunked_array([pa.array(cells, kind)])
    text: list[str | None] = renderer(pa.field("c", kind, metadata=notes), column)(
        column.chunk(0)
    ).to_pylist()
    return text


@pytest.mark.parametrize(
    ("kind", "cells", "text"),
    [
        (pa.int8(), [-128, None], ["-128", None]),
        (pa.uint64(), [2**64 - 1], ["18446744073709551615"]),
        (pa.float64(), [1.0, 2.5, 0.1], ["1", "2.5", "0.1"]),
        (pa.float64(), [1.0, None, -2.0], ["1.0", None, "-2.0"]),
        (pa.float64(), [float("nan"), 0.5, float("-inf")], [None, "0.5", "-inf"]),
        (pa.float32(), [0.1, 16777216.0], ["0.1", "16777216"]),
        (pa.float16(), [0.5, 2.0, None], ["0.5", "2", None]),
        (pa.bool_(), [True, False, None], ["true", "false", None]),
        (pa.decimal128(10, 2), [Decimal("1.50"), None], ["1.50", None]),
        (pa.string(), ["x", "", None], ["x", "", None]),
        (pa.large_string(), ["x", None], ["x", None]),
        (pa.null(), [None, None], [None, None]),
        (pa.date32(), [dt.date(2024, 2, 29), None], ["2024-02-29", None]),
        (pa.date64(), [dt.date(2024, 2, 29)], ["2024-02-29"]),
        (pa.time32("s"), [HOUR, None], ["01:00:00", None]),
        (pa.time64("ns"), [1], ["00:00:00.000000001"]),
        (pa.timestamp("us"), [0, None], ["1970-01-01 00:00:00", None]),
        (pa.timestamp("us"), [0, 1_500_000], ["1970-01-01 00:00:00.000", "1970-01-01 00:00:01.500"]),
        (pa.timestamp("ns"), [1], ["1970-01-01 00:00:00.000000001"]),
        (pa.timestamp("s"), [-1], ["1969-12-31 23:59:59"]),
        (pa.timestamp("ms"), [-1], ["1969-12-31 23:59:59.999"]),
        (pa.timestamp("s", "UTC"), [0], ["1970-01-01 00:00:00Z"]),
        (pa.timestamp("s", "Europe/Berlin"), [0], ["1970-01-01 00:00:00Z"]),
        (pa.timestamp("s", "+05:30"), [0], ["1970-01-01 05:30:00+05:30"]),
        (pa.duration("s"), [90, None], ["90", None]),
        (pa.duration("ms"), [1_500, -1], ["1.500", "-0.001"]),
        (pa.duration("ns"), [2 * 10**9], ["2"]),
        (pa.dictionary(pa.int8(), pa.string()), ["a", None, "b"], ["a", None, "b"]),
        (pa.dictionary(pa.int32(), pa.float64()), [1.0, 2.5], ["1", "2.5"]),
    ],
)  # fmt: skip
def test_each_type_has_a_plain_print(kind: pa.DataType, cells: list[Any], text: list[str | None]) -> None:
    assert show(cells, kind) == text


def test_the_spelling_that_was_read_is_used_again() -> None:
    assert show([12.5, 1.0], pa.float64(), decimals="2") == ["12.50", "1.00"]
    assert show([0.1], pa.float32(), decimals="3") == ["0.100"]
    assert show([1.0, 2.5], pa.float64(), whole="1.0") == ["1.0", "2.5"]
    assert show([True, False], pa.bool_(), boolean="TRUE") == ["TRUE", "FALSE"]
    assert show([0], pa.timestamp("s"), time="YYYY-MM-DDTHH:MM") == ["1970-01-01T00:00"]
    assert show([0], pa.timestamp("s"), time="YYYY-MM-DD HH:MM:SS.ffffff") == ["1970-01-01 00:00:00.000000"]
    assert show([0], pa.timestamp("ms", "+02:00"), time="YYYY-MM-DDTHH:MM:SS.f+0200") == [
        "1970-01-01T02:00:00.0+0200"
    ]
    assert show([HOUR], pa.time32("s"), time="HH:MM") == ["01:00"]


def test_a_spelling_that_cannot_hold_a_cell_gives_way() -> None:
    assert show([0, 5], pa.timestamp("s"), time="YYYY-MM-DDTHH:MM") == [
        "1970-01-01T00:00:00",
        "1970-01-01T00:00:05",
    ]
    assert show([1], pa.timestamp("us"), time="YYYY-MM-DD HH:MM:SS.f") == ["1970-01-01 00:00:00.000001"]
    assert show([0.125], pa.float64(), decimals="2") == ["0.125"]
    far = show([40_000_000_000], pa.timestamp("s"), time="YYYY-MM-DD HH:MM:SS.fffffffff")
    assert far == ["3237-07-19 23:06:40"]


@pytest.mark.parametrize("nonsense", ["", "x", "-1", "99", "HH", "YYYY"])
def test_a_spelling_that_is_nonsense_is_as_good_as_none(nonsense: str) -> None:
    assert show([0.5], pa.float64(), decimals=nonsense) == ["0.5"]
    assert show([True], pa.bool_(), boolean=nonsense) == ["true"]
    assert show([0], pa.timestamp("s"), time=nonsense) == ["1970-01-01 00:00:00"]


def test_years_beyond_four_digits_are_still_exact() -> None:
    assert show([253_402_300_800], pa.timestamp("s")) == ["10000-01-01 00:00:00"]


@pytest.mark.parametrize(
    "kind",
    [pa.list_(pa.int64()), pa.struct([("x", pa.int64())]), pa.binary(), pa.map_(pa.string(), pa.int64())],
)
def test_what_csv_cannot_hold_is_refused_by_its_column(kind: pa.DataType) -> None:
    with pytest.raises(InputError, match=r"column 'c' is of type .* write Parquet"):
        show([None], kind)


def test_text_is_text_in_a_dictionary_too() -> None:
    assert (
        is_text(pa.string()) and is_text(pa.large_string()) and is_text(pa.dictionary(pa.int8(), pa.string()))
    )
    assert not is_text(pa.int64()) and not is_text(pa.dictionary(pa.int8(), pa.int64()))
