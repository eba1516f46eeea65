"""A game is played in the open on rows that it picks, and under a budget through the critic alone."""

import os

import numpy as np
import pytest

from cut_off import CutOffError, cutting
from engines.training.networks import Sides, bytes_of, rows_of
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.privately import PrivateFit
from understudy.errors import ParameterError
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import SampledGaussian

STEPS = 130


def openly(keep=None, steps=STEPS, **more):
    game = Sides()
    settings = {"a": Settings(steps, 16, 0.01, ema=0.9, **more)}
    OpenFit(rows_of(), settings, 0, keep=keep, device="cpu").play("a", game)
    return game


def privately(keep=None):
    event, ledger, rows = SampledGaussian(1.3, 0.1, STEPS), Ledger(), rows_of()
    stream = ledger.reserve([Entry("training", "train", event, name="a")], Budget(epsilon=60.0, delta=1e-4))
    vault = Vault({str(i): rows[:, i] for i in range(3)}, ledger, stream)
    game, settings = Sides(norm=False), {"a": Settings(lr=0.01, ema=0.9)}
    fit = PrivateFit(
        vault.read,
        {"a": event},
        settings,
        lambda found: np.stack(list(found.values()), axis=1),
        200.0,
        keep=keep,
        device="cpu",
    )
    fit.play("a", game)
    return game


@pytest.mark.parametrize("play", [openly, privately])
def test_both_networks_learn_and_come_back_in_eval_mode(play):
    game, fresh = play(), Sides(norm=play is openly)
    for part in ("critic", "generator"):
        assert bytes_of(getattr(game, part)) != bytes_of(getattr(fresh, part))
        assert not getattr(game, part).training


def test_a_game_in_the_open_ends_with_the_same_bytes_however_often_it_is_cut_off(tmp_path, monkeypatch):
    whole = bytes_of(openly().both)
    assert bytes_of(openly().both) == whole
    cutting(monkeypatch, cuts=2)
    for _ in range(2):
        with pytest.raises(CutOffError):
            openly(tmp_path)
    assert bytes_of(openly(tmp_path).both) == whole
    assert bytes_of(openly(tmp_path).both) == whole, "one that is finished is not played again"


def test_a_game_under_a_budget_goes_on_where_it_was(tmp_path, monkeypatch):
    # Noise is new in every run: only under the key of this test can two runs be compared.
    monkeypatch.setattr(os, "urandom", lambda size: bytes(range(size)))
    whole = bytes_of(privately().both)
    cutting(monkeypatch, cuts=2)
    for _ in range(2):
        with pytest.raises(CutOffError):
            privately(tmp_path)
    assert bytes_of(privately(tmp_path).both) == whole


def test_rows_kept_aside_are_refused():
    with pytest.raises(ParameterError, match="validation"):
        openly(steps=3, validation=0.1)
