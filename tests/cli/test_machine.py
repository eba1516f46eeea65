import sys
from types import SimpleNamespace

import pytest

from understudy.cli import machine


def test_the_core_is_what_the_package_says_it_needs():
    packages = machine.core_packages()
    assert {"numpy", "pyarrow", "typer", "rich", "pydantic"} <= set(packages)
    assert "torch" not in packages
    assert None not in packages.values()


def test_extras_for_developers_are_left_out():
    names = {extra.name for extra in machine.extras()}
    assert "neural" in names
    assert not names & {"all", "test", "check"}


def test_an_extra_with_a_missing_package_is_not_complete():
    extra = machine.Extra("sql", {"sqlalchemy": "2.1", "psycopg": None})
    assert not extra.complete()
    assert extra.brings() == "sqlalchemy 2.1, psycopg"
    assert extra.state() == "pip install 'understudy[sql]'"
    assert machine.Extra("sql", {"sqlalchemy": "2.1"}).state() == "installed"


def test_a_limit_on_memory_counts(tmp_path, monkeypatch):
    (tmp_path / "limit").write_text("1048576\n")
    (tmp_path / "none").write_text("max\n")
    monkeypatch.setattr(machine, "_LIMITS", (tmp_path / "none", tmp_path / "absent"))
    assert machine.memory() > 2**20
    monkeypatch.setattr(machine, "_LIMITS", (tmp_path / "limit",))
    assert machine.memory() == 2**20


def test_there_is_a_core_and_a_python():
    assert machine.cores() >= 1
    assert machine.python().startswith(f"{sys.version_info.major}.{sys.version_info.minor}")


@pytest.mark.parametrize(("there", "said"), [(True, "a fine GPU"), (False, "none that torch can use")])
def test_a_gpu_is_asked_for_through_torch(monkeypatch, there, said):
    cuda = SimpleNamespace(is_available=lambda: there, get_device_name=lambda _: "a fine GPU")
    monkeypatch.setattr(machine.util, "find_spec", lambda _: "found")
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    assert machine.gpu() == said


def test_a_torch_that_does_not_load_is_said_so(monkeypatch):
    monkeypatch.setattr(machine.util, "find_spec", lambda _: "found")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "does not load" in machine.gpu()


def test_without_torch_no_gpu_is_looked_for(monkeypatch):
    monkeypatch.setattr(machine.util, "find_spec", lambda _: None)
    assert "torch is not installed" in machine.gpu()
