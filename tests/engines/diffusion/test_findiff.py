"""FinDiff: its loss by hand, what it draws of a known mixture, and known cells that come back as given."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.findiff import FinDiffGenerator, FinDiffLearner, NoiseLoss, PointDenoiser
from understudy.engines.fields import Fields
from understudy.engines.generator import Known
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.errors import ParameterError

FIELDS = Fields(numbers=(0,), codes=(1, 2), sizes=(3, 2))
SMALL = FinDiffLearner(width=64, depth=1, sampling_steps=30, again=10)
PAPER = FinDiffLearner(
    "random", 2, "nearest", "eps", "plain", width=64, depth=2, sampling_steps=100, eta=1.0, wide=True
)
WAYS = {"spread": SMALL, "learned": replace(SMALL, embedding="learned"), "paper": PAPER}


def mixture(rows=2_000):
    """Two clusters: -1 with codes (0, 0), or +1 with (1 or 2, 1)."""
    rng = np.random.default_rng(0)
    side = rng.random(rows) < 0.3
    number = np.where(side, 1.0, -1.0) + 0.3 * rng.normal(size=rows)
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


@pytest.mark.parametrize("way", WAYS)
def test_a_known_mixture_is_recovered(generators, way):
    found = drawn(generators[way])
    number, code, side = found.T
    assert set(code) <= {0, 1, 2} and set(side) <= {0, 1}
    assert side.mean() == pytest.approx(0.3, abs=0.05)
    assert np.mean((code > 0) == (side == 1)) > 0.97
    assert np.mean(code[side == 1] == 1) == pytest.approx(0.5, abs=0.12)
    for value, centre in ((0, -1.0), (1, 1.0)):
        assert number[side == value].mean() == pytest.approx(centre, abs=0.12)
        assert number[side == value].std() == pytest.approx(0.3, abs=0.12)


@pytest.mark.parametrize("way", WAYS)
def test_a_restored_generator_draws_the_same_rows(generators, way):
    tensors, facts = generators[way].state()
    assert json.loads(json.dumps(facts)) == facts
    again = FinDiffGenerator.restore(tensors, facts)
    assert np.array_equal(drawn(generators[way], 50), drawn(again, 50))
    assert not np.array_equal(drawn(again, 50), drawn(again, 50, seed=2))


@pytest.mark.parametrize("way", WAYS)
def test_known_cells_come_back_exactly_and_the_others_fit_them(generators, way):
    values = np.full((600, 3), np.nan, np.float32)
    mask = np.zeros((600, 3), bool)
    values[:300, 1], mask[:300, 1] = 2, True
    values[300:, 0], mask[300:, 0] = -0.98, True
    found = drawn(generators[way], 600, Known(values, mask))
    assert np.array_equal(found[mask], values[mask])
    assert np.mean(found[:300, 2] == 1) > 0.9
    assert np.mean(found[300:, 1] == 0) > 0.8


def test_no_rows_can_be_drawn(generators):
    assert drawn(generators["spread"], 0).shape == (0, 3)


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


def test_learned_points_without_logits_are_refused():
    with pytest.raises(ParameterError, match="logits"):
        FinDiffLearner(embedding="learned", head="nearest")


def test_the_global_generator_is_left_alone():
    before = torch.random.get_rng_state()
    learned(SMALL, mixture(100), steps=2).draw(5, np.random.default_rng(0))
    assert torch.equal(torch.random.get_rng_state(), before)
