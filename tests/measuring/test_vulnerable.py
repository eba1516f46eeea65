"""Records that stand alone: mean distances to the nearest others."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from understudy.measuring.vulnerable import apart, most_apart
from understudy.table.coded import CodedColumn, CodedTable

LINE = (CodedColumn("x", quantity=True, low=0.0, high=10.0),)


def on_a_line(*values):
    return CodedTable(LINE, {"x": np.array(values, dtype=float)})


def test_the_distance_is_the_mean_of_the_nearest_others_without_oneself():
    # The notebook of the paper keeps oneself, at distance 0: it would say 0.05 and 0.1.
    assert apart(on_a_line(0, 1, 3), 2) == pytest.approx([0.2, 0.15, 0.25])


def test_the_cosine_distance_is_the_published_one():
    rng = np.random.default_rng(0)
    domain = (
        *(CodedColumn(n, quantity=True, low=0.0, high=1.0) for n in "xy"),
        CodedColumn("c", False, 3, 3),
    )
    cells = rng.random((2, 12))
    cells[:, :2] = [[0.0, 1.0], [0.0, 1.0]]  # the range is that of the table
    codes = rng.integers(3, size=12).astype(np.int32)
    table = CodedTable(domain, {"x": cells[0], "y": cells[1], "c": codes})
    with np.errstate(invalid="ignore"):
        numbers = cdist(cells.T, cells.T, "cosine")
    numbers[0], numbers[:, 0] = 0.5, 0.5  # no direction: half of the square of the length 1
    numbers[0, 0] = 0.0
    whole = 2 / 3 * numbers + 1 / 3 * (codes[:, None] != codes[None, :])
    expected = np.sort(whole + 9 * np.eye(12), axis=1)[:, :3].mean(axis=1)
    assert apart(table, 3, "cosine") == pytest.approx(expected, abs=1e-9)


def test_those_farthest_away_are_chosen_and_of_equals_the_first():
    assert most_apart(on_a_line(0, 1, 10, 5, 5), 2, 1).tolist() == [2, 0][::-1]


def test_few_records_have_as_many_neighbours_as_there_are():
    assert apart(on_a_line(0, 10), 5) == pytest.approx([1, 1])
    assert apart(on_a_line(3), 5).tolist() == [0.0]
