"""Six bugs planted in real recipes, each caught by `epsilon_audit` of whole fits; as they are, all pass.

noise halved                histogram               likelihood of what was released
no clip                     gaussian_copula, tvae   a replay on a neighbour; noisy steps along a gradient
unnoised selection          mst                     likelihood of what was released
codec fitted on raw rows    mst                     a replay on a neighbour
second stage unprotected    tldm, two forms of it   the last noisy step; the loss of canaries
noise skipped on resume     tvae, cut off           the last noisy step

False alarms. An audit alarms without a bug with a chance of at most 1 - confidence over its noise: exact
intervals, each with its part of that chance. Where the confidence is that of `SURE`, it is one in a million,
whatever is drawn; elsewhere it is the default, 5 %, and a replay that is broken has no chance in it at all.
All noise comes from a cipher whose key is the audit's seed, 0 here: what is found today is found tomorrow.

Misses. Of two groups that do not overlap, with n held runs each and k statistics, the audit proves at least
mu = 2 z, where Phi(z) = ((1 - confidence) / 4k)^(1/n). Each test with `SURE` says by how much groups do not
overlap, and takes n so that this mu is above the claim.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from attacks import bugs
from understudy import attacks
from understudy.engines.training import loop
from understudy.table.evidence import Evidence

pytest.importorskip("torch")

SURE = 1 - 1e-6
MEMORY = Path("/dev/shm")
DELTA = 1e-5
# No row, or one: nothing that other rows add hides it.
LONE = {"mode": "runs", "rows": 0, "drawn": 5, "delta": DELTA, "confidence": SURE}
TREE = {
    "recipe": "mst", "settings": "steps=2,margins_share=0.2,choose_share=0.75",
    "epsilon": 3.0, "delta": 1e-6, "runs": 100, "rows": 720, "drawn": 5, "mode": "runs",
}  # fmt: skip
MEMORISING = (
    "latent=32,width=64,depth=1,noisy_steps=3,rate=1.0,noisy_lr=0.3,diffusion_steps=80,"
    "batch=64,ema=0.9,sampling_steps=10,beta=0.0,draws=4"
)
TINY_VAE = "latent=3,width=12,depth=1,rate=1.0,margins_share=0.1"
TINY_LATENTS = "latent=1,width=64,depth=1,rate=1.0,sampling_steps=2,draws=64,noisy_steps=2"


def audited(table, plant, patch, **settings):
    """What the audit finds of the code as it is, and with a bug planted: by the same seeds."""
    audit, shown = attacks.get("epsilon_audit")(**settings), Evidence(train=table, synthetic=table)
    before = audit(shown)
    plant(patch)
    return before, audit(shown)


def passes(found):
    return found.parts["exceeds"] == found.parts["broken"] == 0 and not any(
        "FAILED" in n for n in found.notes
    )


def fails_by_guessing(found):
    """Whether the claim is refuted by telling two tables apart, not by a replay."""
    refuted = found.parts["exceeds"] == 1 and found.parts["mu"] > found.parts["allowed_mu"]
    return refuted and found.parts["broken"] == 0 and any("FAILED" in note for note in found.notes)


def numbers(columns):
    return pa.table({f"n{place}": [0.0, 100.0] for place in range(columns)})


def levels(columns):
    return pa.table({f"c{place}": ["x", "y"] for place in range(columns)})


def turned_by_a_row():
    """Three columns that go together: a and c by a hair more than a and b, and the rarest row turns it round.

    Errors of tables of even halves hardly feel the noise of the margins that they are compared with. The row
    (y, y, r) is one more that goes with the pair of a and b, and one less with that of a and c.
    """
    a = np.repeat(["x", "y"], [369, 351])
    b, c = a.copy(), np.where(a == "x", "r", "q")
    b[-10:], c[:10] = "x", "q"
    return pa.table({"a": a, "b": b, "c": c})


def test_halved_noise_is_caught(monkeypatch):
    # The mu that is claimed is about 1.5, and 3 with half of the noise.
    table = pa.table({"c": ["x"] * 30 + ["y"]})
    tried = {"recipe": "histogram", "epsilon": 8.0, "delta": 1e-6, "runs": 150, "rows": 30, "drawn": 5}
    honest, halved = audited(table, bugs.noise_divided, monkeypatch, mode="runs", **tried)
    assert passes(honest) and honest.parts["mu"] < honest.parts["allowed_mu"]
    assert fails_by_guessing(halved)
    assert halved.parts["mu"] > halved.parts["allowed_mu"] + 0.5


def test_sums_without_a_clip_are_caught(monkeypatch):
    # What a row adds is many times as long as the clip: a replay on the neighbour measures it.
    table = pa.table({f"c{place}": ["x"] * 59 + ["y"] for place in range(6)})
    tried = {"recipe": "gaussian_copula", "epsilon": 4.0, "delta": 1e-6, "runs": 20, "rows": 60, "drawn": 5}
    honest, boundless = audited(table, bugs.sums_without_a_clip, monkeypatch, mode="runs", **tried)
    assert passes(honest)
    assert boundless.parts["exceeds"] == boundless.parts["broken"] == 1
    assert "'correlation', moved by" in boundless.notes[0]


def test_gradients_without_a_clip_are_caught(monkeypatch):
    # Twelve numbers at their end: the row's gradient is some hundred clips long. What is released speaks for
    # it with 30 deviations of the noise or more, so the middle between both groups is 15 away from either.
    # 29 held runs of three statistics prove a mu of 0.35; the claim is 0.27.
    tried = {"recipe": "tvae", "settings": f"{TINY_VAE},noisy_steps=2", "epsilon": 1.0, "runs": 58}
    honest, boundless = audited(numbers(12), bugs.gradients_without_a_clip, monkeypatch, **LONE, **tried)
    assert passes(honest)
    assert fails_by_guessing(boundless)
    assert boundless.parts["allowed_mu"] == pytest.approx(0.27, abs=0.01)


def test_choices_without_noise_are_caught(monkeypatch):
    honest, unnoised = audited(turned_by_a_row(), bugs.choices_without_noise, monkeypatch, **TREE)
    assert passes(honest)
    assert fails_by_guessing(unnoised)


def test_a_codec_of_raw_rows_is_caught(monkeypatch):
    table = pa.table({"n": [float(k) for k in range(40)] + [1_000.0], "c": ["x", "y"] * 20 + ["y"]})
    tried = {"recipe": "mst", "settings": "steps=2", "mode": "runs", "runs": 4, "rows": 20, "drawn": 20}
    honest, raw = audited(table, bugs.codec_of_raw_rows, monkeypatch, **tried)
    assert passes(honest)
    assert raw.parts["broken"] > 0 and raw.parts["exceeds"] == 1
    assert any("FAILED" in note for note in raw.notes)


def test_a_second_stage_without_noise_is_caught(monkeypatch):
    # Without a row the last step tells exactly nought. With it, 64 draws of a latent leave one deviation of
    # 0.04 of what it tells, so nothing near the half of that: the groups do not overlap. 29 held runs of four
    # statistics prove a mu of 0.32; the claim is 0.27.
    tried = {"recipe": "tldm", "settings": TINY_LATENTS, "epsilon": 1.0, "runs": 58}
    honest, bare = audited(levels(2), bugs.second_stage_without_noise, monkeypatch, **LONE, **tried)
    assert passes(honest)
    assert fails_by_guessing(bare)


def test_a_second_stage_that_reads_the_rows_is_caught_as_it_was_published():
    rng = np.random.default_rng(0)
    table = pa.table({f"c{place}": rng.choice(list("abcdefgh"), 64) for place in range(6)})
    paper, sound = (
        attacks.get("epsilon_audit")(
            recipe="tldm",
            settings=f"guarantee={form},{MEMORISING}",
            separation=0.1,
            canaries=2,
            tables=40,
            rows=1,
        )(Evidence(train=table, synthetic=table))
        for form in ("paper", "sound")
    )
    assert paper.parts["allowed"] == pytest.approx(1.368, abs=1e-3)
    assert paper.value > paper.parts["allowed"]
    assert paper.parts["exceeds"] == 1
    assert any("budget" in note for note in paper.notes)
    assert sound.parts["exceeds"] == 0
    assert sound.value < sound.parts["allowed"] < 1.37


def resumed(patch, noisy_steps):
    if MEMORY.is_dir():
        patch.setattr(tempfile, "tempdir", str(MEMORY))  # run folders wait for their disk, hundreds of times
    # Without a row the last step tells exactly nought. With it, one deviation is 0.08 of what it tells, so
    # nothing is near the half of that: the groups do not overlap. 26 held runs of three statistics prove a mu
    # of 0.17; the claim is 0.03.
    settings = f"{TINY_VAE},noisy_steps={noisy_steps}"
    tried = {"recipe": "tvae", "settings": settings, "epsilon": 0.1, "runs": 52, "resumed": True}
    honest, forgetful = audited(levels(2), bugs.no_noise_once_resumed, patch, **LONE, **tried)
    return passes(honest) and fails_by_guessing(forgetful)


def test_noise_that_is_skipped_when_a_training_is_resumed_is_caught(monkeypatch):
    monkeypatch.setattr(loop, "BLOCK", 1)  # a checkpoint after one step, as there is one after 64
    assert resumed(monkeypatch, noisy_steps=2)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_noise_that_is_skipped_when_a_training_of_many_steps_is_resumed_is_caught(monkeypatch):
    assert resumed(monkeypatch, noisy_steps=loop.BLOCK + 2)
