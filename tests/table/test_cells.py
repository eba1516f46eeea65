from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import SchemaError
from understudy.table.cells import as_levels, as_numbers, flat_cells, time_family

DAY = 86_400


def numbers(cells, kind=None):
    return as_numbers(cells, cells.type if kind is None else kind, "x").tolist()


def test_chunks_dictionaries_and_nan_are_flattened():
    cells = pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()])
    assert flat_cells(cells).to_pylist() == ["a", "b"]
    assert flat_cells(pa.chunked_array([[1.0, float("nan")]])).null_count == 1


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([1, 2], pa.int8()),
        pa.array([1, 2], pa.uint64()),
        pa.array([1.0, 2.0], pa.float32()),
        pa.array([Decimal("1.00"), Decimal("2.00")]),
        pa.array(["1", " 2.0 "]),
        pa.array(["1", "2e0"], pa.large_string()),
    ],
    ids=lambda cells: str(cells.type),
)
def test_a_number_is_a_number_in_any_type(cells):
    assert numbers(cells, pa.int64()) == [1.0, 2.0]


def test_truth_values_count_as_0_and_1():
    assert numbers(pa.array([True, False, None]), pa.float64())[:2] == [1.0, 0.0]


def test_fractions_are_kept_where_the_schema_has_whole_numbers():
    assert numbers(pa.array([31.7]), pa.int64()) == [31.7]


def test_a_number_rounded_to_32_bits_equals_the_one_it_came_from():
    single = as_numbers(pa.array([0.1], pa.float32()), pa.float32(), "x")
    assert as_numbers(pa.array([0.1]), pa.float32(), "x") == single


def test_missing_cells_of_any_type_are_nan():
    for kind in (pa.string(), pa.bool_(), pa.int64(), pa.date32(), pa.time64("us")):
        assert np.isnan(as_numbers(pa.nulls(3, kind), pa.int64(), "x")).all()


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([DAY], pa.int64()).view(pa.timestamp("s")),
        pa.array([DAY * 10**9], pa.int64()).view(pa.timestamp("ns", "Asia/Tokyo")),
        pa.array([1], pa.int32()).view(pa.date32()),
        pa.array(["1970-01-02"]),
        pa.array(["1970-01-02 00:00:00Z"]),
        pa.array(["1970-01-02T01:00:00+01:00"]),
    ],
    ids=lambda cells: str(cells.type),
)
def test_a_moment_is_the_same_number_of_ticks_in_any_unit_and_zone(cells):
    assert numbers(cells, pa.timestamp("ms")) == [DAY * 1000.0]
    assert numbers(cells, pa.date32()) == [1.0]


def test_a_far_year_does_not_wrap_around_in_nanoseconds():
    year = pa.array([40_000_000_000], pa.int64()).view(pa.timestamp("s"))
    assert numbers(year, pa.timestamp("ns")) == [4e19]


def test_moments_in_nanoseconds_and_microseconds_meet_exactly():
    now = 1_700_000_000_123_456
    fine = pa.array([now * 1000], pa.int64()).view(pa.timestamp("ns"))
    assert numbers(pa.array([now], pa.int64()).view(pa.timestamp("us")), pa.timestamp("ns")) == numbers(fine)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pa.array(["ten"]), pa.int64()),
        (pa.array([1], pa.int32()).view(pa.date32()), pa.float64()),
        (pa.array([86_400]), pa.timestamp("s")),
        (pa.array([True]), pa.duration("s")),
        (pa.array(["soon"]), pa.timestamp("s")),
        (pa.array([1], pa.int64()).view(pa.duration("s")), pa.timestamp("s")),
    ],
    ids=str,
)
def test_cells_that_are_no_such_number_are_refused_without_being_told(cells, kind):
    with pytest.raises(SchemaError, match=r"column 'x' holds (numbers|times); got cells of type") as caught:
        as_numbers(cells, kind, "x")
    assert "soon" not in str(caught.value) and "ten" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        (pa.array([1.0, 2.0, None]), pa.int64(), [1, 2, None]),
        (pa.array(["1", " 2"]), pa.int64(), [1, 2]),
        (pa.array([True, False]), pa.int64(), [1, 0]),
        (pa.array(["True", "FALSE"]), pa.bool_(), [True, False]),
        (pa.array([0.0, 1.0]), pa.bool_(), [False, True]),
        (pa.array([Decimal("1.50")]), pa.decimal128(3, 1), [Decimal("1.5")]),
        (pa.nulls(2, pa.string()), pa.bool_(), [None, None]),
    ],
    ids=str,
)
def test_levels_are_read_in_the_wanted_type(cells, kind, levels):
    assert as_levels(cells, kind).to_pylist() == levels


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pa.array([1.5]), pa.int64()),
        (pa.array([2]), pa.bool_()),
        (pa.array([2.0, None]), pa.bool_()),
        (pa.array(["yes"]), pa.bool_()),
        (pa.array(["x"]), pa.float64()),
        (pa.array([300]), pa.int8()),
    ],
    ids=str,
)
def test_a_level_that_the_type_cannot_hold_is_no_level_of_it(cells, kind):
    assert as_levels(cells, kind) is None


def test_two_zeros_are_one_level():
    assert str(as_levels(pa.array([-0.0]), pa.float64())[0]) == "0.0"


def test_families_of_times():
    kinds = [pa.date32(), pa.timestamp("s", "UTC"), pa.time32("s"), pa.duration("ns"), pa.int64()]
    assert [time_family(kind) for kind in kinds] == ["moment", "moment", "time", "duration", ""]
