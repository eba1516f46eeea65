"""A forecast is right about what was measured before, and learns from what it sees."""

import math

import pyarrow as pa
import pytest

from measuring import toys
from understudy import attacks, metrics
from understudy.measuring import forecast
from understudy.measuring.forecast import Clock, expected, makespan, sizes, yardstick
from understudy.table.evidence import Evidence

COSTS = {"yardstick": 1.0, "costs": {"toys": [10.0, 1.0, 2.0, 0.5]}}


@pytest.fixture
def stored(monkeypatch):
    monkeypatch.setattr(forecast, "_stored", lambda: COSTS)
    monkeypatch.setattr(forecast, "yardstick", lambda: 3.0)


@pytest.mark.usefixtures("stored")
def test_seconds_grow_with_rows_and_columns_and_on_a_slower_machine():
    evidence = toys.evidence(rows=5_000)
    rows, columns, cells = sizes(toys.Drawn(), evidence)
    assert (rows, columns) == (0.5, 0.3)
    assert expected([toys.Drawn()], evidence) == [pytest.approx(3 * 10 * 0.5 * 0.3**2 * cells**0.5)]


@pytest.mark.usefixtures("stored")
def test_rows_that_a_measure_does_not_draw_cost_nothing():
    few, all_ = expected([toys.Gap(rows=1_000), toys.Gap()], toys.evidence(rows=5_000))
    assert all_ / few == pytest.approx(5)


def test_a_measure_that_nobody_timed_is_guessed_by_its_level(monkeypatch):
    monkeypatch.setattr(forecast, "_stored", lambda: {"yardstick": 1.0, "costs": {}})
    assert expected([toys.Drawn()], toys.evidence())[0] > 0


def test_what_is_stored_is_of_measures_that_there_are():
    stored = forecast._stored()
    assert stored["yardstick"] > 0
    assert set(stored["costs"]) <= {*metrics.names(), *attacks.names()}
    for base, *powers in stored["costs"].values():
        assert base > 0 and len(powers) == 3 and all(0 <= power <= 3 for power in powers)


def test_levels_of_a_column_count_as_cells_of_an_encoded_row():
    few, many = ({"a": [str(place % levels) for place in range(100)]} for levels in (2, 50))
    of = [sizes(toys.Drawn(), Evidence(train=pa.table(t), synthetic=pa.table(t)))[2] for t in (few, many)]
    assert of == [0.2, 5.0]


def test_the_yardstick_is_short():
    assert 0 < yardstick() < 2


@pytest.mark.parametrize(
    ("seconds", "workers", "busy", "end"),
    [
        ([], 2, [], 0),
        ([5], 4, [], 5),
        ([1, 1, 1, 1], 2, [], 2),
        ([4, 3, 3], 2, [], 6),
        ([1], 2, [9, 2], 9),
        ([8], 2, [9, 2], 10),
    ],
)
def test_the_end_is_that_of_the_last_worker(seconds, workers, busy, end):
    assert makespan(seconds, workers, busy) == end


def test_before_anything_has_ended_the_forecast_stands():
    clock = Clock([6.0, 4.0, 2.0], workers=2)
    assert clock.left(0.0) == pytest.approx(6)
    clock.begun(0, 0.0)
    clock.begun(1, 0.0)
    assert clock.left(1.0) == pytest.approx(5)
    assert clock.running == [0, 1]


def test_what_took_twice_as_long_makes_the_rest_longer():
    clock = Clock([10.0] * 10, workers=1)
    clock.begun(0, 0.0)
    assert clock.ended(0, 20.0) == 20
    # A fifth of all forecasts counts as seen: (20 + 20) / (20 + 10) of nine times ten.
    assert clock.left(20.0) == pytest.approx(90 * 40 / 30)


def test_the_forecast_closes_in_on_the_truth():
    clock, now = Clock([1.0] * 20, workers=1), 0.0
    for job in range(19):
        clock.begun(job, now)
        now += 5.0
        clock.ended(job, now)
    assert clock.left(now) == pytest.approx(5, rel=0.2)


def test_a_job_that_takes_longer_than_foreseen_is_not_over_yet():
    clock = Clock([1.0], workers=1)
    clock.begun(0, 0.0)
    assert 0 < clock.left(100.0) < 100
    clock.ended(0, 101.0)
    assert clock.left(101.0) == 0


def test_a_forecast_of_nothing_is_nothing():
    assert Clock([], workers=1).left(0.0) == 0
    assert math.isfinite(Clock([0.0], workers=1).left(0.0))
