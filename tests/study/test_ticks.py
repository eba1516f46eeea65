"""Round numbers: few, in order, inside, and never a value for its own sake."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.study.ticks import CELLS, ticks_of


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=50))
def test_there_are_a_dozen_at_most_and_all_in_order(values):
    edges = ticks_of(np.array(values), "double").edges
    assert 1 <= len(edges) <= CELLS + 2
    assert (np.diff(edges) > 0).all()


@given(st.floats(1e-6, 1e9), st.floats(1e-3, 1e6))
def test_they_have_at_most_three_digits_of_their_step(low, span):
    edges = ticks_of(np.linspace(low, low + span, 200), "double").edges
    if len(edges) > 1:
        step = edges[1] - edges[0]
        assert np.allclose(
            edges / step, np.rint(edges / step), rtol=0, atol=1e-5 * np.abs(edges / step).max()
        )


@pytest.mark.parametrize(
    ("values", "kind", "names"),
    [
        (np.arange(101.0), "int64", ("10", "20", "30")),
        (np.arange(0, 200.0), "date32[day]", ("1970-01-31", "1970-03-02")),
        (np.arange(0, 40_000.0), "date32[day]", ("1980", "1990")),
        (np.arange(0, 86_400.0), "time32[s]", ("2 h", "4 h")),
        (np.arange(0, 3_600.0), "timestamp[s, tz=UTC]", ("1970-01-01T00:08:20", "1970-01-01T00:16:40")),
        (np.arange(0, 3.2e15, 1e12), "timestamp[us]", ("1980", "1990")),
        (np.arange(0, 7_200_000.0, 1_000), "duration[ms]", ("0.2 h", "0.4 h")),
    ],
)
def test_times_are_written_as_times(values, kind, names):
    found = ticks_of(values, kind).names
    assert found[: len(names)] == names or found[1 : len(names) + 1] == names


def test_nothing_and_one_value_have_at_most_one_tick():
    assert ticks_of(np.array([np.nan]), "double").names == ()
    assert ticks_of(np.full(30, 123_456.789), "double").names == ("100,000",)
    assert ticks_of(np.zeros(30), "double").names == ("0",)


def test_values_that_are_as_far_apart_as_floats_can_be_do_no_harm():
    assert len(ticks_of(np.array([-1.7e308, 0.0, 1.7e308] * 20), "double").edges) == 1
