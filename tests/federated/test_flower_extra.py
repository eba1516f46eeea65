"""Whoever has no Flower is told how to get it, and nothing is loaded to find out."""

import subprocess
import sys

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
