"""Whoever has no Flower is told how to get it, and nothing is loaded to find out."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from understudy.errors import MissingExtra
from understudy.federated import flower_extra


def test_it_is_here():
    flower_extra.require_flower("federate")


def test_where_it_is_missing_the_line_that_installs_it_is_said(monkeypatch):
    monkeypatch.setattr(flower_extra, "find_spec", lambda _: None)
    with pytest.raises(
        MissingExtra, match=r"federate: flwr is not installed; run: pip install \"understudy\[fed"
    ):
        flower_extra.require_flower("federate")


def test_nothing_is_loaded_to_find_out():
    code = (
        "import sys; from understudy.federated.flower_extra import require_flower; require_flower('x'); "
        "sys.exit('flwr' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_else_names_flower():
    folder = Path(flower_extra.__file__).parents[1]
    naming = {
        path.stem
        for path in folder.rglob("*.py")
        if re.search(r"^\s*(from|import) flwr", path.read_text(), re.M)
    }
    assert "deployment" in naming and all(name.startswith("flower_") for name in naming - {"deployment"})
