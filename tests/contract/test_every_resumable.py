"""A training that is cut off and taken up again ends with the same bytes, whatever method keeps its work."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from contract.killed_fit import recipe_of
from cut_off import CutOffError, cutting
from understudy import synth
from understudy.privacy import Budget
from understudy.testing.fitting import as_bytes, fit
from understudy.testing.tables import people

RESUMABLE = [name for name in synth.names() if synth.get(name).resumable]
BUDGET = Budget(epsilon=8.0, delta=1e-3)


def cut_off(recipe, run, budget=None):
    with pytest.raises(CutOffError):
        fit(recipe, people(240), budget=budget, run=run)


def rows_of(recipe, run, budget=None):
    return as_bytes(fit(recipe, people(240), budget=budget, run=run).sample(50, seed=1))


@pytest.mark.parametrize("name", RESUMABLE)
@pytest.mark.slow
def test_a_training_that_is_cut_off_twice_ends_with_the_rows_of_one_that_is_not(name, tmp_path, monkeypatch):
    recipe = recipe_of(name)
    cutting(monkeypatch, cuts=2)
    cut_off(recipe, tmp_path / "cut")
    cut_off(recipe, tmp_path / "cut")
    assert rows_of(recipe, tmp_path / "cut") == rows_of(recipe, tmp_path / "whole")


def killed_fit(name, run, kills):
    script = Path(__file__).with_name("killed_fit.py")
    done = subprocess.run(
        [sys.executable, str(script), name, str(run), str(kills)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", RESUMABLE)
@pytest.mark.slow
def test_a_process_that_is_killed_twice_is_taken_up_to_the_same_rows(name, tmp_path):
    for _ in range(2):
        assert killed_fit(name, tmp_path / "cut", 1) == (-signal.SIGKILL, "")
    code, rows = killed_fit(name, tmp_path / "cut", 0)
    assert code == 0 and len(rows) == 64
    assert killed_fit(name, tmp_path / "whole", 0) == (0, rows)


@pytest.mark.parametrize("name", [name for name in RESUMABLE if synth.get(name).private])
@pytest.mark.slow
def test_a_private_training_goes_on_with_its_own_noise_and_its_own_price(name, tmp_path, monkeypatch):
    # Noise is new in every run: only under the key of this test can two runs be compared.
    monkeypatch.setattr(os, "urandom", lambda size: bytes(range(size)))
    recipe = recipe_of(name)
    cutting(monkeypatch, cuts=2)
    cut_off(recipe, tmp_path / "cut", BUDGET)
    cut_off(recipe, tmp_path / "cut", BUDGET)
    assert rows_of(recipe, tmp_path / "cut", BUDGET) == rows_of(recipe, tmp_path / "whole", BUDGET)
