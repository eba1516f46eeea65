"""Dates and times from text and back, in their own spelling."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from understudy.table.csv_times import TimeForm, form_of, offset_seconds, read_dates, read_times, times_text


def column(*cells: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])


def back_and_forth(cell: str) -> pa.ChunkedArray | None:
    form = form_of(cell)
    assert form is not None
    values = read_times(column(cell, None), form)
    if values is not None:
        assert times_text(values.chunk(0), form).to_pylist() == [cell, None]
        assert TimeForm.from_picture(form.picture) == form
    return values


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("2024-02-29 10:30", pa.timestamp("s")),
        ("2024-02-29T10:30:05", pa.timestamp("s")),
        ("2024-02-29 10:30:05.1", pa.timestamp("ms")),
        ("2024-02-29 10:30:05.1200", pa.timestamp("us")),
        ("2024-02-29T10:30:05.123456789", pa.timestamp("ns")),
        ("2024-02-29T10:30:05Z", pa.timestamp("s", "UTC")),
        ("2024-02-29T10:30:05+00:00", pa.timestamp("s", "UTC")),
        ("2024-02-29 10:30:05+00", pa.timestamp("s", "UTC")),
        ("2024-02-29T10:30+05:30", pa.timestamp("s", "+05:30")),
        ("2024-02-29T10:30:05.25-0330", pa.timestamp("ms", "-03:30")),
        ("0001-01-01 00:00:00", pa.timestamp("s")),
        ("9999-12-31T23:59:59.999999", pa.timestamp("us")),
        ("00:00", pa.time32("s")),
        ("23:59:59", pa.time32("s")),
        ("23:59:59.5", pa.time32("ms")),
        ("12:00:00.000001", pa.time64("us")),
        ("12:00:00.000000001", pa.time64("ns")),
    ],
)
def test_a_form_is_read_and_printed_the_same(cell: str, kind: pa.DataType) -> None:
    values = back_and_forth(cell)
    assert values is not None and values.type == kind


@pytest.mark.parametrize(
    "cell",
    [
        "2023-02-29 10:30", "2024-13-01 10:30", "2024-00-10 10:30", "2024-01-01 24:00", "2024-01-01 10:60",
        "2024-01-01 10:30:60", "24:00", "12:60", "12:30:61", "3000-01-01 00:00:00.123456789",
        "2024-01-01T10:30+99:00",
    ],
)  # fmt: skip
def test_what_no_clock_or_calendar_shows_stays_text(cell: str) -> None:
    assert back_and_forth(cell) is None


@pytest.mark.parametrize(
    "cell",
    [
        "2024-1-1 10:30", "10:30 PM", "10:30Z", "2024-01-01  10:30", "2024-01-01t10:30", "2024-01-01",
        "10", "10:3",
        "2024-01-01 10:30:05.1234567890", "2024-01-01 10:30z", "2024-01-01 10", "\u0661\u0660:30",
        "10:30\n", "",
    ],
)  # fmt: skip
def test_other_spellings_have_no_form(cell: str) -> None:
    assert form_of(cell) is None


@pytest.mark.parametrize(
    "other",
    ["2024-01-01T10:30:05", "2024-01-01 10:30", "2024-01-01 10:30:05Z", "2024-01-01 10:30:05.5", "x" * 19],
)
def test_mixed_forms_stay_text(other: str) -> None:
    assert read_times(column("2024-01-01 10:30:05", other), TimeForm()) is None


def test_mixed_offsets_stay_text() -> None:
    cells = column("2024-01-01T10:30+01:00", "2024-06-01T10:30+02:00")
    assert read_times(cells, TimeForm("T", seconds=False, zone="+01:00")) is None


def test_an_offset_moves_the_instant_and_not_the_text() -> None:
    values = read_times(column("2024-01-01T00:30+05:30"), TimeForm("T", seconds=False, zone="+05:30"))
    assert values is not None
    assert values[0].as_py().astimezone(dt.UTC) == dt.datetime(2023, 12, 31, 19, 0, tzinfo=dt.UTC)


@settings(max_examples=300)
@given(
    st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)),
    st.sampled_from([" ", "T"]),
    st.integers(0, 6),
)
def test_every_moment_keeps_its_text(moment: dt.datetime, separator: str, digits: int) -> None:
    cell = moment.isoformat(separator, "microseconds")[: 20 + digits if digits else 19]
    values = back_and_forth(cell)
    assert values is not None
    assert values[0].as_py() == dt.datetime.fromisoformat(cell)


def test_only_days_of_the_calendar_are_dates() -> None:
    values = read_dates(column("2024-02-29", None, "0001-01-01", "9999-12-31"))
    assert values is not None and values[0].as_py() == dt.date(2024, 2, 29)
    for cell in (
        "2023-02-29",
        "2024-2-9",
        "2024-02-30",
        "20240229",
        "2024-02-29 ",
        "-2024-02-29",
        "10000-01-01",
    ):
        assert read_dates(column("2024-02-28", cell)) is None


def test_offsets_are_counted_in_seconds() -> None:
    assert [offset_seconds(zone) for zone in ("", "Z", "+02:00", "-0330", "+05")] == [
        0,
        0,
        7_200,
        -12_600,
        18_000,
    ]


@pytest.mark.parametrize("cell", ["0000-01-01", "0000-02-29", "0000-12-31"])
def test_the_year_0000_is_no_date(cell: str) -> None:
    assert read_dates(column("2024-05-01", cell)) is None


@pytest.mark.parametrize(
    "cell", ["0000-12-31 23:59:59", "0001-01-01T01:59:59+02:00", "9999-12-31T22:00:00-02:00"]
)
def test_a_moment_outside_the_years_1_to_9999_is_no_time(cell: str) -> None:
    assert back_and_forth(cell) is None


@pytest.mark.parametrize("cell", ["0001-01-01 00:00:00", "9999-12-31T23:59:59Z"])
def test_the_first_and_the_last_moment_are_times(cell: str) -> None:
    assert back_and_forth(cell) is not None
