"""FinDiff: its losses by hand, its targets, and what a network draws that says nothing."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.findiff import FinDiffGenerator, FinDiffLearner, NoiseLoss, PointDenoiser
from understudy.engines.fields import Fields
from understudy.errors import ParameterError

FIELDS = Fields(numbers=(0,), codes=(1, 2), sizes=(3, 2))
SMALL = FinDiffLearner(width=64, depth=1, sampling_steps=30, again=10)
PAPER = FinDiffLearner(
    "random", 2, "nearest", "eps", "plain", width=64, depth=2, sampling_steps=100, eta=1.0, wide=True
)


def mixture(rows=2_000):
    """Two clusters: -1 with codes (0, 0), or +1 with (1 or 2, 1)."""
    rng = np.random.default_rng(0)
    side = rng.random(rows) < 0.3
    number = np.where(side, 1.0, -1.0) + 0.3 * rng.normal(size=rows)
    code = np.where(side, rng.integers(1, 3, rows), 0)
    return np.stack([number, code, side], 1).astype(np.float32)


def drawn(generator, rows):
    return generator.draw(rows, np.random.default_rng(1))


def test_the_loss_is_squared_noise_and_surprise_at_a_network_that_says_nothing():
    fields = FIELDS.seen(mixture())
    model = PointDenoiser(fields, SMALL, torch.Generator().manual_seed(0))
    rows = torch.from_numpy(mixture(50_000))
    found = NoiseLoss(0.5)(model, rows, torch.Generator().manual_seed(1)).detach().numpy()
    logs = [np.log(share) for share in fields.shares]
    surprise = -logs[0][rows[:, 1].long()] - logs[1][rows[:, 2].long()]
    # It says v = 0, where v^2 is about alpha_bar + (1 - alpha_bar) x_0^2, and of codes what it starts with.
    lost = model.schedule.lost(torch.arange(500)).mean().item()
    square = 1 - lost + lost * (rows[:, 0] ** 2).mean().item()
    assert found.mean() == pytest.approx((0.5 * square + surprise.mean()) / 3, rel=0.01)
    assert np.all(found >= surprise / 3 - 1e-5)


def test_the_loss_of_the_nearest_head_is_the_mean_square_over_all_coordinates():
    model = PointDenoiser(FIELDS, replace(PAPER, network="residual"), torch.Generator().manual_seed(0))
    found = NoiseLoss(draws=2)(model, torch.from_numpy(mixture(30_000)), torch.Generator().manual_seed(1))
    assert found.mean().item() == pytest.approx(1.0, rel=0.01)  # 5 coordinates, twice: a mean of 10 squares
    assert found.var().item() == pytest.approx(2 / 10, rel=0.05)


@pytest.mark.parametrize("predicts", ["v", "eps"])
def test_a_network_that_tells_its_target_gives_back_the_record(predicts):
    model = PointDenoiser(FIELDS, replace(PAPER, predicts=predicts), torch.Generator().manual_seed(0))
    x_0, eps = torch.randn(2, 5, model.width, generator=torch.Generator().manual_seed(1))
    t = torch.tensor([0, 9, 99, 250, 300])
    told = model.target(x_0, eps, t)
    model.told = lambda *_: (told[:, : model.spaces], told[:, model.spaces :])
    kept = model.schedule.kept(t)[:, None]
    found, _ = model.record(kept.sqrt() * x_0 + (1 - kept).sqrt() * eps, t)
    assert torch.allclose(found, x_0, atol=2e-3)


def test_a_network_that_says_nothing_draws_standard_normal_numbers_and_known_shares():
    fields = FIELDS.seen(mixture())
    model = PointDenoiser(fields, SMALL, torch.Generator().manual_seed(0))
    number, code, _ = drawn(FinDiffGenerator(model, SMALL), 8_000).T
    assert number.mean() == pytest.approx(0, abs=0.05)
    assert number.std() == pytest.approx(1, abs=0.1)  # 30 steps along a curve
    assert np.bincount(code.astype(int)) / 8_000 == pytest.approx(fields.shares[0], abs=0.02)


def test_learned_points_without_logits_are_refused():
    with pytest.raises(ParameterError, match="logits"):
        FinDiffLearner(embedding="learned", head="nearest")
