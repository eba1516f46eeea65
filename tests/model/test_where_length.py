"""Lengths of time in the words of those who ask for them."""

import datetime as dt

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from understudy.model.where_length import as_length, length_text

SECONDS = pa.duration("s")


def seconds(text):
    count, unit = as_length(text, SECONDS).split()
    return int(count) / {"s": 1, "us": 10**6, "ns": 10**9}[unit]


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("3600", 3600),
        ("5400.500", 5400.5),
        ("-3", -3),
        (" 90 ", 90),
        ("01:00:00", 3600),
        ("-1:00:00.25", -3600.25),
        ("100:00:00", 360_000),
        ("0 days 01:00:00", 3600),
        ("2 days 01:00:00", 176_400),
        ("1 day", 86_400),
        ("-1 days +23:00:00", -3600),
        ("PT1H", 3600),
        ("PT1H30M", 5400),
        ("P1DT0.5S", 86_400.5),
        ("P2W", 1_209_600),
        ("-PT5S", -5),
    ],
)
def test_seconds_clocks_days_and_iso_texts_are_lengths(text, length):
    assert seconds(text) == length


@given(st.timedeltas(dt.timedelta(days=-10_000), dt.timedelta(days=10_000)))
def test_what_pandas_and_python_print_of_a_length_is_that_length(length):
    micros = f"{length // dt.timedelta(microseconds=1)} us"
    assert as_length(str(length), SECONDS) == micros
    assert as_length(str(pd.Timedelta(length)), SECONDS) == micros
    assert as_length(pd.Timedelta(length).isoformat(), SECONDS) == micros or length < dt.timedelta(0)


@given(st.integers(-(2**61), 2**61))
def test_a_length_that_is_printed_here_is_read_back_to_the_nanosecond(nanoseconds):
    count, unit = as_length(length_text(nanoseconds), SECONDS).split()
    assert int(count) * {"us": 1_000, "ns": 1}[unit] == nanoseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P",
        "PT",
        "P1DT",
        "P1M",
        "1e3",
        "25:61:00",
        "1:00",
        "100 fortnights",
        "٣",
        "0.00000000001",
        "9" * 61,
    ],
)
def test_what_is_no_length_stays_as_it_is(text):
    assert as_length(text, SECONDS) == text


def test_only_text_for_a_column_of_lengths_is_read():
    assert as_length("3600", pa.timestamp("s")) == "3600"
    assert as_length(3600, SECONDS) == 3600
    assert as_length(None, SECONDS) is None


def test_lengths_that_no_column_holds_are_cut_at_the_end_of_all():
    assert as_length("9" * 50, SECONDS) == f"{2**62} s"
    assert as_length("-" + "9" * 50, SECONDS) == f"-{2**62} s"
