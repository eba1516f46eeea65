"""The pinned set: the core is light, and the tests bring few heavy packages."""

import re
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement

from house.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
HEAVY = {"torch", "ray", "flwr", "transformers", "catboost", "xgboost-cpu"}


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(extra):
    """Return the names an extra installs, following `understudy[other]`."""
    found = set()
    for line in EXTRAS[extra]:
        name, inner = re.match(r"([\w.-]+)(?:\[([\w,-]+)\])?", line).groups()
        if name == "understudy":
            found |= {need for other in inner.split(",") for need in requirements(other)}
        else:
            found.add(normal(name))
    return found


def core():
    return {normal(re.match(r"[\w.-]+", line).group()) for line in PROJECT["dependencies"]}


def test_everything_that_can_be_installed_is_pinned():
    pinned = {normal(name) for name in pins()}
    asked = core() | {need for extra in EXTRAS for need in requirements(extra)}
    assert asked - pinned == set()


def test_torch_is_pinned_to_the_tested_version():
    assert pins()["torch"] == "2.13.0"


def test_the_core_is_light():
    assert core() & HEAVY == set()


@pytest.mark.parametrize("extra", ["test", "check"])
def test_the_tests_bring_torch_the_boosters_flower_and_nothing_else_that_is_heavy(extra):
    assert requirements(extra) & HEAVY == {"catboost", "flwr", "torch", "xgboost-cpu"}


def test_every_dependency_has_a_lower_bound_and_no_cap():
    lines = PROJECT["dependencies"] + [line for extra in EXTRAS.values() for line in extra]
    loose = [line for line in lines if not line.startswith("understudy[") and ">=" not in line]
    assert loose == []
    assert [line for line in lines if re.search(r"<|==|~=", line)] == []


def test_every_dependency_has_its_reason_written_down():
    reasons = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8")
    asked = core() | {need for extra in EXTRAS for need in requirements(extra)}
    assert [name for name in sorted(asked) if f"`{name}`" not in reasons] == []


def test_the_core_installs_fewer_than_forty_distributions():
    found, waiting = set(), core()
    while waiting:
        name = waiting.pop()
        found.add(name)
        needs = [Requirement(line) for line in metadata.requires(name) or []]
        waiting |= {
            normal(need.name) for need in needs if not need.marker or need.marker.evaluate({"extra": ""})
        }
        waiting -= found
    print(f"the core installs {len(found)} distributions")
    assert len(core()) < len(found) < 40
