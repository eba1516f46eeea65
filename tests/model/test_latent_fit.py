"""Latents learned in other ways: what each reads, and what the ledger says of it."""

import numpy as np
import pytest

from understudy.engines.diffusion.tldm import NormalPrior, TldmGenerator
from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Vae, VaeSize
from understudy.model.latent_fit import LATENTS, OPENED, PROTECTED, law_of_latents
from understudy.privacy import Budget, Ledger, Vault
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian
from understudy.synth.tldm import TLDM
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.tables import people

torch = pytest.importorskip("torch")

SIZE = VaeSize(2, 16, 1)


def encoder():
    vae = Vae(Fields((0,), (1,), (3,)), SIZE, torch.Generator().manual_seed(0))
    made = TldmGenerator(vae, NormalPrior.standard(2), means=False, rounds=1)
    return lambda columns: made.posteriors(rule(columns))


def rows(count=30_000):
    rng = np.random.default_rng(0)
    return {"x": rng.normal(size=count), "a": rng.integers(0, 3, count)}


def rule(columns):
    return np.stack([columns["x"], columns["a"]], 1).astype(np.float32)


def paid(columns, noise):
    """Return a vault that has one sum of latents paid for."""
    ledger = Ledger()
    price = Gaussian(noise)
    stream = ledger.reserve(
        [Entry("moments", "measure", price, name=LATENTS)], Budget(measure="rho", amount=1e9)
    )
    return Vault(columns, ledger, stream), price


def test_noisy_moments_of_many_rows_are_close_to_the_exact_ones():
    encoded = encoder()
    exact = law_of_latents(Vault(rows(), Ledger()), encoded, 2)
    vault, price = paid(rows(), noise=2.0)
    noisy = law_of_latents(vault, encoded, 2, 30_000.0, price)
    assert np.allclose(exact[0], noisy[0], atol=0.01) and np.allclose(exact[1], noisy[1], atol=0.02)


def test_in_the_open_the_ledger_says_that_rows_were_read():
    ledger = Ledger()
    law_of_latents(Vault(rows(50), ledger), encoder(), 2)
    assert [entry.infinite for entry in ledger.entries] == [True]


def test_moments_at_a_price_open_nothing_and_can_be_of_no_row_at_all():
    vault, price = paid(rows(0), noise=2.0)
    mean, covariance = law_of_latents(vault, encoder(), 2, 1.0, price)
    assert not any(entry.infinite for entry in vault.ledger.entries)
    assert np.isfinite(mean).all() and np.linalg.eigvalsh(covariance).min() > 0


def test_the_ledger_has_the_seal_before_the_open_read():
    recipe = TLDM(guarantee="paper", latent=2, width=8, depth=1, noisy_steps=2, diffusion_steps=2, rate=1.0)
    schema = Schema.infer(Table(people())).declare()
    model = recipe.fit(people(), schema, budget=Budget(measure="rho", amount=1.0), progress=False)
    (seal,) = model.certificate.seals
    opened = [place for place, entry in enumerate(model.certificate.entries) if entry.what == OPENED]
    assert seal.part == PROTECTED and opened == [seal.after]
