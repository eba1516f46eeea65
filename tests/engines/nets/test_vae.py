"""The heads and the bound against first principles, in numbers that can be computed by hand."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Elbo, Vae, VaeSize, divergence, drawn

FIELDS = Fields(numbers=(0, 3), codes=(1, 2), sizes=(3, 2))
SIZE = VaeSize(latent=2, width=8, depth=1)


def made(fields=FIELDS, seed=0):
    return Vae(fields, SIZE, seeded(seed))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def some_rows(count=5):
    rng = np.random.default_rng(0)
    rows = [
        rng.normal(size=count),
        rng.integers(0, 3, count),
        rng.integers(0, 2, count),
        rng.normal(size=count),
    ]
    return torch.tensor(np.stack(rows, 1), dtype=torch.float32)


def test_the_likelihood_is_that_of_gaussians_and_of_tables():
    vae, rows, latents = made(), some_rows(), torch.randn(5, 2, generator=seeded(1))
    law = vae.law(latents)
    found = vae.log_likelihood(rows, latents).detach().numpy()
    for place, row in enumerate(rows.numpy()):
        mean, sd = law.mean[place].detach().numpy(), law.log_sd[place].exp().detach().numpy()
        wanted = stats.norm.logpdf(row[[0, 3]], mean, sd).sum()
        logits = law.logs[place].detach().numpy()
        wanted += logits[int(row[1])] + logits[3 + int(row[2])]
        assert found[place] == pytest.approx(wanted, rel=1e-5)
    assert np.allclose([law.logs[:, :3].exp().sum(1).detach(), law.logs[:, 3:].exp().sum(1).detach()], 1)


def test_the_likelihood_of_known_cells_for_every_pair_is_that_of_one_pair_after_the_other():
    vae, rows, latents = made(), some_rows(), torch.randn(7, 2, generator=seeded(1))
    everything = torch.ones(5, 4, dtype=torch.bool)
    found = vae.likelihoods(rows, everything, vae.law(latents))
    for j, latent in enumerate(latents):
        wanted = vae.log_likelihood(rows, latent.expand(5, 2))
        left = math.log(2 * math.pi)  # what all pairs share
        assert torch.allclose(found[:, j] - left, wanted, atol=1e-4)
    nothing = vae.likelihoods(rows, ~everything, vae.law(latents))
    assert torch.equal(nothing, torch.zeros(5, 7))


def test_the_divergence_is_that_of_gaussians():
    mean, log_sd = torch.tensor([[0.7, -1.2]]), torch.tensor([[-0.5, 0.3]])
    points = torch.randn(400_000, 2, generator=seeded(), dtype=torch.float64) * log_sd.exp() + mean
    law = torch.distributions.Normal(mean.double(), log_sd.exp().double())
    prior = torch.distributions.Normal(0.0, 1.0)
    wanted = (law.log_prob(points) - prior.log_prob(points)).sum(1).mean()
    assert divergence(torch.cat([mean, log_sd], 1)).item() == pytest.approx(wanted.item(), rel=0.01)


def test_the_bound_is_divergence_less_likelihood():
    vae, rows = made(), some_rows()
    posterior = vae.posterior(rows)
    likelihood = vae.log_likelihood(rows, drawn(posterior, seeded(3)))
    for beta in (0.0, 1.0, 2.5):
        assert torch.allclose(
            Elbo(beta)(vae, rows, seeded(3)), beta * divergence(posterior) - likelihood, atol=1e-5
        )


def test_what_the_bound_teaches_follows_from_its_parts():
    vae, rows = made(), some_rows()
    posterior = vae.posterior(rows)
    parts = 0.5 * divergence(posterior) - vae.log_likelihood(rows, drawn(posterior, seeded(3)))
    weights = list(vae.parameters())
    wanted = torch.autograd.grad(parts.sum(), weights)
    found = torch.autograd.grad(Elbo(0.5)(vae, rows, seeded(3)).sum(), weights)
    assert all(torch.allclose(a, b, atol=1e-4) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize(
    "fields", [Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1)), Fields((0,), (), ()), FIELDS]
)
def test_rows_of_numbers_or_codes_alone_go_there_and_back(fields):
    vae = made(fields)
    rows = vae.decode(torch.randn(50, 2, generator=seeded()), seeded(1))
    assert rows.shape == (50, fields.width) and torch.isfinite(rows).all()
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        assert set(rows[:, at].tolist()) <= set(range(size))
    assert Elbo()(vae, rows, seeded()).shape == (50,)


def test_draws_follow_the_law_of_the_latent():
    vae = made()
    latent = torch.randn(1, 2, generator=seeded())
    law = vae.law(latent)
    rows = vae.decode(latent.expand(40_000, 2), seeded(2))
    assert torch.allclose(rows[:, [0, 3]].mean(0), law.mean[0], atol=0.05)
    assert torch.allclose(rows[:, [0, 3]].std(0), law.log_sd[0].exp(), rtol=0.05)
    assert torch.allclose(
        torch.bincount(rows[:, 1].long(), minlength=3) / 40_000, law.logs[0, :3].exp(), atol=0.02
    )
    plain = vae.decode(latent.expand(3, 2), seeded(2), means=True)
    assert torch.allclose(plain[:, [0, 3]], law.mean.expand(3, 2), atol=1e-6)


def test_initial_weights_follow_the_generator_and_leave_the_global_one_alone():
    before = torch.random.get_rng_state()
    first, second, third = made(seed=1).state_dict(), made(seed=1).state_dict(), made(seed=2).state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["encoder.0.weight"], third["encoder.0.weight"])
    assert torch.equal(before, torch.random.get_rng_state())
    assert {name.partition(".")[0] for name in first} == {"encoder", "decoder"}


def test_a_deviation_may_be_the_columns_own():
    vae = Vae(FIELDS, VaeSize(2, 8, 1, "relu", "column"), seeded())
    with torch.no_grad():
        vae.log_sds.weight.copy_(torch.tensor([[0.5, -1.0]]))
    law = vae.law(torch.randn(7, 2, generator=seeded(1)))
    assert (law.log_sd == law.log_sd[0]).all() and law.log_sd[0].tolist() == pytest.approx(
        [0.498, -0.987], abs=1e-3
    )
    assert law.mean.shape == (7, 2) and len(vae.decoder[-1].bias) == 2 + 5


def test_bounded_means_and_numbers_stay_between_minus_one_and_one():
    vae = Vae(FIELDS, VaeSize(2, 8, 1, spread="column", bounded=True), seeded())
    with torch.no_grad():
        vae.decoder[-1].bias[:2] = torch.tensor([50.0, -50.0])
    rows, latents = some_rows(), torch.zeros(5, 2)
    assert vae.law(latents).mean[0].tolist() == [1.0, -1.0]
    far = rows.clone()
    rows[:, 0], far[:, 0] = 1.0, 9.0
    assert torch.equal(vae.log_likelihood(rows, latents), vae.log_likelihood(far, latents))
    assert torch.equal(vae.posterior(rows), vae.posterior(far))


@pytest.mark.parametrize("fields", [Fields((), (0,), (3,)), Fields((0,), (), ())], ids=["codes", "numbers"])
def test_columns_of_one_kind_have_deviations_of_their_own_or_none(fields):
    vae = Vae(fields, VaeSize(2, 8, 1, spread="column"), seeded())
    assert (vae.log_sds is None) == (not fields.numbers)
    assert vae.decode(torch.zeros(3, 2), seeded()).shape == (3, 1)
    assert torch.isfinite(Elbo()(vae, torch.zeros(3, 1), seeded())).all()


def test_a_decoder_that_begins_at_random_knows_nothing_of_shares():
    fields = Fields((), (0,), (2,), shares=(np.array([0.9, 0.1]),))
    logits = {
        begins: Vae(fields, VaeSize(2, 8, 1, begins=begins), seeded()).law(torch.zeros(1, 2)).logs[0]
        for begins in ("shares", "random")
    }
    assert logits["shares"].exp().tolist() == pytest.approx([0.9, 0.1])
    assert logits["random"].exp().tolist() != pytest.approx([0.9, 0.1], abs=0.1)
