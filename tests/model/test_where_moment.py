"""Moments without an offset are those of the column's own zone."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.model.where_moment import in_zone

ZURICH = pa.timestamp("s", "Europe/Zurich")


@pytest.mark.parametrize(
    "value",
    [
        "2024-02-01",
        " 2024-02-01 00:00 ",
        "2024-02-01T00:00:00.000",
        dt.date(2024, 2, 1),
        dt.datetime(2024, 2, 1),
        pd.Timestamp("2024-02-01"),
        np.datetime64("2024-02-01"),
    ],
    ids=str,
)
def test_a_day_begins_when_it_begins_in_the_zone(value):
    assert in_zone(value, ZURICH) == "2024-01-31 23:00:00Z"
    assert in_zone(value, pa.timestamp("ns", "-03:30")) == "2024-02-01 03:30:00Z"


@pytest.mark.parametrize(
    "value",
    [
        "2024-02-01T00:00Z",
        "2024-02-01 00:00+05:00",
        dt.datetime(2024, 2, 1, tzinfo=dt.UTC),
        "x",
        "",
        5,
        None,
        pd.NaT,
    ],
    ids=str,
)
def test_what_has_an_offset_or_is_no_moment_stays_as_it_is(value):
    assert in_zone(value, ZURICH) is value


def test_an_hour_that_comes_twice_is_the_first_and_one_that_is_skipped_ends_at_the_gap():
    assert in_zone("2024-10-27 02:30", ZURICH) == "2024-10-27 00:30:00Z"
    assert in_zone("2024-03-31 02:30", ZURICH) == "2024-03-31 01:00:00Z"


def test_a_fraction_of_a_second_is_written_as_short_as_it_can_be():
    assert in_zone("2024-02-01 00:00:10.250", ZURICH) == "2024-01-31 23:00:10.25Z"


def test_a_nanosecond_is_kept():
    assert in_zone(pd.Timestamp("2024-02-01 00:00:00.000000001"), ZURICH) == "2024-01-31 23:00:00.000000001Z"


def test_the_last_moment_of_all_is_not_carried_past_the_years_that_are_written():
    assert in_zone(dt.datetime.max, pa.timestamp("s", "America/New_York")) is dt.datetime.max


def test_a_day_is_its_midnight_where_there_is_no_zone_and_all_else_stays():
    assert in_zone(dt.date(2024, 2, 1), pa.timestamp("s")) == "2024-02-01"
    for value in ("2024-02-01", dt.datetime(2024, 2, 1), 5):
        assert in_zone(value, pa.timestamp("s")) is value
    assert in_zone(dt.date(2024, 2, 1), pa.date32()) == dt.date(2024, 2, 1)
