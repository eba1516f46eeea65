"""Which part of what was made private rows can have reached, and by which way: derived, not declared."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate, certify, part_of, statuses
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian
from understudy.privacy.ledger import Ledger
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.privacy.seal import Seal
from understudy.privacy.taint import REST, covered, parts_of, reaching
from understudy.privacy.vault import Vault

PAID, OPEN = Entry("noisy gradients", "train", Gaussian(4.0), because="clipped"), Entry("latents", "train")
WEIGHTS = Seal("weights", "ab" * 32, 1)
BUDGET = Budget(epsilon=3.0, delta=1e-6)
STEPS = 5


def autoencoder(vault):
    """Train a linear autoencoder of two columns with one direction: noisy covariance sums, five steps."""
    direction = np.array([1.0, 0.0])
    for _ in range(STEPS):
        total = vault.read("autoencoder", _sums(lambda c, d=direction: _moved(c, d)))
        direction = direction + 0.1 * total / 100
        direction /= np.linalg.norm(direction)
    return direction


def _sums(vectors):
    return ClippedSums(vectors, ("x", "y"), 2, 1.0, Gaussian(10.0))


def _moved(columns, direction):
    rows = np.stack([columns["x"], columns["y"]], axis=1)
    return rows * (rows @ direction)[:, None]


def two_stages(second):
    """Train an autoencoder with noise, seal it, then learn from its latents by a second stage."""
    rng = np.random.default_rng(0)
    ledger = Ledger()
    plan = [Entry("autoencoder", "train", Gaussian(10.0, STEPS), because="clipped", name="autoencoder")]
    if second == "noisy":
        plan.append(Entry("latent mean", "train", Gaussian(10.0), because="clipped", name="latents"))
    rows = {"x": rng.uniform(-1, 1, 200), "y": rng.uniform(-1, 1, 200)}
    vault = Vault(rows, ledger, ledger.reserve(plan, BUDGET))
    weights = autoencoder(vault)
    vault.seal("weights", weights.tobytes())
    latents = vault.map(lambda columns: {"z": np.stack([columns["x"], columns["y"]], axis=1) @ weights})
    if second == "noisy":
        latents.read("latents", ClippedSums(lambda c: c["z"][:, None], ("z",), 1, 1.0, Gaussian(10.0)))
    else:
        latents.open("latents, for plain training of the diffusion model")
    return certify(ledger), weights


def test_paper_000_covers_its_weights_and_not_its_table():
    certificate, weights = two_stages("plain")
    assert certificate.status == "partial"
    assert statuses(certificate) == {"weights": "sound", REST: "none"}
    assert certificate.epsilon(1e-6) == float("inf")
    assert 0 < part_of(certificate, "weights").epsilon(1e-6) < 3
    assert certificate.seals[0].digest == hashlib.sha256(weights.tobytes()).hexdigest()


def test_the_same_with_a_noisy_second_stage_is_sound_and_both_stages_are_paid_for():
    certificate, _ = two_stages("noisy")
    assert certificate.status == "sound"
    assert statuses(certificate) == {"weights": "sound", REST: "sound"}
    assert certificate.epsilon(1e-6) <= 3
    assert len(part_of(certificate, REST).entries) == 2


def test_without_a_seal_an_open_read_reaches_everything():
    assert Certificate((PAID, OPEN)).status == "none"
    assert Certificate((PAID, OPEN), seals=(WEIGHTS,)).status == "partial"


def test_a_seal_after_the_open_read_covers_nothing():
    assert Certificate((OPEN, PAID), seals=(Seal("weights", "ab" * 32, 1),)).status == "none"
    assert Certificate((PAID, OPEN), seals=(Seal("weights", "ab" * 32, 2),)).status == "none"


def test_a_seal_before_anything_was_read_is_no_cover():
    assert Certificate((OPEN,), seals=(Seal("weights", "ab" * 32, 0),)).status == "none"


def test_of_two_seals_of_one_name_the_later_counts():
    twice = (Seal("weights", "ab" * 32, 1), Seal("weights", "cd" * 32, 2))
    assert Certificate((PAID, OPEN), seals=twice).status == "none"


def test_a_read_that_feeds_one_part_alone_reaches_no_other():
    kept = Entry("the exact mean", "train", feeds=("files",))
    drawn = Entry("rows drawn", "sample", Gaussian(3.0), feeds=("rows",), condition="the floor holds")
    whole = Certificate((kept, drawn))
    assert whole.status == "partial"
    assert statuses(whole) == {"files": "none", "rows": "conditional", REST: "sound"}
    assert parts_of(whole.entries, ()) == ("files", "rows", REST)
    assert reaching(whole.entries, (), "rows") == (drawn,)
    assert covered(whole.entries, ()) == ("rows",)


def test_a_part_that_is_not_there_is_refused():
    with pytest.raises(ParameterError, match="there is no part 'table'; try one of weights"):
        part_of(Certificate((PAID, OPEN), seals=(WEIGHTS,)), "table")
