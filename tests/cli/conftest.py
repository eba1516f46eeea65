"""A folder with a small table in it, and a way to call the command line as a shell would."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from cli.people import table_text
from understudy.cli import main
from understudy.cli.learning import Source, Wish, learn


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working directory, with people.csv in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNDERSTUDY_DEBUG", raising=False)
    (tmp_path / "people.csv").write_text(table_text(), encoding="utf-8")
    return tmp_path


@pytest.fixture
def call(folder, capsys):  # noqa: ARG001 - it makes the working directory
    """Run a command in the folder; give back its exit code and what it said."""

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return Outcome(stop.value.code, said.out, said.err)

    return run


@pytest.fixture
def model(folder):
    """A saved model of people.csv."""
    learn(Source("people.csv"), Wish("histogram")).model.save("model")
    return folder / "model"
