"""TLDM: its latents, its second loss, and the laws that latents are drawn from."""

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tldm import Denoiser, Noise, NormalPrior, TldmGenerator, TldmLearner
from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Vae, VaeSize
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.together import together

FIELDS = Fields(numbers=(0,), codes=(1, 2), sizes=(2, 3))
SIZE = VaeSize(3, 32, 1)


def mixture(rows=2_000):
    """Return a number at -1.5 or 1.5, which of them it is, and a code that has nothing to do with it."""
    rng = np.random.default_rng(0)
    side = rng.integers(0, 2, rows)
    number = 3.0 * side - 1.5 + 0.3 * rng.normal(size=rows)
    return np.stack([number, side, rng.integers(0, 3, rows)], 1).astype(np.float32)


def untrained(fields=FIELDS, prior="diffusion"):
    seed = torch.Generator().manual_seed(0)
    vae = Vae(fields, SIZE, seed)
    latents = NormalPrior.standard(3) if prior == "normal" else Denoiser(3, (8, 1), Noise(steps=5), seed)
    return TldmGenerator(vae, latents, means=False, rounds=1)


def test_latents_of_all_rows_are_about_standard_normal():
    fit = OpenFit(
        mixture(), {"autoencoder": Settings(250, 128, 1e-2, schedule="cosine", ema=0.98)}, 0, device="cpu"
    )
    generator = TldmLearner(SIZE, noise=None, beta=0.3).learn(FIELDS, fit, 0)
    with torch.no_grad():
        posterior = generator.vae.posterior(torch.from_numpy(mixture()))
    mean, log_sd = posterior.chunk(2, -1)
    spread = mean.var(0) + torch.exp(2 * log_sd).mean(0)
    assert mean.mean(0).abs().max() < 0.5 and spread.min() > 0.4 and spread.max() < 2.5


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


def test_a_bound_that_is_written_out_trains_the_same_and_stays_out_of_stacks():
    def learned(whole, seed=0):
        fit = OpenFit(
            mixture(200), {"autoencoder": Settings(20, 64, 1e-3, precision="float32")}, seed, device="cpu"
        )
        learner = TldmLearner(SIZE, noise=None, whole=whole)
        return learner.learn(FIELDS, fit, seed).vae.state_dict()

    small, whole = learned(False), learned(True)
    assert all(torch.allclose(small[name], whole[name], atol=1e-4) for name in small)
    beside = together([lambda: learned(True, 0), lambda: learned(True, 1)])
    assert all(torch.isfinite(value).all() for each in beside for value in each.values())
