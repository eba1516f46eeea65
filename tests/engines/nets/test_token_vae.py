"""The autoencoder of tokens: its loss by hand, how beta falls, and what centre and scale learn."""

import numpy as np
import pytest
import torch

from understudy.engines.dpsgd.functional import written_gradients
from understudy.engines.dpsgd.tape import can_be_taped
from understudy.engines.fields import Fields
from understudy.engines.nets.token_vae import TokenLoss, TokenSize, TokenVae
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit

FIELDS = Fields((1,), (0, 2), (3, 2))
SIZE = TokenSize(token=2, blocks=1, feed=2)


def noise(seed=0):
    return torch.Generator().manual_seed(seed)


def rows(count=500):
    rng = np.random.default_rng(0)
    code = rng.integers(0, 3, count)
    return np.stack([code, code - 1 + 0.1 * rng.normal(size=count), code == 2], 1).astype(np.float32)


def model(fields=FIELDS):
    made = TokenVae(fields, SIZE, noise())
    with torch.no_grad():  # a head that says something
        for parameter in made.detokenizer.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=noise(3)))
    return made.eval()


def test_the_loss_is_squared_error_surprise_and_divergence_by_hand():
    vae, table = model(), torch.from_numpy(rows(7))
    found = TokenLoss(last=0.5)(vae, table, noise(1))
    posterior = vae.posterior(table)
    mean, log_sd = posterior.chunk(2, -1)
    eps = torch.randn((7, 1, 3, 2), generator=noise(1))[:, 0]
    number, logs = vae.decoded(mean + log_sd.exp() * eps)
    first, second = logs[:, :3].softmax(-1), logs[:, 3:].softmax(-1)
    each = torch.arange(7)
    surprise = -(first[each, table[:, 0].long()].log() + second[each, table[:, 2].long()].log()) / 2
    wanted = (number[:, 0] - table[:, 1]).square() + surprise
    normal, prior = torch.distributions.Normal(mean, log_sd.exp()), torch.distributions.Normal(0.0, 1.0)
    wanted += 0.5 * torch.distributions.kl_divergence(normal, prior).mean((1, 2))
    wanted += 0.5 * mean.square().mean((1, 2))  # centre 0 and scale 1, to begin with
    assert torch.allclose(found, wanted, atol=1e-5)


def test_more_draws_have_the_mean_of_their_errors():
    vae, table = model(), torch.from_numpy(rows(5))
    many = TokenLoss(draws=4_000)(vae, table, noise(1))
    single = torch.stack([TokenLoss()(vae, table, noise(seed)) for seed in range(400)])
    assert many.shape == (5,)
    error = single.std(0) / 20 + single.std(0) / 4_000**0.5
    assert torch.all((many - single.mean(0)).abs() < 5 * error)


def test_beta_falls_by_one_factor_a_step_and_stays_while_a_model_is_trained():
    vae, table = model(), torch.from_numpy(rows(5))
    loss = TokenLoss(first=1.0, last=0.01, falling=2)

    def beta():
        """Two losses that differ by beta alone tell it."""
        high, low = TokenLoss(last=1.0), TokenLoss(last=0.0)
        vae.eval()
        ends = [each(vae, table, noise()).sum().item() for each in (low, high)]
        vae.train()
        return (loss(vae, table, noise()).sum().item() - ends[0]) / (ends[1] - ends[0])

    assert [beta() for _ in range(4)] == pytest.approx([1.0, 0.1, 0.01, 0.01], rel=1e-3)
    assert vae.steps.item() == 4
    vae.eval()
    loss(vae, table, noise())
    assert vae.steps.item() == 4, "judging is no step"


def trained(vae, steps):
    settings = {"stage": Settings(steps, 128, 1e-2, schedule="cosine", ema=0.98)}
    OpenFit(rows(), settings, 0, device="cpu").train("stage", vae, TokenLoss(1e-2, 1e-4, falling=steps // 2))
    with torch.no_grad():
        latents = vae.latents(torch.from_numpy(rows()))
        return latents, *vae.law(latents)


def test_cells_come_back_from_latents_of_about_one_scale():
    vae = TokenVae(FIELDS.seen(rows()), SIZE, noise())
    latents, number, logs = trained(vae, 400)
    assert latents.shape == (500, 6)
    assert latents.mean(0).abs().max() < 0.5 and (latents.std(0) - 1).abs().max() < 0.5
    codes = vae.segments.argmax(logs).numpy()
    assert np.mean(codes == rows()[:, [0, 2]]) > 0.98
    assert np.mean((number[:, 0].numpy() - rows()[:, 1]) ** 2) < 0.1


def test_centre_and_scale_are_mean_and_deviation_of_latents_that_stay():
    vae = model().requires_grad_(False)
    vae.law_of_all.requires_grad_(True)
    latents, _, _ = trained(vae, 400)
    assert latents.mean(0).abs().max() < 0.05 and (latents.std(0) - 1).abs().max() < 0.05


def test_centre_and_scale_teach_the_encoder_nothing():
    vae, table = model(), torch.from_numpy(rows(5))
    with_them = torch.autograd.grad(TokenLoss()(vae, table, noise()).sum(), vae.told.weight)[0]
    with torch.no_grad():
        vae.law_of_all.copy_(torch.randn(vae.law_of_all.shape, generator=noise()))
    assert torch.equal(
        torch.autograd.grad(TokenLoss()(vae, table, noise()).sum(), vae.told.weight)[0], with_them
    )


@pytest.mark.parametrize("fields", [Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1))], ids=repr)
def test_only_numbers_and_only_codes_have_latents_too(fields):
    vae = TokenVae(fields, SIZE, noise())
    assert TokenLoss()(vae, torch.zeros(3, 2), noise()).isfinite().all()
    numbers, logs = vae.law(vae.latents(torch.zeros(3, 2)))
    assert numbers.shape == (3, len(fields.numbers)) and logs.shape == (3, fields.levels)


def test_gradients_per_record_are_those_of_each_record_alone_with_noise_of_its_own():
    vae, table = model(), torch.from_numpy(rows(4))[[0, 0, 1]]
    assert not can_be_taped(vae), "its tables belong to no layer: gradients are taken record by record"
    names = dict(vae.named_parameters())

    def gradients(loss):
        total = torch.zeros_like(vae.detokenizer.table)
        part = written_gradients(vae, lambda m, r: loss(m, r, noise(5)), (table,), names)[
            vae.detokenizer.table
        ]
        one = torch.eye(3)
        return [part.add_to(total, factor, None, fresh=True) or total.clone() for factor in one]

    first, twin, other = gradients(TokenLoss(draws=2))
    assert not torch.allclose(first, twin), "equal records draw different latents"
    with torch.no_grad():  # no noise: deviations of e^-5
        vae.told.weight[2:], vae.told.bias[2:] = 0.0, -1e3
    first, twin, other = gradients(TokenLoss(draws=2))
    assert torch.allclose(first, twin, atol=0.02)
    for row, found in ((table[:1], first), (table[2:], other)):
        wanted = torch.autograd.grad(TokenLoss()(vae, row, noise()).sum(), vae.detokenizer.table)[0]
        assert torch.allclose(found, wanted, atol=0.02)
