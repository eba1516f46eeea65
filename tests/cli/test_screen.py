import json
import os
import subprocess
import sys

import pytest

from understudy.cli import screen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\udc80", "\\udc80"),
        ("\x9b31m", "\\x9b31m"),
    ],
)
def test_whatever_could_steer_a_terminal_is_spelled_out(text, shown):
    assert screen.escaped(text) == shown


def test_a_table_in_a_pipe_is_aligned_and_plain(capsys):
    screen.show_table(("a", "long header"), [("wide cell", "x"), ("y", "")])
    assert capsys.readouterr().out == "a          long header\nwide cell  x\ny\n"


def test_a_table_on_a_terminal_takes_names_as_names(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    screen.show_table(("a", "b"), [("[red]x[/red]", ":smile:")])
    out = capsys.readouterr().out
    assert "[red]x[/red]" in out
    assert ":smile:" in out


def test_facts_are_aligned_and_whole_in_a_pipe(capsys):
    screen.show_facts([("read", "x" * 300), ("", "more")])
    assert capsys.readouterr().out == f"read  {'x' * 300}\n      more\n"


def test_facts_are_broken_between_words_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "60")
    screen.show_facts([("note", "some words " * 12)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1
    assert all(len(line) <= 60 for line in lines)
    assert lines[0].startswith("note  some")
    assert all(line.startswith("      ") and line[6] != " " for line in lines[1:])


def test_a_terminal_gets_colour_and_a_pipe_gets_none(folder):
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    words = [sys.executable, "-m", "understudy", "synthesize", "people.csv", "-o", "out.csv"]
    more = {"TERM": "xterm-256color", "COLUMNS": "80"}
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | more
    ours, theirs = pty.openpty()
    shown = subprocess.run(words, cwd=folder, env=environment, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    assert shown.returncode == 0
    assert b"\x1b[" in os.read(ours, 65536)
    os.close(ours)
    piped = subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=True)
    assert b"\x1b" not in piped.stdout + piped.stderr


def test_json_is_ascii_and_one_object(capsys):
    screen.show_json({"a": "é\x1b"})
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out) == {"a": "é\x1b"}


@pytest.mark.parametrize("as_json", [True, False])
def test_a_person_gets_facts_and_a_program_gets_json(capsys, as_json):
    screen.show([("wrote", "x.csv")], {"output": "x.csv"}, as_json=as_json)
    out = capsys.readouterr().out
    assert (json.loads(out) == {"output": "x.csv"}) if as_json else (out == "wrote  x.csv\n")


def test_json_has_null_for_what_is_no_finite_number(capsys):
    screen.show_json({"a": [float("inf"), 1.5], "b": {"c": float("nan")}})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5], "b": {"c": None}}
