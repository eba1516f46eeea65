"""Progress shows on a terminal and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

from understudy.progress import Silent, show


class Terminal(io.StringIO):
    def isatty(self):
        return True


def watched(watcher):
    watcher.step()  # before any stage: nothing to advance, and no reason to fail
    watcher.tell("nothing yet")
    watcher.stage("reading", steps=2)
    watcher.step()
    watcher.step(1)
    watcher.tell("reading still")
    watcher.stage("fitting")


def test_a_pipe_sees_nothing(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    with show(True) as watcher:
        assert isinstance(watcher, Silent)
        watched(watcher)
    assert pipe.getvalue() == ""


def test_a_terminal_sees_the_stages(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with show(True) as watcher:
        assert not isinstance(watcher, Silent)
        watched(watcher)
    assert "reading still" in terminal.getvalue()
    assert "fitting" in terminal.getvalue()


def test_nobody_is_shown_what_they_did_not_ask_for(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with show(False) as watcher:
        watched(watcher)
    assert terminal.getvalue() == ""


def test_a_program_without_standard_error_is_silent(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with show(True) as watcher:
        watched(watcher)
        assert isinstance(watcher, Silent)


def test_an_error_inside_goes_through(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(ZeroDivisionError), show(True) as watcher:
        watcher.stage(name=1 / 0)


def test_a_watcher_tells_where_work_is_kept(monkeypatch, tmp_path):
    for stderr in (io.StringIO(), Terminal()):
        monkeypatch.setattr(sys, "stderr", stderr)
        with show(True, tmp_path) as watcher:
            assert watcher.keep == tmp_path
        with show(True) as watcher:
            assert watcher.keep is None
