"""A known mixture comes back; what is known stays; what is saved draws the same."""

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tldm import Denoiser, Noise, NormalPrior, TldmGenerator, TldmLearner
from understudy.engines.fields import Fields
from understudy.engines.generator import Known
from understudy.engines.nets.vae import Vae, VaeSize
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit

FIELDS = Fields(numbers=(0,), codes=(1, 2), sizes=(2, 3))
SIZE = VaeSize(3, 32, 1)


def mixture(rows=2_000):
    """Return a number at -1.5 or 1.5, which of them it is, and a code that has nothing to do with it."""
    rng = np.random.default_rng(0)
    side = rng.integers(0, 2, rows)
    number = 3.0 * side - 1.5 + 0.3 * rng.normal(size=rows)
    return np.stack([number, side, rng.integers(0, 3, rows)], 1).astype(np.float32)


def trained(learner, matrix, fields):
    settings = Settings(steps=700, batch=128, lr=1e-2, schedule="cosine", ema=0.99)
    fit = OpenFit(matrix, {"autoencoder": settings, "diffusion": settings}, 0, device="cpu")
    return learner.learn(fields, fit, 0)


@pytest.fixture(scope="module")
def generator():
    return trained(TldmLearner(SIZE, (32, 1), Noise(steps=15), beta=0.3), mixture(), FIELDS)


def untrained(fields=FIELDS, prior="diffusion"):
    seed = torch.Generator().manual_seed(0)
    vae = Vae(fields, SIZE, seed)
    latents = NormalPrior.standard(3) if prior == "normal" else Denoiser(3, (8, 1), Noise(steps=5), seed)
    return TldmGenerator(vae, latents, means=False, rounds=1)


def test_a_mixture_is_recovered(generator):
    drawn = generator.draw(4_000, np.random.default_rng(1))
    number, side, other = drawn.T
    assert abs(side.mean() - 0.5) < 0.06
    assert np.mean((number > 0) == (side == 1)) > 0.96
    for at in (0, 1):
        assert abs(number[side == at].mean() - (3 * at - 1.5)) < 0.15
        assert number[side == at].std() < 0.6
    assert np.abs(np.bincount(other.astype(int), minlength=3) / 4_000 - 1 / 3).max() < 0.06


def test_known_cells_come_back_exactly_and_the_others_fit_them(generator):
    rng = np.random.default_rng(2)
    values = np.zeros((3_000, 3), np.float32)
    values[:, 1] = rng.integers(0, 2, 3_000)
    mask = np.zeros(values.shape, bool)
    mask[:, 1] = True
    drawn = generator.draw(3_000, rng, Known(values, mask))
    assert np.array_equal(drawn[:, 1], values[:, 1])
    assert np.mean((drawn[:, 0] > 0) == (values[:, 1] == 1)) > 0.95
    values[:, 0], mask[:, 0], mask[:, 1] = 1.618, True, False
    drawn = generator.draw(3_000, rng, Known(values, mask))
    assert (drawn[:, 0] == np.float32(1.618)).all() and drawn[:, 1].mean() > 0.95


def test_latents_of_all_rows_are_about_standard_normal(generator):
    with torch.no_grad():
        posterior = generator.vae.posterior(torch.from_numpy(mixture()))
    mean, log_sd = posterior.chunk(2, -1)
    spread = mean.var(0) + torch.exp(2 * log_sd).mean(0)
    assert mean.mean(0).abs().max() < 0.5 and spread.min() > 0.4 and spread.max() < 2.5


@pytest.mark.parametrize("prior", ["diffusion", "normal"])
@pytest.mark.parametrize(
    "fields", [FIELDS, Fields((0, 1), (), ()), Fields((), (0,), (4,)), Fields((), (0,), (1,))]
)
def test_what_is_saved_draws_the_same(fields, prior):
    made = untrained(fields, prior)
    again = TldmGenerator.restore(*made.state())
    first, second = (each.draw(70, np.random.default_rng(3)) for each in (made, again))
    assert first.shape == (70, fields.width) and first.dtype == np.float32
    assert np.array_equal(first, second)
    assert again.state()[1] == made.state()[1]


def test_no_rows_are_a_matrix_of_the_right_width():
    made, rng = untrained(), np.random.default_rng(0)
    nothing = Known(np.zeros((0, 3), np.float32), np.zeros((0, 3), bool))
    assert made.draw(0, rng).shape == made.draw(0, rng, nothing).shape == (0, 3)


def test_the_loss_is_the_mean_squared_error_of_the_noise():
    denoiser = Denoiser(3, (8, 1), Noise(), torch.Generator().manual_seed(0))
    latents = torch.zeros(50_000, 3)
    with torch.no_grad():
        loss = denoiser.loss(latents, torch.Generator().manual_seed(1))
    # A network that starts at nothing tells nothing: what is left is the noise itself, of variance 1.
    assert loss.shape == (50_000,) and loss.mean().item() == pytest.approx(1.0, abs=0.02)


def test_a_denoiser_that_knows_the_law_of_latents_draws_it():
    denoiser = Denoiser(1, (4, 0), Noise(), torch.Generator().manual_seed(0))
    mean, variance = 0.8, 0.25

    def exactly(z, clock):
        kept = denoiser.walk.schedule.kept(clock.round().long())[:, None]
        return (1 - kept).sqrt() * (z - kept.sqrt() * mean) / (kept * variance + 1 - kept)

    denoiser.network.forward = exactly
    found = denoiser.draw(20_000, torch.Generator().manual_seed(2))
    assert found.mean().item() == pytest.approx(mean, abs=0.02)
    assert found.var().item() == pytest.approx(variance, rel=0.05)


def test_a_normal_law_of_latents_is_drawn():
    covariance = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.1]])
    made = untrained(prior="normal").with_normal(np.array([1.0, 0.0, -1.0]), covariance)
    latents = made.prior.draw(60_000, torch.Generator().manual_seed(0))
    assert np.allclose(latents.mean(0), [1, 0, -1], atol=0.03)
    assert np.allclose(np.cov(latents.numpy().T), covariance, atol=0.05)


def test_several_draws_of_a_record_have_the_same_loss_on_average():
    learner = TldmLearner(SIZE, (8, 1), draws=8)
    posteriors = torch.randn(4_000, 6, generator=torch.Generator().manual_seed(0))
    denoiser = Denoiser(3, (8, 1), Noise(), torch.Generator().manual_seed(0))
    one = TldmLearner(SIZE, (8, 1)).denoising(denoiser, posteriors, torch.Generator().manual_seed(1))
    many = learner.denoising(denoiser, posteriors, torch.Generator().manual_seed(1))
    assert one.shape == many.shape == (4_000,)
    assert many.mean().item() == pytest.approx(one.mean().item(), abs=0.05) and many.std() < one.std()


def test_stages_are_those_that_are_trained():
    assert TldmLearner().stages == ("autoencoder", "diffusion")
    assert TldmLearner(noise=None).stages == ("autoencoder",)
