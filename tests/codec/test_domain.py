import numpy as np
import pytest

from understudy.codec import domain
from understudy.codec.domain import bounds_of, can_be_missing, dtype_of, levels_of
from understudy.errors import SchemaError
from understudy.table.schema import Column


def number(type_="double", **parts):
    return Column(name="x", kind="numerical", type=type_, **parts)


@pytest.mark.parametrize(
    ("missing", "expected"),
    [(None, True), ({"rate": 0.0}, False), ({"rate": 0.01}, True), ({"rate": 1}, True)],
)
def test_only_a_rate_of_zero_rules_missing_out(missing, expected):
    assert can_be_missing(number(missing=missing)) is expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (Column(name="x", kind="categorical"), np.int32),
        (number(), np.float64),
        (number(resolution=0.01), np.int64),
        (number("int16"), np.int64),
        (number("decimal128(10, 2)"), np.int64),
        (Column(name="x", kind="date", type="date32[day]"), np.int64),
    ],
)
def test_the_schema_tells_codes_steps_and_floats_apart(column, expected):
    assert dtype_of(column) == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (number(), None),
        (number(bounds={"low": -1, "high": 2.5}), (-1.0, 2.5)),
        (number(resolution=0.01, bounds={"low": 0, "high": 1}), (0, 100)),
        (number("int64", bounds={"low": -(2**62) + 1, "high": 5}), (-(2**62) + 1, 5)),
        (
            Column(
                name="x",
                kind="date",
                type="date32[day]",
                bounds={"low": "1970-01-02", "high": "1970-02-01"},
            ),
            (1, 31),
        ),
    ],
)
def test_bounds_are_told_in_steps_or_floats(column, expected):
    found = bounds_of(column)
    assert found == expected
    assert found is None or {type(end) for end in found} == {type(end) for end in expected}


def test_a_column_without_a_type_is_refused():
    with pytest.raises(SchemaError, match="names no type"):
        dtype_of(number(None))


def test_bounds_of_time_in_the_wrong_order_are_refused():
    column = Column(
        name="x", kind="date", type="date32[day]", bounds={"low": "2020-01-02", "high": "2020-01-01"}
    )
    with pytest.raises(SchemaError, match="above its high bound"):
        bounds_of(column)


def test_bounds_that_no_float_can_hold_are_refused():
    with pytest.raises(SchemaError, match="too large"):
        bounds_of(number(bounds={"low": 0, "high": 10**400}))


def test_levels_must_be_known_and_not_too_many(monkeypatch):
    column = Column(name="x", kind="ordinal", levels={"values": (1, 2, 3)})
    assert levels_of(column) == 3
    with pytest.raises(SchemaError, match="lists no levels"):
        levels_of(Column(name="x", kind="ordinal"))
    monkeypatch.setattr(domain, "MOST_CODES", 3)
    with pytest.raises(SchemaError, match="3 levels; a codec holds fewer"):
        levels_of(column)
