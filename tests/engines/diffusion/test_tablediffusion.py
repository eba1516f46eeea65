"""TableDiffusion: levels and losses by hand, the way back, a known mixture, and known cells."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tablediffusion import (
    LevelNoise,
    TableDenoiser,
    TableDiffusionGenerator,
    TableDiffusionLearner,
    noise_levels,
)
from understudy.engines.fields import Fields
from understudy.engines.generator import Known
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit

FIELDS = Fields(numbers=(0,), codes=(1, 2), sizes=(3, 2))
LAW = TableDiffusionLearner(width=64, depth=2, rounds=3)
WAYS = {mode: replace(LAW, mode=mode) for mode in ("law", "denoise", "noise")}


def mixture(rows=2_000):
    """Two clusters: -1 with codes (0, 0), or +1.5 with (1 or 2, 1); the number has about variance 1."""
    rng = np.random.default_rng(0)
    side = rng.random(rows) < 0.4
    number = np.where(side, 1.2, -0.8) + 0.3 * rng.normal(size=rows)
    code = np.where(side, rng.integers(1, 3, rows), 0)
    return np.stack([number, code, side], 1).astype(np.float32)


def learned(learner, matrix, fields=FIELDS, steps=500):
    settings = {"denoiser": Settings(steps, 256, 3e-3, schedule="cosine", ema=0.99)}
    return learner.learn(fields.seen(matrix), OpenFit(matrix, settings, 0, device="cpu"), 0)


def drawn(generator, rows=2_000, known=None, seed=1):
    return generator.draw(rows, np.random.default_rng(seed), known)


@pytest.fixture(scope="module")
def generators():
    return {name: learned(learner, mixture()) for name, learner in WAYS.items()}


def test_levels_rise_from_the_least_along_a_cosine():
    levels = noise_levels(5, 0.1)
    assert levels[0].item() == pytest.approx(0.1)
    assert levels.diff().min() > 0
    assert noise_levels(4, 0.0)[2].item() == pytest.approx(0.5)


@pytest.mark.parametrize("way", WAYS)
def test_a_known_mixture_is_recovered(generators, way):
    number, code, side = drawn(generators[way]).T
    assert set(code) <= {0, 1, 2} and set(side) <= {0, 1}
    assert side.mean() == pytest.approx(0.4, abs=0.06 if way != "noise" else 0.1)
    assert np.mean((code > 0) == (side == 1)) > 0.97
    for value, centre in ((0, -0.8), (1, 1.2)):
        assert number[side == value].mean() == pytest.approx(centre, abs=0.12)
    if way == "law":  # the others go to means, and come out too smooth
        assert number[side == 0].std() == pytest.approx(0.3, abs=0.05)
        assert np.mean(code[side == 1] == 1) == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("way", WAYS)
def test_a_restored_generator_draws_the_same_rows(generators, way):
    tensors, facts = generators[way].state()
    assert json.loads(json.dumps(facts)) == facts
    again = TableDiffusionGenerator.restore(tensors, facts)
    assert np.array_equal(drawn(generators[way], 50), drawn(again, 50))
    assert not np.array_equal(drawn(again, 50), drawn(again, 50, seed=2))


@pytest.mark.parametrize("way", WAYS)
def test_known_cells_come_back_exactly_and_the_others_fit_them(generators, way):
    values = np.full((600, 3), np.nan, np.float32)
    mask = np.zeros((600, 3), bool)
    values[:300, 1], mask[:300, 1] = 2, True
    values[300:, 0], mask[300:, 0] = -0.78, True
    found = drawn(generators[way], 600, Known(values, mask))
    assert np.array_equal(found[mask], values[mask])
    assert np.mean(found[:300, 2] == 1) > 0.9
    assert np.mean(found[300:, 1] == 0) > 0.9


def test_no_rows_can_be_drawn(generators):
    assert drawn(generators["law"], 0).shape == (0, 3)


@pytest.mark.parametrize("mode", WAYS)
def test_the_loss_of_a_network_that_says_nothing_is_known(mode):
    fields, matrix = FIELDS.seen(mixture()), mixture(20_000)
    model = TableDenoiser(fields, WAYS[mode], torch.Generator().manual_seed(0))
    found = LevelNoise()(model, torch.from_numpy(matrix), torch.Generator().manual_seed(1)).detach().numpy()
    logs = [np.log(share) for share in fields.shares]
    surprise = -logs[0][matrix[:, 1].astype(int)] - logs[1][matrix[:, 2].astype(int)]
    square = matrix[:, 0] ** 2
    if mode == "noise":
        assert found.mean() == pytest.approx(model.levels.mean().item(), rel=0.01)
    else:  # the same at every level, whatever the noise
        wanted = (surprise + (square / 2 if mode == "law" else square)) / 3
        assert np.allclose(found, wanted, atol=1e-5)


def test_told_noise_is_taken_off_as_it_is():
    model = TableDenoiser(FIELDS, WAYS["noise"], torch.Generator().manual_seed(0))
    model.network.begin_at(torch.arange(6.0))
    x, t = torch.ones(2, 6), torch.tensor([0, 4])
    law = model.law(x, t)
    assert torch.equal(torch.cat([law.codes, law.mean], 1), x - torch.arange(6.0))


def test_with_a_network_that_knows_the_law_a_normal_table_stays_one():
    """At one level E[x_0 | x] = x / (1 + b), and the variance b / (1 + b): put into the weights by hand."""
    settings = TableDiffusionLearner(depth=0, times=1, least=0.7, rounds=6)
    model = TableDenoiser(Fields((0,), (), ()), settings, torch.Generator())
    with torch.no_grad():
        model.network.leave.weight[0, 0] = 1.7**-0.5  # the network sees x / sqrt(1 + b)
        model.network.leave.bias[1] = 4 * np.arctanh(np.log(0.7 / 1.7) / 2 / 4)
    found = drawn(TableDiffusionGenerator(model, settings), 40_000)
    assert found.mean() == pytest.approx(0, abs=0.02)
    assert found.std() == pytest.approx(1.0, abs=0.02)


def test_with_a_network_that_knows_the_record_every_level_has_its_own_noise():
    """On the way back x_s must be x_0 plus the noise of s: what the network is shown there says so."""
    settings = TableDiffusionLearner(mode="denoise", depth=0, times=4, rounds=1)
    model, seen = TableDenoiser(Fields((0,), (), ()), settings, torch.Generator()), []
    told = model.told
    model.told = lambda x, t: (seen.append(x), torch.full_like(told(x, t), 2.0))[1]
    drawn(TableDiffusionGenerator(model, settings), 8_000)
    for x, level in zip(seen[1:], model.levels.flip(0)[1:], strict=True):
        # At the top the row was another; every step down lets go of it as the bridge says.
        left = level / model.levels[-1]
        assert x.mean().item() == pytest.approx(2 * (1 - left.item()), abs=0.05)
        assert x.var().item() == pytest.approx(level.item() + left.item() ** 2, rel=0.06)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "fields", [Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1)), Fields((), (0,), (1,))], ids=repr
)
def test_only_numbers_and_only_codes_are_learned_too(way, fields):
    rng = np.random.default_rng(0)
    columns = [rng.normal(size=64) for _ in fields.numbers] + [
        rng.integers(0, size, 64) for size in fields.sizes
    ]
    matrix = np.stack(columns, 1).astype(np.float32)
    found = drawn(learned(WAYS[way], matrix, fields, steps=3), 20)
    assert found.shape == (20, fields.width) and np.isfinite(found).all()
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        assert set(found[:, at]) <= set(range(size))


def test_the_global_generator_is_left_alone():
    before = torch.random.get_rng_state()
    learned(LAW, mixture(100), steps=2).draw(5, np.random.default_rng(0))
    assert torch.equal(torch.random.get_rng_state(), before)
