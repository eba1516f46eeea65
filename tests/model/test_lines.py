"""Comparisons as lines: exact factors, which column moves, and how far."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from model.ruled_columns import schema
from understudy.model.legal import Legal
from understudy.model.lines import line_of
from understudy.table.rules_text import parse_rule

LEGAL = {column.name: Legal.of(column) for column in schema().columns if column.name != "none"}


def _line(text):
    line = line_of(parse_rule(text), LEGAL)
    assert line is not None
    return line


def test_factors_are_whole_numbers_of_a_common_unit():
    line = _line("i + 0.1 * y == d + 2")
    assert line.exact
    assert line.factors == {"i": 1_000, "y": 1, "d": -1}
    assert line.constant == -2_000


def test_times_of_all_units_count_in_nanoseconds():
    assert _line("on + took == off").factors == {"on": 1, "took": 60 * 10**9, "off": -86_400 * 10**9}


def test_a_time_against_its_text_counts_in_its_own_ticks():
    assert (_line("off < '2020-02-01'").factors, _line("off < '2020-02-01'").constant) == (
        {"off": 1},
        -18_293,
    )


def test_one_float_off_the_grid_makes_all_of_it_floats():
    line = _line("i + x == y")
    assert not line.exact
    assert line.factors == {"i": 1.0, "x": 1.0, "y": -0.01}


def test_a_column_on_both_sides_is_counted_once_and_a_line_without_any_is_none():
    assert _line("i + i <= i + j").factors == {"i": 1, "j": -1}
    assert line_of(parse_rule("i <= i"), LEGAL) is None


@pytest.mark.parametrize(
    ("text", "first"), [("i + j == y", "y"), ("y == i + j", "y"), ("i == j", "j"), ("i + j <= y + d", "i")]
)
def test_the_column_that_stands_alone_is_the_one_that_moves_first(text, first):
    line = _line(text)
    assert line.order(0, np.random.default_rng(0))[0] == first
    assert sorted(line.order(1, np.random.default_rng(0))) == sorted(line.factors)


def test_what_one_column_may_not_take_the_next_does():
    line = _line("i + j == y")
    cells = {"i": np.array([9, 2]), "j": np.array([20, 3]), "y": np.array([0, 0])}
    moved = line.moved(cells, LEGAL, ["y", "i", "j"])
    assert moved["y"].tolist() == [1_500, 500]
    assert (100 * (moved["i"] + moved["j"])).tolist() == moved["y"].tolist()


def test_cells_in_the_wrong_order_are_exchanged_or_moved_onto_each_other():
    cells = {"i": np.array([7, 5]), "j": np.array([3, -4])}
    moved = _line("i <= j").moved(cells, LEGAL, ["j", "i"])
    assert moved["i"].tolist() == [3, 5]
    assert moved["j"].tolist() == [7, 5]


def test_a_sum_between_two_steps_goes_to_the_side_it_leans_to():
    cells = {"i": np.array([4]), "y": np.array([250])}
    for lean, wanted in ((-1, 2), (1, 3)):
        assert _line("i == y").moved(cells, LEGAL, ["i"], lean=lean)["i"].tolist() == [wanted]


def test_numbers_beyond_64_bits_do_not_overflow():
    line = _line("1000000 * on <= 1000000 * off")
    day = 86_400 * 10**9
    moved = line.moved({"on": np.array([18_300 * day + 5]), "off": np.array([18_300])}, LEGAL, ["on"])
    assert moved["on"].tolist() == [18_300 * day]


@given(st.floats(0, 10), st.floats(-4, 12), st.sampled_from(["<", ">", "<=", ">="]))
def test_floats_end_up_in_order(x, z, operator):
    cells = {"x": np.array([x]), "z": np.array([z])}
    moved = _line(f"x {operator} z").moved(cells, LEGAL, ["x", "z"])
    left, right = (np.float32(moved[name][0]) for name in ("x", "z"))
    inside = 0.1 < right < 9.9
    assert {"<": left < right or not inside, ">": left > right or not inside, "<=": left <= right}.get(
        operator, left >= right
    )
