"""Without torch there is one sentence, and it says what to install."""

import subprocess
import sys

import pytest

from understudy.errors import MissingExtra
from understudy.model import torch_extra
from understudy.model.torch_extra import require_torch


def test_whoever_needs_torch_is_told_how_to_install_it(monkeypatch):
    monkeypatch.setattr(torch_extra, "find_spec", {}.get)
    with pytest.raises(MissingExtra, match=r"^tabddpm: .*pip install \"understudy\[neural\]\"$"):
        require_torch("tabddpm")


def test_asking_does_not_load_it():
    code = (
        "import sys; from understudy.model.torch_extra import require_torch; from understudy.errors import"
        " MissingExtra\ntry: require_torch('x')\nexcept MissingExtra: print('none')\n"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.PIPE).returncode == 0
