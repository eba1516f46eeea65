"""The step of a column: the coarsest on which every value lies, and none where there is none."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from understudy.table.resolution import decimal_resolution, resolution_of

D = Decimal


@pytest.mark.parametrize(("cells", "step"), [
    (pa.array([1, 2]), 1.0),
    (pa.array([1.0, 20.0, None]), 1.0),
    (pa.array([0.5, 1.0]), 0.1),
    (pa.array([0.29, 0.57, 1.1]), 0.01),
    (pa.array([0.1, 0.25], pa.float32()), 0.01),
    (pa.array([1e-6]), 1e-6),
    (pa.array([1e-7]), None),
    (pa.array([np.pi]), None),
    (pa.array([1 / 3, 0.5]), None),
    (pa.array([float("nan"), 2.5]), 0.1),
    (pa.array([float("inf"), 2.5]), None),
    (pa.array([1.7e308, 2.5]), None),
    (pa.array([2.0**53 - 1]), 1.0),
    (pa.array([2.0**53]), None),
    (pa.array([D("12.50"), D("1.00")], pa.decimal128(10, 2)), 0.1),
    (pa.array([D("12.00"), None], pa.decimal128(10, 2)), 1.0),
    (pa.array([D("12.25")], pa.decimal128(38, 20)), 0.01),
    (pa.array([D("12.25")], pa.decimal128(38, 2)), 0.01),
    (pa.array([D("12000")], pa.decimal128(10, -3)), 1000.0),
    (pa.array([None], pa.decimal128(10, 2)), 0.01),
    (pa.array([dt.date(2024, 1, 1)]), "day"),
    (pa.array([dt.date(2024, 1, 1)], pa.date64()), "day"),
    (pa.array([dt.datetime(2024, 1, 1)], pa.timestamp("ns")), "day"),
    (pa.array([dt.datetime(2024, 1, 1, 5)], pa.timestamp("ns")), "hour"),
    (pa.array([dt.datetime(2024, 1, 1, 5, 30), None], pa.timestamp("us")), "minute"),
    (pa.array([dt.datetime(1960, 1, 1, 5, 30, 1)], pa.timestamp("s")), "second"),
    (pa.array([1_001], pa.int64()).view(pa.timestamp("ms")), "millisecond"),
    (pa.array([1], pa.int64()).view(pa.timestamp("us", "UTC")), "microsecond"),
    (pa.array([1], pa.int64()).view(pa.timestamp("ns")), "nanosecond"),
    (pa.array([dt.time(8, 15)], pa.time32("s")), "minute"),
    (pa.array([dt.timedelta(hours=3)], pa.duration("ns")), "hour"),
])  # fmt: skip
def test_the_coarsest_step_is_found(cells, step):
    assert resolution_of(cells) == step


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30), st.integers(0, 6))
def test_floats_with_so_many_decimals_are_found_to_have_at_most_so_many(steps, decimals):
    cells = pa.array([float(Decimal(step).scaleb(-decimals)) for step in steps])
    found = resolution_of(cells)
    assert found is not None
    assert found >= float(f"1e{-decimals}")


def test_one_row_off_the_grid_far_down_is_seen():
    cells = np.round(np.arange(5_000) / 100, 2)
    assert resolution_of(pa.array(cells)) == 0.01
    cells[4_900] = np.pi
    assert resolution_of(pa.array(cells)) is None


def test_decimals_in_chunks_are_looked_at_together():
    chunks = pa.chunked_array([pa.array([D("1.50")]), pa.array([D("1.25")])])
    assert decimal_resolution(chunks) == 0.01
