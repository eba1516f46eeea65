"""Cells are cut exactly, and the line leads back to the values."""

import numpy as np
import pytest

from understudy.engines.forest import axis as module
from understudy.engines.forest.axis import Axis, inside
from understudy.missing import MISSING_STEP


@pytest.mark.parametrize(
    "column",
    [
        np.array([3, 1, 1, 9, MISSING_STEP, 10]),
        np.array([-(2**62), 2**62, 0, 1, 2]),
        np.array([0.5, np.nan, -1.25, 7.0]),
        np.array([1e300, -1e300, 5e-324, 0.0]),
        np.array([1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)]),
    ],
)
def test_every_value_has_a_cell_of_its_own_and_missing_has_none(column):
    cells = Axis.of(column).cells(column)
    present = column[cells >= 0]
    assert (np.argsort(present, kind="stable") == np.argsort(cells[cells >= 0], kind="stable")).all()
    assert len(set(cells[cells >= 0].tolist())) == len(set(present.tolist()))
    assert (cells < 0).sum() == len(column) - len(present)


def test_edges_lie_where_the_room_of_one_step_ends_and_that_of_the_next_begins():
    axis = Axis.of(np.array([0, 1, 2, 3]))
    assert axis.edges().tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert Axis.of(np.array([0.0, 1.0, 4.0])).edges().tolist() == [-1.0, -0.75, 0.25, 1.0]


@pytest.mark.parametrize("base", [0, 2**53, 2**62 - 100, -(2**62)])
def test_edges_of_steps_are_the_same_wherever_the_column_lies(base):
    steps = np.array([3, 4, 9, 90])
    assert Axis.of(base + steps).edges().tolist() == Axis.of(steps).edges().tolist()


def test_a_column_without_values_or_with_one_has_an_axis():
    empty, one = Axis.of(np.array([np.nan])), Axis.of(np.array([4.0, 4.0]))
    assert empty.cells(np.array([np.nan])).tolist() == [-1]
    assert one.line.values(one.line.places(np.array([4.0]))).tolist() == [4.0]
    assert inside(one, np.array([4.0, 5.0, np.nan])).tolist() == [True, False, False]


def test_of_very_many_values_evenly_spaced_cuts_are_kept(monkeypatch):
    monkeypatch.setattr(module, "MOST_CUTS", 10)
    column = np.arange(1_000)
    sizes = np.bincount(Axis.of(column).cells(column))
    assert len(sizes) == 11
    assert sizes[1:-1].max() - sizes[1:-1].min() <= 1


def test_cuts_that_are_left_keep_their_order():
    axis = Axis.of(np.arange(5)).only(np.array([1, 3]))
    assert axis.cells(np.arange(5)).tolist() == [0, 0, 1, 1, 2]
    assert np.allclose(axis.edges(), [-1.0, -0.2, 0.6, 1.0])
