"""Conditions in the caller's words: what they mean, and what is refused."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.engines.condition import Among, Between, IsMissing
from understudy.errors import NothingMatches, WhereError
from understudy.model.where import parse_where
from understudy.table.builtin import load
from understudy.table.schema import Column, Levels, Schema
from understudy.table.table import Table

SCHEMA = Schema.infer(load("people", rows=100))
SCHOOLS = ["primary", "secondary", "bachelor", "master", "doctorate"]


def one(name, wanted):
    return parse_where({name: wanted}, SCHEMA)[name]


def allowed(name, wanted):
    found = one(name, wanted)
    assert isinstance(found, Among)
    levels = [*SCHEMA.column(name).levels.values, None]
    return [level for level, good in zip(levels, found.allowed, strict=True) if good]


def test_no_conditions_are_no_conditions():
    assert parse_where(None, SCHEMA) == {}
    assert parse_where({}, SCHEMA) == {}


@pytest.mark.parametrize(
    ("name", "wanted", "levels"),
    [
        ("sex", "female", ["female"]),
        ("sex", ["female"], ["female"]),
        ("sex", {"female", "male"}, ["female", "male"]),
        ("sex", frozenset({"male", None}), ["male", None]),
        ("sex", None, [None]),
        ("sex", np.str_("male"), ["male"]),
        ("education", "master", ["master"]),
        ("education", ("bachelor", None), SCHOOLS[2:]),
        ("education", (None, "bachelor"), SCHOOLS[:3]),
        ("education", ("secondary", "master"), SCHOOLS[1:4]),
        ("education", (None, None), SCHOOLS),
        ("education", ["primary", None], ["primary", None]),
        ("member", True, [True]),
        ("member", np.bool_(False), [False]),
        ("member", "TRUE", [True]),
        ("member", [True, None], [True, None]),
    ],
)
def test_levels_are_asked_for_one_by_one_in_lists_and_in_ranges(name, wanted, levels):
    assert allowed(name, wanted) == levels


@pytest.mark.parametrize(
    ("wanted", "low", "high"),
    [
        (30, 30, 30),
        ((30, 40), 30, 40),
        ((30, None), 30, 2**62),
        ((None, 40), -(2**62), 40),
        ((29.5, 40.9), 30, 40),
        (("30", "40"), 30, 40),
        (30.0, 30, 30),
        (np.int8(30), 30, 30),
        (Decimal(30), 30, 30),
        ((float("-inf"), float("inf")), -(2**62), 2**62),
        ((-(10**30), 10**30), -(2**62), 2**62),
    ],
)
def test_a_range_of_whole_numbers_moves_inwards_to_whole_numbers(wanted, low, high):
    assert one("age", wanted) == Between(low, high)


def test_none_asks_for_a_missing_quantity():
    assert one("income", None) == IsMissing()
    assert one("joined", None) == IsMissing()


def test_a_float_column_takes_any_number():
    assert one("height_cm", (150, 160.5)) == Between(150.0, 160.5)
    assert one("height_cm", (None, 160.5)) == Between(-np.inf, 160.5)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("birthday", dt.date(1980, 1, 1)),
        ("birthday", (dt.date(1980, 1, 1), None)),
        ("birthday", ("1980-01-01", "1990-01-01")),
        ("birthday", pd.Timestamp("1980-01-01")),
        ("birthday", np.datetime64("1980-01-01")),
        ("joined", (dt.datetime(2015, 1, 1, tzinfo=dt.UTC), None)),
        ("joined", ("2015-01-01T00:00:00+00:00", None)),
        ("starts_at", (dt.time(7, 30), None)),
        ("waited", (dt.timedelta(hours=1), None)),
        ("waited", ("3600 s", None)),
        ("waited", ("3600", "01:30:00")),
        ("waited", "PT1H"),
        ("joined", dt.date(2015, 1, 1)),
        ("waited", np.timedelta64(3600, "s")),
    ],
)
def test_times_are_asked_for_as_objects_or_as_iso_text(name, wanted):
    assert isinstance(one(name, wanted), Between)


ZURICH = Schema(
    columns=(Column(name="t", kind="datetime", type="timestamp[us, tz=Europe/Zurich]", resolution="second"),)
)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("2024-02-01", "2024-02-02"),
        (dt.date(2024, 2, 1), dt.date(2024, 2, 2)),
        (dt.datetime(2024, 2, 1), dt.datetime(2024, 2, 2)),
        (pd.Timestamp("2024-02-01"), pd.Timestamp("2024-02-02")),
        ("2024-01-31T23:00:00Z", "2024-02-02T00:00:00+01:00"),
        (pd.Timestamp("2024-02-01", tz="Europe/Zurich"), pd.Timestamp("2024-02-02", tz="Europe/Zurich")),
    ],
    ids=["text", "days", "datetimes", "pandas", "with an offset", "with the zone"],
)
def test_a_moment_without_an_offset_is_in_the_zone_of_its_column(first, last):
    day = pd.date_range("2024-01-31 22:00", "2024-02-02 02:00", freq="h", tz="Europe/Zurich")
    inside = parse_where({"t": (first, last)}, ZURICH)["t"].accepts(day.as_unit("s").asi8)
    wanted = (day >= pd.Timestamp("2024-02-01", tz="Europe/Zurich")) & (
        day <= pd.Timestamp("2024-02-02", tz="Europe/Zurich")
    )
    assert inside.tolist() == wanted.tolist()


def test_moments_at_either_end_of_the_calendar_are_beyond_every_cell_of_a_zone():
    found = parse_where({"t": ("0001-01-01", dt.datetime.max)}, ZURICH)["t"]
    assert found.low < -(6 * 10**10) and found.high > 2 * 10**11


def test_a_length_that_cannot_be_read_is_answered_with_forms_that_can():
    with pytest.raises(WhereError, match=r"01:00:00.*PT1H30M") as refused:
        one("waited", 3600)
    for text in ("3600", "01:00:00", "2 days 01:00:00", "PT1H30M", "90 s"):
        assert f"'{text}'" in str(refused.value)
        assert isinstance(one("waited", (text, None)), Between)


def test_a_constant_column_can_be_asked_for_its_value_and_nothing_else():
    assert parse_where({"country": "Utopia"}, SCHEMA) == {}
    assert parse_where({"country": ["Utopia", None]}, SCHEMA) == {}
    with pytest.raises(WhereError, match="no such level"):
        parse_where({"country": "Erewhon"}, SCHEMA)
    with pytest.raises(NothingMatches, match="one value only"):
        parse_where({"country": None}, SCHEMA)


@pytest.mark.parametrize(
    ("kind", "cell", "words"),
    [
        (
            pa.timestamp("s", "Europe/Zurich"),
            dt.datetime(2024, 1, 31, 23, tzinfo=dt.UTC),
            ["2024-02-01", "2024-01-31T23:00Z", dt.date(2024, 2, 1), dt.datetime(2024, 2, 1)],
        ),
        (pa.timestamp("ms"), dt.datetime(2024, 2, 1), ["2024-02-01 00:00", dt.date(2024, 2, 1)]),
        (pa.duration("s"), dt.timedelta(seconds=90), ["90", "00:01:30", "90 s", dt.timedelta(seconds=90)]),
        (pa.time32("s"), dt.time(8), ["08:00:00", dt.time(8)]),
        (pa.date32(), dt.date(2024, 2, 1), ["2024-02-01", dt.date(2024, 2, 1)]),
    ],
    ids=["zoned", "moment", "length", "time of day", "date"],
)
def test_a_constant_time_is_asked_for_in_the_words_of_any_time(kind, cell, words):
    schema = Schema.infer(Table(pa.table({"t": pa.array([cell] * 40, kind)})))
    assert schema.column("t").kind == "constant"
    for word in words:
        assert parse_where({"t": word}, schema) == {}
    for word in ("2024-02-02", "09:00:00", "91", "nonsense"):
        with pytest.raises(WhereError, match="no such level"):
            parse_where({"t": word}, schema)


def test_a_column_that_is_always_missing_can_be_asked_for_nothing_else():
    assert parse_where({"fax": None}, SCHEMA) == {}
    assert parse_where({"fax": [None]}, SCHEMA) == {}
    with pytest.raises(NothingMatches, match="one value only"):
        parse_where({"fax": "123"}, SCHEMA)


BAD = {
    "not a mapping": [("sex", "female")],
    "text": "sex=female",
    "a number": 3,
    "a set": {"sex"},
    "an unknown column": {"nobody": 1},
    "a column by its place": {0: 1},
    "no name": {None: 1},
    "another case": {"Sex": "female"},
    "an id": {"person_id": "P0000001"},
    "an unknown level": {"sex": "Female"},
    "an empty level": {"sex": ""},
    "an unknown level in a list": {"sex": ["female", "other"]},
    "no level at all": {"sex": []},
    "an empty set": {"sex": set()},
    "a level that is a number": {"sex": 1},
    "a level that is a truth value": {"sex": True},
    "a level that is bytes": {"sex": b"female"},
    "a level that is a mapping": {"sex": {"is": "female"}},
    "a level that is NaN": {"sex": float("nan")},
    "a level that is pandas' NA": {"sex": pd.NA},
    "a level that is half a character": {"sex": "\ud800"},
    "a level beyond 64 bits": {"sex": 2**70},
    "a level that is an array": {"sex": np.array(["female"])},
    "a level that is an object": {"sex": object()},
    "a list in a list": {"sex": [["female"]]},
    "a range of unordered levels": {"sex": ("female", "male")},
    "a range of truth values": {"member": (False, True)},
    "a truth value that is a number": {"member": 1},
    "a truth value that is a word": {"member": "perhaps"},
    "an ordered range the wrong way round": {"education": ("master", "primary")},
    "an ordered range to an unknown level": {"education": ("primary", "habilitation")},
    "an ordered range of one": {"education": ("primary",)},
    "an ordered range of three": {"education": ("primary", "bachelor", "master")},
    "a range the wrong way round": {"age": (40, 30)},
    "a range of one": {"age": (30,)},
    "a range of three": {"age": (30, 35, 40)},
    "an empty range": {"age": ()},
    "a range between two whole numbers": {"age": (30.2, 30.8)},
    "a broken number for a whole one": {"age": 30.5},
    "a list of numbers": {"age": [30, 31]},
    "a set of numbers": {"age": {30, 31}},
    "a word for a number": {"age": "thirty"},
    "an empty text for a number": {"age": ""},
    "a truth value for a number": {"age": True},
    "NaN for a number": {"age": float("nan")},
    "NaN in a range": {"age": (float("nan"), 40)},
    "NaN for a float": {"height_cm": np.nan},
    "a word for a float": {"height_cm": "tall"},
    "a number with too many digits after the point": {"age": (1e-300, 1e-299)},
    "a mapping for a number": {"age": {"low": 1}},
    "an array for a number": {"age": np.array([1, 2])},
    "a date for a number": {"age": dt.date(2000, 1, 1)},
    "a complex number": {"age": 1 + 2j},
    "pandas' NA for a number": {"age": pd.NA},
    "a number for a date": {"birthday": 1980},
    "a float for a date": {"birthday": 1980.5},
    "a word for a date": {"birthday": "yesterday"},
    "an impossible date": {"birthday": "1980-02-30"},
    "a date range the wrong way round": {"birthday": ("1990-01-01", "1980-01-01")},
    "noon for a date": {"birthday": dt.datetime(1980, 1, 1, 12)},
    "a number for a moment": {"joined": 1_500_000_000},
    "a moment that is none": {"joined": "2015-13-01T00:00:00+00:00"},
    "pandas' NaT for a moment": {"joined": pd.NaT},
    "a fraction of a second for whole seconds": {"joined": dt.datetime(2015, 1, 1, 0, 0, 0, 5, dt.UTC)},
    "numpy's NaT for a moment": {"joined": np.datetime64("NaT", "us")},
    "numpy's NaT for a length of time": {"waited": np.timedelta64("NaT", "us")},
    "a number for a time of day": {"starts_at": 7},
    "a time of day that is none": {"starts_at": "25:00:00"},
    "a number for a length of time": {"waited": 100},
    "a length of time in an unknown unit": {"waited": "100 fortnights"},
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_condition_is_a_typed_error(what):
    with pytest.raises(WhereError) as caught:
        parse_where(BAD[what], SCHEMA)
    assert str(caught.value).startswith("where: ")


def test_the_error_names_the_column_and_never_the_value():
    with pytest.raises(WhereError) as caught:
        parse_where({"sex": "a secret"}, SCHEMA)
    assert "'sex'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_unknown_column_is_answered_with_some_that_exist():
    with pytest.raises(WhereError, match=r"choose from age, sex, education, .*\.\.\."):
        parse_where({"nobody": 1}, SCHEMA)


@pytest.mark.parametrize(
    "asked", [2**63 + 1, np.uint64(2**63 + 1), str(2**63 + 1)], ids=["int", "numpy", "text"]
)
def test_a_level_beyond_signed_numbers_can_be_asked_for(asked):
    schema = Schema.infer(Table(pa.table({"n": pa.array([2**63 + i % 3 for i in range(40)], pa.uint64())})))
    assert schema.column("n").kind == "categorical"
    assert parse_where({"n": asked}, schema)["n"].allowed.tolist() == [False, True, False, False]
    for absent in (2**63 + 9, 2**64, -(2**70)):
        with pytest.raises(WhereError, match="no such level"):
            parse_where({"n": absent}, schema)


def test_a_level_longer_than_any_integer_can_be_asked_for():
    cells = pa.array([Decimal(10**30 + i % 3) for i in range(40)], pa.decimal128(38, 0))
    schema = Schema.infer(Table(pa.table({"n": cells})))
    assert parse_where({"n": 10**30 + 2}, schema)["n"].allowed.tolist() == [False, False, True, False]


def test_minus_zero_asks_for_the_level_zero():
    cells = pa.array([0.0, 1.5, -0.0]).dictionary_encode()
    schema = Schema.infer(Table(pa.table({"x": cells})))
    assert parse_where({"x": -0.0}, schema)["x"].allowed.tolist() == [True, False, False]


def test_a_range_may_end_where_nanoseconds_cannot_count():
    moments = pa.array([1_700_000_000_000_000_000 + i for i in range(40)], pa.timestamp("ns"))
    schema = Schema.infer(Table(pa.table({"t": moments})))
    assert parse_where({"t": (None, "9999-12-31")}, schema)["t"] == Between(-(2**62), 2**62)


def test_a_level_that_was_not_bought_may_have_been_too_dear():
    bought = Column(
        name="x", kind="categorical", type="string", levels=Levels(values=("a",), source="bought")
    )
    with pytest.raises(WhereError, match=r"budget may have been too small .* declare the levels"):
        parse_where({"x": "b"}, Schema(columns=(bought,)))
    declared = bought.model_copy(update={"levels": Levels(values=("a",))})
    with pytest.raises(WhereError, match=r"no such level.* lists its 1\.$"):
        parse_where({"x": "b"}, Schema(columns=(declared,)))
