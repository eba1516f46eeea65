from understudy.cli import machine
from understudy.version import VERSION


def test_versions_and_extras_are_shown(call):
    done = call("doctor")
    assert (done.code, done.err) == (0, "")
    for word in (VERSION, "numpy", "pyarrow", "memory", "cores", "gpu", "neural", "sql"):
        assert word in done.out


def test_a_missing_extra_comes_with_its_line(call, monkeypatch):
    monkeypatch.setattr(machine, "extras", lambda: [machine.Extra("neural", {"torch": None})])
    assert "pip install 'understudy[neural]'" in call("doctor").out


def test_a_missing_package_of_the_core_is_a_failure(call, monkeypatch):
    monkeypatch.setattr(machine, "core_packages", lambda: {"numpy": None})
    done = call("doctor")
    assert done.code == 1
    assert "missing" in done.out


def test_json_is_one_object(call):
    tree = call("doctor", "--json").json
    assert tree["understudy"] == VERSION
    assert tree["packages"]["typer"]
    assert tree["cores"] >= 1
    assert {extra["name"] for extra in tree["extras"]} >= {"neural", "sql", "tune"}
