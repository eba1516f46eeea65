"""Somebody stops a command: one line and 130, also while the commands are still being loaded."""

import json
import sys
import types

import pytest

from understudy.cli import main
from understudy.cli.interrupted import INTERRUPTED, interrupted


class Loading(types.ModuleType):
    """A module in the middle of whose import somebody presses Ctrl-C."""

    def __getattr__(self, name):
        raise KeyboardInterrupt


@pytest.mark.parametrize("words", [["doctor"], ["doctor", "--json"], ["--help"]])
def test_an_interrupt_while_the_commands_are_loaded_is_no_traceback(monkeypatch, capsys, words):
    monkeypatch.setitem(sys.modules, "understudy.cli.run", Loading("understudy.cli.run"))
    with pytest.raises(SystemExit) as stop:
        main(words)
    said = capsys.readouterr()
    assert stop.value.code == INTERRUPTED == 130
    if "--json" in words:
        assert json.loads(said.out)["error"]["exit_code"] == 130
    else:
        assert said.err == "error: interrupted; no half-written file is left.\n"


def test_it_is_said_once(capsys):
    assert interrupted(as_json=False) == 130
    assert capsys.readouterr().err.count("\n") == 1
