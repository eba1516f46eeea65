"""TableDiffusion: levels and losses by hand, and the way back."""

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


def drawn(generator, rows):
    return generator.draw(rows, np.random.default_rng(1))


def test_levels_rise_from_the_least_along_a_cosine():
    levels = noise_levels(5, 0.1)
    assert levels[0].item() == pytest.approx(0.1)
    assert levels.diff().min() > 0
    assert noise_levels(4, 0.0)[2].item() == pytest.approx(0.5)


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
