"""Cautions: heard where rows may be looked at, and of names alone within a budget."""

import pytest

HEADLESS = "".join(f"P{row:04d},{20 + row % 50},1984-05-{row % 28 + 1:02d},w{row % 3}\n" for row in range(60))
COMMANDS = [("synthesize", "-o", "out.csv"), ("fit", "-o", "model"), ("schema",)]


def spoilt(folder):
    """Write a table of which two columns were meant to be numbers."""
    cells = [f'{row},"{row},9",{"unknown" if row == 7 else row * 31 % 997},w{row % 3}' for row in range(120)]
    (folder / "t.csv").write_text("\n".join(["n,height,income,word", *cells]) + "\n")
    return "t.csv"


@pytest.mark.parametrize("command", COMMANDS)
def test_numbers_that_are_lost_to_text_are_named(call, folder, command):
    words = [command[0], spoilt(folder), *command[1:]]
    done = call(*words)
    assert (done.code, done.err) == (0, "")
    assert "warning height, income: most cells look like numbers" in " ".join(done.out.split())
    assert "--missing NA" in done.out and "unknown" not in done.out
    (warning,) = call(*words, "--json").json["warnings"]
    assert warning.startswith("height, income: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_within_a_budget_no_cell_decides_what_is_said(call, folder, command):
    words = [command[0], spoilt(folder), *command[1:], "--epsilon", "5", "--json"]
    assert call(*words).json["warnings"] == []


def test_what_a_schema_says_is_taken_to_be_meant(call, folder):
    assert call("schema", spoilt(folder), "-o", "s.json").code == 0
    words = ["synthesize", "t.csv", "-o", "out.csv", "--schema", "s.json", "--json"]
    assert call(*words).json["warnings"] == []


@pytest.mark.parametrize("budget", [[], ["--epsilon", "5"]])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_first_row_that_was_taken_for_names_is_told(call, folder, command, budget):
    (folder / "h.csv").write_text(HEADLESS)
    words = [command[0], "h.csv", *command[1:], *budget]
    done = call(*words)
    assert (done.code, done.err) == (0, "")
    assert "warning" in done.out and "add a header line" in " ".join(done.out.split())
    (warning,) = call(*words, "--json").json["warnings"]
    assert warning.startswith("2 of 4 column names look like cells")


def test_an_ordinary_table_has_no_warnings(call):
    done = call("synthesize", "people.csv", "-o", "out.csv", "--json")
    assert done.json["warnings"] == []
    assert "warning" not in call("schema", "people.csv").out
