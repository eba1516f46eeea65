"""The version stands in one place of the code and agrees with the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import understudy
from understudy.version import TOOL, VERSION

ROOT = Path(__file__).resolve().parents[1]


def test_the_version_is_that_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == VERSION == understudy.__version__


def test_the_tool_names_itself_and_its_version():
    assert f"understudy {VERSION}" == TOOL
