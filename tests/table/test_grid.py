"""Steps and cells are exact inverses for every type, or a typed error says that they cannot be."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from understudy.errors import SchemaError
from understudy.missing import MISSING_STEP
from understudy.table.grid import Grid, grid_of, largest_float_step, reach, time_units
from understudy.table.schema import Column

WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
TIMES = [
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    *(pa.timestamp(unit, zone) for unit in ("s", "ns") for zone in ("UTC", "Europe/Berlin", "+05:30")),
    pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
    *(pa.duration(unit) for unit in ("s", "ms", "us", "ns")),
]  # fmt: skip
DECIMALS = [(bits, p, s) for bits, p, s in [
    (32, 9, 0), (32, 9, 2), (64, 18, 4), (128, 38, 0), (128, 38, 10), (128, 38, -3), (128, 18, 18),
    (256, 76, 0), (256, 76, 40),
]]  # fmt: skip
LARGEST = 2**62


def kind_of(kind):
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_time(kind):
        return "time"
    if pa.types.is_duration(kind):
        return "duration"
    return "datetime" if pa.types.is_timestamp(kind) else "numerical"


def column(kind, **parts):
    return Column(name="c", kind=kind_of(kind), type=str(kind), **parts)


def raw_range(kind):
    if pa.types.is_time(kind):
        return 0, 86_400 * 10**9 // time_units(kind) - 1
    if pa.types.is_integer(kind):
        info = np.iinfo(kind.to_pandas_dtype())
        return max(int(info.min), -LARGEST + 1), min(int(info.max), LARGEST - 1)
    bits = 31 if kind.bit_width == 32 else 62
    return -(2**bits) + 1, 2**bits - 1


def from_raw(raw, kind):
    if pa.types.is_integer(kind):
        return pa.array(raw, kind)
    return pa.array(raw, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)


@pytest.mark.parametrize("kind", WHOLE + TIMES, ids=str)
@settings(max_examples=25)
@given(data=st.data())
def test_cells_become_steps_and_the_same_cells_again(kind, data):
    low, high = raw_range(kind)
    whole = st.one_of(st.none(), st.integers(low, high), st.sampled_from([low, high, max(low, 0)]))
    cells = from_raw(data.draw(st.lists(whole, max_size=20)), kind)
    offset = data.draw(st.integers(0, len(cells)))
    grid = grid_of(column(kind))
    steps = grid.to_steps(cells.slice(offset), "c")
    assert steps.dtype == np.int64
    assert ((steps == MISSING_STEP) == np.asarray(cells.slice(offset).is_null())).all()
    assert grid.from_steps(steps).equals(cells.slice(offset))
    assert grid.from_steps(steps).type == kind


@pytest.mark.parametrize(("bits", "precision", "scale"), DECIMALS)
@settings(max_examples=40)
@given(data=st.data())
def test_decimals_become_steps_and_the_same_decimals_again(bits, precision, scale, data):
    if not hasattr(pa, f"decimal{bits}"):
        pytest.skip("this pyarrow has no such decimals")
    kind = getattr(pa, f"decimal{bits}")(precision, scale)
    most = min(10**precision, LARGEST) - 1
    whole = st.one_of(st.none(), st.integers(-most, most), st.sampled_from([-most, most, 0, -1]))
    drawn = data.draw(st.lists(whole, max_size=20))
    cells = pa.array([None if n is None else Decimal(n).scaleb(-scale) for n in drawn], kind)
    offset = data.draw(st.integers(0, len(cells)))
    grid = grid_of(column(kind))
    steps = grid.to_steps(cells.slice(offset), "c")
    assert steps.tolist() == [MISSING_STEP if n is None else n for n in drawn[offset:]]
    assert grid.from_steps(steps).equals(cells.slice(offset))


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("decimals", [-2, 0, 1, 2, 6, 12])
@settings(max_examples=60)
@given(data=st.data())
def test_floats_on_a_grid_become_steps_and_the_same_floats_again(kind, decimals, data):
    most = (largest_float_step(decimals) if kind == pa.float64() else 2**50) - 1
    steps = data.draw(st.lists(st.one_of(st.none(), st.integers(-most, most)), max_size=20))
    floats = [None if s is None else float(Decimal(s).scaleb(-decimals)) for s in steps]
    cells = pa.array(floats, pa.float64()).cast(kind, safe=False)
    grid = grid_of(column(kind, resolution=float(f"1e{-decimals}")))
    found = grid.to_steps(cells, "c")
    assert grid.from_steps(found).equals(cells)
    if kind == pa.float64():
        assert found.tolist() == [MISSING_STEP if s is None else s for s in steps]


@pytest.mark.parametrize("cells", [
    pa.array([2**62]), pa.array([-(2**62)]), pa.array([2**63 - 1]), pa.array([-(2**63)]),
    pa.array([2**63], pa.uint64()), pa.array([2**64 - 1], pa.uint64()),
    pa.array([2**62]).view(pa.timestamp("ns")), pa.array([-(2**63)]).view(pa.duration("s")),
    pa.array([Decimal(2**62)], pa.decimal128(38, 0)), pa.array([Decimal(-(2**62))], pa.decimal256(76, 0)),
    pa.array([Decimal(2**64)], pa.decimal128(38, 0)), pa.array([Decimal(2**64 + 5)], pa.decimal128(38, 0)),
    pa.array([Decimal(10) ** 37], pa.decimal128(38, 0)), pa.array([Decimal(2**200)], pa.decimal256(76, 0)),
], ids=lambda cells: f"{cells.type}")  # fmt: skip
def test_numbers_beyond_what_steps_can_count_are_refused_and_never_wrong(cells):
    with pytest.raises(SchemaError, match=r"^column 'c': numbers beyond 2\*\*62") as caught:
        grid_of(column(cells.type)).to_steps(cells, "column 'c'")
    assert "4611686018427387904" not in str(caught.value)


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), 1e300, 2.0**53, -(2.0**53), 1.7e308])
@pytest.mark.parametrize("resolution", [1.0, 0.01, 1e-6])
def test_floats_that_are_infinite_or_too_large_for_their_resolution_are_refused(value, resolution):
    grid = grid_of(column(pa.float64(), resolution=resolution))
    with pytest.raises(SchemaError, match="infinite or too large for its resolution"):
        grid.to_steps(pa.array([1.0, value]), "c")


def test_nan_and_null_are_both_missing():
    grid = grid_of(column(pa.float64(), resolution=0.1))
    assert grid.to_steps(pa.array([0.1, float("nan"), None]), "c").tolist() == [1, MISSING_STEP, MISSING_STEP]
    assert grid.from_steps(np.array([1, MISSING_STEP])).to_pylist() == [0.1, None]


@pytest.mark.parametrize("kind", [*WHOLE, *TIMES, pa.decimal128(38, 2), pa.float64()], ids=str)
def test_no_cells_are_no_steps(kind):
    grid = grid_of(column(kind, resolution=1.0) if kind == pa.float64() else column(kind))
    assert grid.to_steps(pa.array([], kind), "c").tolist() == []
    assert grid.from_steps(np.array([], dtype=np.int64)).equals(pa.array([], kind))


def test_a_float_without_a_resolution_is_on_no_grid():
    assert grid_of(column(pa.float64())) is None


def test_a_moment_belongs_to_the_hour_it_falls_in():
    # Rounding would make 24:00 of 23:45, which is no time of day.
    cells = pa.array([dt.time(23, 45), dt.time(0, 10)], pa.time32("s"))
    grid = grid_of(column(cells.type, resolution="hour"))
    assert grid.from_steps(grid.to_steps(cells, "c")).to_pylist() == [dt.time(23), dt.time(0)]
    moments = pa.array([dt.datetime(1969, 12, 31, 23, 59), dt.datetime(2024, 2, 29, 18)], pa.timestamp("ns"))
    grid = grid_of(column(moments.type, resolution="day"))
    days = grid.from_steps(grid.to_steps(moments, "c")).cast(pa.timestamp("us")).to_pylist()
    assert days == [dt.datetime(1969, 12, 31), dt.datetime(2024, 2, 29)]


@pytest.mark.parametrize(("kind", "resolution", "cells", "steps"), [
    (pa.int64(), 100.0, [149, 150, -149, None], [1, 2, -1, MISSING_STEP]),
    (pa.decimal128(10, 2), 1.0, [Decimal("1.49"), Decimal("1.50"), None], [1, 2, MISSING_STEP]),
    (pa.decimal128(38, 30), 0.01, [Decimal("12345678.905")], [1_234_567_891]),
    (pa.decimal128(10, 2), 100.0, [Decimal("149.99"), Decimal("250.00")], [1, 3]),
    (pa.duration("s"), "minute", [89, 91], [1, 2]),
    (pa.int64(), 0.01, [7], [7]),
])  # fmt: skip
def test_a_declared_resolution_coarser_than_the_type_rounds_to_it(kind, resolution, cells, steps):
    grid = grid_of(column(kind, resolution=resolution))
    assert grid.to_steps(pa.array(cells, kind), "c").tolist() == steps


@pytest.mark.parametrize(("kind", "resolution", "cell"), [
    (pa.int8(), 10.0, 127), (pa.uint8(), 100.0, 255), (pa.int16(), 1_000.0, -32_768),
    (pa.decimal128(5, 2), 1.0, Decimal("999.99")),
])  # fmt: skip
def test_a_step_that_the_type_cannot_hold_is_refused_when_rows_are_read(kind, resolution, cell):
    with pytest.raises(SchemaError, match=r"outside the type .* use a finer resolution"):
        grid_of(column(kind, resolution=resolution)).to_steps(pa.array([cell], kind), "c")


@pytest.mark.parametrize(("kind", "step"), [
    (pa.int8(), 128), (pa.uint8(), -1), (pa.int32(), 2**31), (pa.decimal128(5, 2), 100_000),
    (pa.time32("s"), 2**40), (pa.date32(), -(2**40)),
])  # fmt: skip
def test_steps_beyond_the_type_are_a_typed_error(kind, step):
    with pytest.raises(SchemaError):
        grid_of(column(kind)).from_steps(np.array([step]))


def test_a_day_in_nanoseconds_far_beyond_2116_still_counts_when_days_are_enough():
    cells = pa.array([dt.datetime(2200, 1, 1), dt.datetime(1700, 1, 1), None], pa.timestamp("ns"))
    with pytest.raises(SchemaError, match="numbers beyond"):
        grid_of(column(cells.type)).to_steps(cells, "c")
    grid = grid_of(column(cells.type, resolution="day"))
    assert grid.from_steps(grid.to_steps(cells, "c")).equals(cells)


def test_a_product_that_leaves_64_bits_is_an_error_and_not_another_number():
    with pytest.raises(SchemaError):
        Grid(pa.int64(), divisor=10**9).from_steps(np.array([2**40]))


@pytest.mark.parametrize(("kind", "resolution"), [
    (pa.date32(), "hour"), (pa.timestamp("s"), "millisecond"), (pa.float64(), 1e-30), (pa.float64(), 1e30),
    (pa.int64(), 1e25),
])  # fmt: skip
def test_a_resolution_that_does_not_fit_its_type_is_refused(kind, resolution):
    with pytest.raises(SchemaError, match="does not fit the type"):
        grid_of(column(kind, resolution=resolution))


@pytest.mark.parametrize(("kind", "arrow"), [
    ("numerical", "string"), ("numerical", "bool"), ("numerical", "date32[day]"), ("datetime", "int64"),
    ("time", "string"), ("duration", "double"),
])  # fmt: skip
def test_a_type_that_cannot_be_counted_is_refused(kind, arrow):
    with pytest.raises(SchemaError, match=f"cannot be {kind}; change its kind"):
        grid_of(Column(name="c", kind=kind, type=arrow))


@pytest.mark.parametrize("kind", [*WHOLE, *TIMES, pa.decimal128(18, 4), pa.decimal256(76, 20)], ids=str)
@settings(max_examples=15)
@given(data=st.data())
def test_what_a_schema_writes_for_a_step_is_read_as_the_same_step(kind, data):
    low, high = (-(2**61), 2**61) if pa.types.is_decimal(kind) else raw_range(kind)
    if pa.types.is_decimal(kind):
        low, high = max(low, -(10**kind.precision) + 1), min(high, 10**kind.precision - 1)
    elif not pa.types.is_integer(kind) and not pa.types.is_duration(kind) and not pa.types.is_time(kind):
        # ISO text has four digits for the year; 32-bit seconds and all nanoseconds stay within them.
        century = 86_400 * 10**9 * 36_525
        low, high = -century // time_units(kind), century // time_units(kind)
        if pa.types.is_date64(kind):
            low, high = low // 86_400_000, high // 86_400_000
    step = data.draw(st.one_of(st.integers(low, high), st.sampled_from([low, high])))
    step = step * 86_400_000 if pa.types.is_date64(kind) else step
    grid = grid_of(column(kind))
    assert grid.step_of(grid.value_of(step), "c") == step


@pytest.mark.parametrize(("kind", "value", "step"), [
    (pa.int64(), 5, 5), (pa.int64(), 5.0, 5), (pa.int64(), "5", 5), (pa.int64(), np.int8(5), 5),
    (pa.decimal128(10, 2), 0.1, 10), (pa.decimal128(10, 2), "0.10", 10), (pa.decimal128(10, 2), 3, 300),
    (pa.decimal128(38, 10), "1e8", 10**18),
    (pa.date32(), "1970-01-03", 2), (pa.date32(), dt.date(1970, 1, 3), 2),
    (pa.timestamp("s"), "1970-01-01 00:01:00", 60), (pa.timestamp("s"), "1970-01-02", 86_400),
    (pa.timestamp("ns", "UTC"), "1970-01-01T00:00:00.123456789Z", 123_456_789),
    (pa.timestamp("s", "Europe/Berlin"), "1970-01-01T01:00:00+01:00", 0),
    (pa.timestamp("s", "Europe/Berlin"), "1970-01-01 00:00:10", 10),
    (pa.time32("s"), "00:01:00", 60), (pa.time64("us"), dt.time(0, 0, 1), 10**6),
    (pa.duration("ms"), "2 s", 2_000), (pa.duration("s"), dt.timedelta(minutes=1), 60),
])  # fmt: skip
def test_a_value_is_read_as_the_step_it_stands_on(kind, value, step):
    assert grid_of(column(kind)).step_of(value, "c") == step


@pytest.mark.parametrize(("kind", "value"), [
    (pa.int64(), "x"), (pa.int64(), 5.5), (pa.int64(), True), (pa.int64(), None), (pa.int64(), float("nan")),
    (pa.int64(), float("inf")), (pa.int64(), 2**70), (pa.int8(), 300), (pa.int64(), []), (pa.int64(), b"5"),
    (pa.decimal128(5, 2), "abc"), (pa.decimal128(5, 2), 10**9), (pa.decimal128(5, 2), float("nan")),
    (pa.decimal128(5, 2), None), (pa.date32(), "tomorrow"), (pa.date32(), "2024-13-01"), (pa.date32(), True),
    (pa.timestamp("s"), "2024-02-30"), (pa.timestamp("s"), "2024-01-01T00:00:00Z"), (pa.timestamp("s"), ""),
    (pa.timestamp("ns"), "9999-01-01"), (pa.time32("s"), "25:00:00"), (pa.duration("s"), "5"),
    (pa.duration("s"), "five s"), (pa.duration("s"), "5 weeks"), (pa.duration("ns"), "9999999999999 s"),
    (pa.duration("s"), "1 2 3"), (pa.timestamp("s", "UTC"), "noon"),
], ids=lambda x: str(x)[:20])  # fmt: skip
def test_a_value_that_fits_no_step_is_refused_without_being_told(kind, value):
    with pytest.raises(SchemaError, match=r"^c: the given value") as caught:
        grid_of(column(kind)).step_of(value, "c")
    if isinstance(value, str) and len(value) > 3:
        assert value not in str(caught.value)


@pytest.mark.parametrize("value", [None, float("nan"), "x", True, []])
def test_a_float_grid_refuses_what_is_no_number(value):
    with pytest.raises(SchemaError, match="the given value"):
        grid_of(column(pa.float64(), resolution=0.1)).step_of(value, "c")


def test_a_decimal_that_no_float_holds_is_written_as_text():
    grid = grid_of(column(pa.decimal128(38, 4)))
    assert grid.value_of(1_000_000_000_000_000_001) == "100000000000000.0001"
    assert grid.value_of(125_000) == 12.5 or grid.value_of(125_000) == pytest.approx(12.5)
    assert grid.value_of(120_000) == 12


@pytest.mark.parametrize("decimals", [0, 2])
@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
def test_the_ends_of_the_reach_of_floats_are_steps_themselves(kind, decimals):
    grid = Grid(kind, decimals=decimals)
    for end in reach(grid):
        grid.step_of(grid.value_of(end), "end")
