import numpy as np
import pytest
import torch

from engines.training.networks import Told, bytes_of, network, noisy_loss, plain_loss, rows_of
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.stacked import train_stacked
from understudy.errors import ParameterError

SETTINGS = Settings(steps=80, batch=16, lr=0.01, ema=0.9, schedule="cosine", weight_decay=0.01, clip=0.5)


def matrices(models=3, rows=50):
    return np.stack([rows_of(rows, seed=seed) for seed in range(models)])


def one_by_one(sets, settings=SETTINGS, loss=plain_loss):
    found = [network(seed=k) for k in range(len(sets))]
    for k, (model, rows) in enumerate(zip(found, sets, strict=True)):
        OpenFit(rows, {str(k): settings}, 0, device="cpu").train(str(k), model, loss)
    return found


def stacked(rows, settings=SETTINGS, loss=plain_loss, models=3, **more):
    found = [network(seed=k) for k in range(models)]
    train_stacked(found, loss, rows, settings, 0, device="cpu", **more)
    return found


def assert_same(left, right):
    for one, other in zip(left, right, strict=True):
        for a, b in zip(one.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_models_trained_as_one_are_those_trained_one_by_one():
    found = stacked(matrices())
    assert_same(found, one_by_one(matrices()))
    assert not any(model.training for model in found)


def test_models_on_parts_of_one_matrix_are_those_trained_one_by_one():
    rows, rng = rows_of(100), np.random.default_rng(0)
    members = [rng.choice(100, size, replace=False) for size in (50, 70, 31)]
    assert_same(stacked(rows, members=members), one_by_one([rows[each] for each in members]))


def test_batches_are_as_large_as_the_smallest_set_of_rows_allows():
    rows, settings = rows_of(20), Settings(steps=5, batch=100)
    members = [np.arange(20), np.arange(4), np.arange(9)]
    expected = one_by_one([rows[each] for each in members], Settings(steps=5, batch=4))
    assert_same(stacked(rows, settings, members=members), expected)


def test_each_model_has_noise_of_its_own_and_a_seed_fixes_all_of_it():
    same = np.stack([rows_of(16)] * 2)
    settings = Settings(steps=1, batch=16, lr=0.1)

    def trained():
        models = [network(seed=0), network(seed=0)]
        train_stacked(models, noisy_loss, same, settings, 0, device="cpu")
        return [bytes_of(model) for model in models]

    first, again = trained(), trained()
    assert first == again and first[0] != first[1]


def test_the_watcher_hears_of_all_models(monkeypatch):
    from understudy.engines.training import loop

    monkeypatch.setattr(loop, "_SHOWN_EVERY", 0.0)
    told = Told()
    stacked(matrices(), Settings(steps=4), progress=told)
    assert told.words[0] == "training 3 models" and told.steps == 4 and "loss" in told.words[1]


def test_what_cannot_be_stacked_is_refused():
    with pytest.raises(ParameterError, match="one shape"):
        train_stacked([network(), network(inner=9)], plain_loss, matrices(2), SETTINGS, 0)
    with pytest.raises(ParameterError, match="validation"):
        stacked(matrices(), Settings(validation=0.1))
    with pytest.raises(ParameterError, match="members"):
        stacked(rows_of())
    with pytest.raises(ParameterError, match="at least one row"):
        stacked(rows_of(), members=[np.arange(3), np.arange(0), np.arange(3)])
    with pytest.raises(ParameterError, match="one number per record"):
        stacked(matrices(), loss=lambda model, rows, _noise: model(rows).sum())
