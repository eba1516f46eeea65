"""Results in a pipe, on a terminal and in JSON."""

import io
import json
import math
import sys

import pytest

from understudy.cli.judged import UNCOVERED, as_tree, show_results
from understudy.result import Result

GOOD = Result(
    "fidelity.near", 0.0213, 0.0201, 0.0225, 0.021, "lower", saw_real_rows=True, seconds=1.5,
    notes=("for all", "for one"), parts={"a": 0.5, "b": math.nan}, per_record=(1.0, 2.0),
)  # fmt: skip
WORSE = Result(
    "utility.far", 0.7, 0.65, 0.75, 0.9, "higher", saw_real_rows=True, seconds=0.04, notes=("for all",)
)
LOST = Result(
    "fidelity.lost", math.nan, math.nan, math.nan, math.nan, "null", saw_real_rows=True,
    notes=("not measured: toy: it needs more rows.", "for all"),
)  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_pipe_gets_aligned_lines_room_by_room(capsys):
    show_results([GOOD, WORSE, LOST])
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "measure         value  95 % interval       null  best     verdict    time",
        "fidelity.near  0.0213  0.0201 to 0.0225  0.0210  lower    even      1.5 s",
        "fidelity.lost       -  -                      -  as real  unknown  0.00 s",
        "utility.far     0.700  0.650 to 0.750     0.900  higher   worse    0.04 s",
        "",
        "all            for all",
        "fidelity.lost  not measured: toy: it needs more rows.",
        "fidelity.near  for one",
        f"private        {UNCOVERED}",
        "null           what real rows score; of an attack, what guessing or chance gives",
    ]


def test_figures_of_private_rows_are_said_to_be_outside_of_every_guarantee(capsys):
    show_results([GOOD, WORSE], with_notes=False)
    assert "no certificate covers them" in capsys.readouterr().out
    made = Result("privacy.toy", 0.5, 0.4, 0.6, 0.5, "lower", saw_real_rows=False)
    show_results([made])
    assert "no certificate covers them" not in capsys.readouterr().out


def test_a_result_alone_says_its_own_notes(capsys):
    show_results([WORSE])
    assert "utility.far  for all" in capsys.readouterr().out


def test_a_failure_does_not_make_every_other_result_repeat_what_all_say(capsys):
    good = [
        Result(f"fidelity.{name}", 0.1, 0.0, 0.2, 0.1, "lower", saw_real_rows=True, notes=("for all",))
        for name in ("one", "two", "three")
    ]
    nan = math.nan
    bad = Result(
        "fidelity.bad", nan, nan, nan, nan, "lower", saw_real_rows=True, notes=("not measured: toy",)
    )
    show_results([*good, bad])
    assert capsys.readouterr().out.count("for all") == 1


def test_without_notes_only_what_holds_of_all_results_stands_below_the_table(capsys):
    show_results([Result("fidelity.x", 1.0, 1.0, 1.0, 1.0, "lower", saw_real_rows=True)])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if line] == [
        "measure", "fidelity.x", "private", "null"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.5, 0.4998, 0.5002, "0.50000"),
        (12_345.6, 12_000.0, 13_000.0, "12,345.6"),
        (0.25, 0.25, 0.25, "0.2500"),
        (1.5e-9, 0.0, 3e-9, "1.5e-09"),
    ],
)
def test_as_many_digits_are_shown_as_the_interval_tells(value, low, high, shown, capsys):
    show_results([Result("fidelity.x", value, low, high, 1.0, "lower", saw_real_rows=True)])
    assert capsys.readouterr().out.splitlines()[1].split()[1] == shown


def on_a_terminal(monkeypatch, width):
    """Return what a terminal of this width shows."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.delenv("NO_COLOR", raising=False)
    show_results([GOOD, WORSE, LOST])
    return screen.getvalue()


def test_a_terminal_gets_colours_and_every_word(monkeypatch):
    shown = on_a_terminal(monkeypatch, 100)
    assert "\x1b[" in shown
    for word in ("fidelity.near", "0.0201 to 0.0225", "worse", "even", "time", "for one"):
        assert word in shown


def test_a_narrow_terminal_loses_columns_and_no_digit(monkeypatch):
    shown = on_a_terminal(monkeypatch, 64)
    assert "time" not in shown and "best" not in shown
    for word in ("fidelity.near", "0.0201 to 0.0225", "worse"):
        assert word in shown


def test_json_is_strict_and_tells_nothing_of_single_rows():
    tree = as_tree(GOOD)
    assert json.loads(json.dumps(tree, allow_nan=False))["parts"] == {"a": 0.5, "b": None}
    assert "per_record" not in tree and tree["verdict"] == "even"
    assert as_tree(LOST)["value"] is None
