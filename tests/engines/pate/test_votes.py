"""Noisy votes through the vault: paid for first, the same when taken up again, and no teacher ever leaves."""

import os

import numpy as np
import pytest
import torch

from cut_off import CutOffError, cutting
from engines.pate.schools import bytes_of, school, some_rows
from engines.training.networks import Sides
from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.pate import votes as votes_file
from understudy.engines.pate.votes import NoisyVotes
from understudy.engines.training.fit import Settings
from understudy.errors import BudgetError, ParameterError
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.replay import overreach, recording, replaying, strays
from understudy.privacy.stream import Stream

STEPS, QUERIES = 130, 10
PRICE = DiscreteGaussian(200.0, STEPS * QUERIES)


def matrix(found):
    return np.stack(list(found.values()), axis=1)


def columns(rows):
    return {str(i): rows[:, i] for i in range(rows.shape[1])}


def mechanism(price=PRICE, steps=STEPS, keep=None, made=None, **more):
    made = made or school(queries=QUERIES, memory=200, alone=20)
    settings = Settings(steps, 5, 0.01, optimizer="adam", ema=0.9, **more)
    return NoisyVotes(
        price, Trainee(made.both, made.duel, settings, stage="student", game=made, keep=keep), matrix
    )


def vault_of(rows, stream=None):
    ledger = Ledger()
    entry = Entry("votes", "train", PRICE, name="student")
    reserved = ledger.reserve([entry], Budget(epsilon=3.0, delta=1e-4))
    return Vault(columns(rows), ledger, stream or reserved)


def released(rows=None, keep=None, key=bytes(range(32))):
    """Release under a key of the test: noise is new in every run, so that only so two can be compared."""
    run = mechanism(keep=keep)
    found = run.release(some_rows() if rows is None else rows, Stream.from_key(key))
    return b"".join(value.numpy().tobytes() for value in found.values())


def test_a_read_returns_generator_and_student_and_no_teacher():
    found = vault_of(some_rows()).read("student", mechanism())
    assert found.keys() == school().released.state_dict().keys()
    assert not [name for name in found if "teach" in name]
    fresh = school().released
    fresh.load_state_dict(found)
    assert bytes_of(fresh) != bytes_of(school().released)


def test_one_vote_more_than_was_reserved_is_refused_before_anybody_votes():
    longer = DiscreteGaussian(200.0, PRICE.count + QUERIES)
    with pytest.raises(BudgetError):
        vault_of(some_rows()).read("student", mechanism(longer, STEPS + 1))


def test_votes_and_their_price_must_be_as_many():
    with pytest.raises(ParameterError, match="1300 votes at the price of 1299"):
        mechanism(DiscreteGaussian(200.0, PRICE.count - 1))


def test_a_norm_of_all_gradients_is_refused():
    with pytest.raises(ParameterError, match="clip"):
        mechanism(clip=1.0)


def test_a_game_without_teachers_has_nobody_to_vote():
    game = Sides()
    with pytest.raises(ParameterError, match="nobody to vote"):
        NoisyVotes(PRICE, Trainee(game.both, game.duel, Settings(), game=game), matrix)


def test_every_vote_that_is_told_has_noise_of_its_own(monkeypatch):
    drawn, plain = [], votes_file.discrete_gaussian

    def noted(stream, sigma, shape):
        drawn.append(plain(stream, sigma, shape))
        assert sigma == PRICE.sigma
        return drawn[-1]

    monkeypatch.setattr(votes_file, "discrete_gaussian", noted)
    released()
    assert sum(map(len, drawn)) == PRICE.count
    assert len({each.tobytes() for each in drawn}) == STEPS
    # The deviation of 1,300 draws: off by a tenth once in 10^6 times.
    assert np.concatenate(drawn).std() == pytest.approx(PRICE.sigma, rel=0.1)


def test_neighbours_are_one_row_apart_and_ask_the_same():
    rows = some_rows()
    with recording() as first:
        vault_of(rows).read("student", mechanism())
    with replaying(first) as second:
        vault_of(np.delete(rows, 7, axis=0)).read("student", mechanism())
    assert strays(first, second) == [] and overreach(first, second) == []
    assert mechanism().distance(rows, rows[3:]) == 3.0


def test_a_school_that_is_cut_off_goes_on_where_it_was(tmp_path, monkeypatch):
    whole = released()
    cutting(monkeypatch, cuts=2)
    for _ in range(2):
        with pytest.raises(CutOffError):
            released(keep=tmp_path)
    assert released(keep=tmp_path) == whole
    assert released(keep=tmp_path) == whole, "one that is finished is not held again"
    assert released(keep=tmp_path, rows=some_rows(seed=3)) != whole, "other rows are another school"


def test_what_is_kept_of_teachers_cannot_be_read_without_the_key(tmp_path, monkeypatch):
    held = []
    state = votes_file.Weights.state
    monkeypatch.setattr(votes_file.Weights, "state", lambda self: held.append(state(self)) or held[-1])
    cutting(monkeypatch, cuts=1)
    with pytest.raises(CutOffError):
        released(keep=tmp_path)
    content = (tmp_path / "student.safetensors").read_bytes()
    for name, value in held[0].items():
        assert value.numel() < 4 or value.numpy().tobytes() not in content, name
        assert name.encode() not in content
    released(keep=tmp_path)
    assert b"teachers" not in (tmp_path / "student.safetensors").read_bytes()


def test_no_pad_is_used_twice(tmp_path, monkeypatch):
    kept = []
    for place in ("a", "b"):
        monkeypatch.setattr(os, "urandom", lambda size, place=place: place.encode() * size)
        cutting(monkeypatch, cuts=1)
        with pytest.raises(CutOffError):
            released(keep=tmp_path / place)
        kept.append((tmp_path / place / "student.safetensors").read_bytes())
    assert kept[0] != kept[1]


def test_rows_of_nobody_are_no_trouble():
    found = mechanism().release(some_rows()[:0], Stream.unsafe_test_noise(0))
    assert all(torch.isfinite(value).all() for value in found.values())
