"""Models side by side whose loss is written out: each comes out as if it had been alone."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engines.training.networks import bytes_of, plain_loss
from understudy.engines.diffusion.findiff import FinDiffLearner, NoiseLoss, PointDenoiser
from understudy.engines.fields import Fields
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.written import Pupil, is_written, train_written

FIELDS = Fields((0, 3), (1, 2), (3, 2))
SETTINGS = Settings(steps=70, batch=16, lr=0.01)  # more steps than a block has
STAGE = "denoiser"


def rows_of(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(40 + seed, FIELDS.width)).astype(np.float32)
    for at, size in zip(FIELDS.codes, FIELDS.sizes, strict=True):
        rows[:, at] = rng.integers(0, size, len(rows))
    return rows


def network():
    return PointDenoiser(FIELDS, FinDiffLearner(width=8, depth=1), torch.Generator().manual_seed(0))


def alone(seed, settings):
    model = network()
    OpenFit(rows_of(seed), {STAGE: settings}, seed, device="cpu").train(STAGE, model, NoiseLoss())
    return model


def beside(count, settings):
    pupils = [Pupil(network(), torch.from_numpy(rows_of(seed)), (seed, STAGE)) for seed in range(count)]
    train_written(pupils, NoiseLoss(), settings)
    return [pupil.model for pupil in pupils]


@pytest.mark.parametrize("other", [{}, {"clip": 0.1}, {"pull": 0.5}, {"ema": 0.9}, {"schedule": "cosine"}])
def test_each_learns_what_it_learns_alone(other):
    settings = replace(SETTINGS, **other)
    for seed, model in enumerate(beside(3, settings)):
        assert not model.training
        for own, lone in zip(model.parameters(), alone(seed, settings).parameters(), strict=True):
            torch.testing.assert_close(own, lone, rtol=1e-3, atol=2e-4)


def test_on_one_core_or_two_the_same_bytes_are_learned():
    before, found = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        found.append([bytes_of(model) for model in beside(3, SETTINGS)])
    torch.set_num_threads(before)
    assert found[0] == found[1]


def test_the_global_generator_stays_where_it_was():
    before = torch.get_rng_state()
    beside(2, SETTINGS)
    assert torch.equal(torch.get_rng_state(), before)


def test_what_is_not_written_out_is_told_apart():
    pupils = [Pupil(network(), torch.from_numpy(rows_of(seed)), (seed, STAGE)) for seed in range(2)]
    assert is_written(NoiseLoss(), pupils, SETTINGS)
    assert not is_written(plain_loss, pupils, SETTINGS)
    assert not is_written(NoiseLoss(), pupils, replace(SETTINGS, precision="bf16"))
    assert not is_written(NoiseLoss(), pupils, replace(SETTINGS, validation=0.1))
