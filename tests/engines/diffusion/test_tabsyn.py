"""TabSyn: its second loss by hand, what it draws of a known mixture, and known cells that come back."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tabsyn import (
    EdmLoss,
    LatentDenoiser,
    NetworkSize,
    TabSynGenerator,
    TabSynLearner,
)
from understudy.engines.fields import Fields
from understudy.engines.generator import Known
from understudy.engines.nets.token_vae import TokenSize
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit

FIELDS = Fields(numbers=(0,), codes=(1, 2), sizes=(3, 2))
SMALL = TabSynLearner(TokenSize(feed=4), NetworkSize("residual", 64, 1), falling=300, sampling_steps=20)
PLAIN = replace(SMALL, network=NetworkSize("plain", 32, 2), churn=1.0, drawn=False)


def mixture(rows=2_000):
    """Two clusters: -1 with codes (0, 0), or +1 with (1 or 2, 1)."""
    rng = np.random.default_rng(0)
    side = rng.random(rows) < 0.3
    number = np.where(side, 1.0, -1.0) + 0.3 * rng.normal(size=rows)
    code = np.where(side, rng.integers(1, 3, rows), 0)
    return np.stack([number, code, side], 1).astype(np.float32)


def learned(learner, matrix, fields=FIELDS, steps=400):
    settings = Settings(steps, 256, 5e-3, schedule="cosine", ema=0.98)
    fit = OpenFit(matrix, {"autoencoder": settings, "diffusion": settings}, 0, device="cpu")
    return learner.learn(fields.seen(matrix), fit, 0)


def drawn(generator, rows=2_000, known=None, seed=1):
    return generator.draw(rows, np.random.default_rng(seed), known)


@pytest.fixture(scope="module", params=[SMALL, PLAIN], ids=["residual", "plain"])
def generator(request):
    return learned(request.param, mixture())


def test_a_known_mixture_is_recovered(generator):
    number, code, side = drawn(generator).T
    assert set(code) <= {0, 1, 2} and set(side) <= {0, 1}
    assert side.mean() == pytest.approx(0.3, abs=0.06)
    assert np.mean((code > 0) == (side == 1)) > 0.97
    assert np.mean(code[side == 1] == 1) == pytest.approx(0.5, abs=0.15)
    for value, centre in ((0, -1.0), (1, 1.0)):
        assert number[side == value].mean() == pytest.approx(centre, abs=0.12)
        assert number[side == value].std() == pytest.approx(0.3, abs=0.15)


def test_a_restored_generator_draws_the_same_rows(generator):
    tensors, facts = generator.state()
    assert json.loads(json.dumps(facts)) == facts
    again = TabSynGenerator.restore(tensors, facts)
    assert np.array_equal(drawn(generator, 50), drawn(again, 50))
    assert not np.array_equal(drawn(again, 50), drawn(again, 50, seed=2))


def test_weights_of_another_network_are_refused(generator):
    tensors, facts = generator.state()
    with pytest.raises(RuntimeError, match="size mismatch"):
        TabSynGenerator.restore(tensors, facts | {"fields": {"numbers": [], "codes": [0], "sizes": [2]}})


def test_known_cells_come_back_exactly_and_the_others_fit_them(generator):
    values = np.full((400, 3), np.nan, np.float32)
    mask = np.zeros((400, 3), bool)
    values[:200, 1], mask[:200, 1] = 2, True
    values[200:, 0], mask[200:, 0] = -0.98, True
    found = drawn(generator, 400, Known(values, mask))
    assert np.array_equal(found[mask], values[mask])
    assert np.mean(found[:200, 2] == 1) > 0.9
    assert np.mean(found[200:, 1] == 0) > 0.9


def test_no_rows_can_be_drawn(generator):
    assert drawn(generator, 0).shape == (0, 3)


@pytest.mark.parametrize(
    "fields", [Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1)), Fields((), (0,), (1,))], ids=repr
)
def test_only_numbers_and_only_codes_are_learned_too(fields):
    rng = np.random.default_rng(0)
    columns = [rng.normal(size=64) for _ in fields.numbers] + [
        rng.integers(0, size, 64) for size in fields.sizes
    ]
    matrix = np.stack(columns, 1).astype(np.float32)
    found = drawn(learned(SMALL, matrix, fields, steps=3), 20)
    assert found.shape == (20, fields.width) and np.isfinite(found).all()
    assert all(
        set(found[:, at]) <= set(range(size)) for at, size in zip(fields.codes, fields.sizes, strict=True)
    )


def test_a_network_that_says_nothing_loses_what_its_target_is():
    """Of standard normal latents the network's target has variance 1 at every noise (Karras et al. 2022)."""
    denoiser = LatentDenoiser(6, NetworkSize("residual", 8, 1), torch.Generator().manual_seed(0))
    latents = torch.randn(20_000, 6, generator=torch.Generator().manual_seed(1))
    for draws in (1, 2):
        found = EdmLoss(draws)(denoiser, latents, torch.Generator().manual_seed(2))
        assert found.shape == (20_000,)
        assert found.mean().item() == pytest.approx(1.0, rel=0.02)


def test_the_loss_is_the_weighed_error_of_a_denoised_record():
    denoiser = LatentDenoiser(4, NetworkSize("plain", 8, 2), torch.Generator().manual_seed(0))
    latents = torch.randn(9, 4, generator=torch.Generator().manual_seed(1))
    found = EdmLoss()(denoiser, latents, torch.Generator().manual_seed(2))
    noise = torch.Generator().manual_seed(2)
    sigma = torch.exp(1.2 * torch.randn(9, generator=noise) - 1.2)[:, None]
    x = 0.5 * latents + sigma * torch.randn((9, 1, 4), generator=noise)[:, 0]
    total = sigma**2 + 0.25
    told = denoiser.network(x / total.sqrt(), sigma[:, 0].log() / 4)
    guess = 0.25 / total * x + 0.5 * sigma / total.sqrt() * told
    wanted = total[:, 0] / (0.5 * sigma[:, 0]) ** 2 * (guess - 0.5 * latents).square().mean(1)
    assert torch.allclose(found, wanted, rtol=1e-4)
