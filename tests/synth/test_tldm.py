"""Every form of TLDM: what it protects is what its certificate says, and the paper's own says how little."""

import dataclasses
import hashlib

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import save

import understudy as us
from understudy.errors import ParameterError
from understudy.privacy import Budget
from understudy.privacy.certificate import statuses
from understudy.privacy.meaning import plain_meaning
from understudy.synth.tldm import FORMS, TLDM
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing import checks
from understudy.testing.tables import people

SOUND = [form for form in FORMS if form != "paper"]
BUDGET = Budget(measure="rho", amount=1.0)
PRIVATE = [check for check in checks() if check.__module__.endswith(".private")]


def small(form):
    return dataclasses.replace(TLDM.small(), guarantee=form)


def declared(table=None):
    return Schema.infer(Table(people() if table is None else table)).declare()


def fitted(form, budget=BUDGET):
    return small(form).fit(people(), declared(), budget=budget, progress=False)


def pairs(n=1_500):
    """Return a level, a copy of it that is nearly always right, and a number that follows it."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.95, a, rng.integers(0, 3, n))
    x = 3.0 * a + rng.normal(size=n)
    return pa.table({"a": np.array(["u", "v", "w"])[a], "b": np.array(["u", "v", "w"])[b], "x": x})


@pytest.mark.parametrize("form", SOUND)
def test_a_sound_form_has_a_sound_certificate_and_keeps_its_budget(form):
    certificate = fitted(form).certificate
    assert certificate.status == "sound"
    assert certificate.epsilon(1e-6) < np.inf


@pytest.mark.parametrize(
    ("form", "read"),
    [
        ("sound", {"margins.counts", "training.autoencoder", "training.diffusion"}),
        ("decoder_only", {"margins.counts", "training.autoencoder"}),
        ("latent_prior", {"margins.counts", "training.autoencoder", "latents.moments"}),
        ("teacher_table", {"margins.counts", "teacher.choose", "teacher.pairs"}),
        ("paper", {"margins.counts", "training.autoencoder"}),
    ],
)
def test_a_form_plans_exactly_what_it_reads(form, read):
    wanted = small(form).asks(declared())
    assert {ask.name for ask in wanted} == read
    assert sum(ask.share for ask in wanted) == pytest.approx(1.0)
    assert {entry.name for entry in fitted(form).certificate.entries if entry.name} == read


def test_the_split_is_what_the_autoencoder_gets_of_what_margins_leave():
    recipe = dataclasses.replace(small("sound"), split=0.8, margins_share=0.5)
    assert [ask.share for ask in recipe.asks(declared())] == pytest.approx([0.5, 0.4, 0.1])


def test_the_papers_form_protects_the_weights_of_the_autoencoder_and_no_table():
    certificate = fitted("paper").certificate
    assert certificate.status == "partial" and not certificate.sound
    assert certificate.epsilon(1e-6) == np.inf and certificate.delta(1.0) == 1.0
    assert statuses(certificate) == {"the weights of the autoencoder": "sound", "everything else": "none"}
    told = " ".join(plain_meaning(certificate))
    assert "diffusion is trained on encodings of the private rows, without noise" in told
    assert "Of the weights of the autoencoder alone: " in told
    assert "Nothing bounds what everything else can reveal about a row." in told


def test_the_papers_form_seals_the_weights_that_the_model_has():
    model = fitted("paper")
    (seal,) = model.certificate.seals
    tensors, _ = model.sampler.generator.state()
    weights = {name.removeprefix("vae."): each for name, each in tensors.items() if name.startswith("vae.")}
    assert seal.digest == hashlib.sha256(save(weights)).hexdigest()


def test_the_papers_form_clips_the_mean_of_a_batch_and_pays_for_its_sensitivity():
    made = TLDM.paper()._privately()
    assert (made.clipping["autoencoder"].style, made.clipping["autoencoder"].groups) == (
        "batch",
        ("encoder.", "decoder."),
    )
    assert made.settings["diffusion"].steps == TLDM.paper().diffusion_steps
    assert TLDM.paper().sampling_steps == TLDM.paper().times == 1_000
    assert (TLDM.paper().width, TLDM.paper().depth, TLDM.paper().beta) == (256, 3, 1.0)


# The code of decoder_only is that of the default with one stage less.
@pytest.mark.parametrize(
    "form", ["latent_prior", "teacher_table", pytest.param("decoder_only", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("check", PRIVATE, ids=lambda check: check.__name__)
def test_the_other_sound_forms_keep_the_private_contract(form, check):
    check(small(form))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_draws_in_the_open_too(form):
    model = fitted(form, budget=None)
    assert model.certificate.status == "none"
    assert model.sample(20).schema.names == people().schema.names


@pytest.mark.parametrize("form", ["decoder_only", "teacher_table"])
def test_no_columns_to_model_are_no_trouble(form):
    ids = pa.table({"id": [f"P{i:03}" for i in range(40)]})
    for budget in (None, BUDGET):
        model = small(form).fit(ids, declared(ids), budget=budget, progress=False)
        assert model.sample(5).num_rows == 5


@pytest.fixture(scope="module")
def learned():
    recipe = TLDM(
        latent=4,
        width=32,
        depth=1,
        beta=0.1,
        steps=1_500,
        diffusion_steps=1_000,
        lr=1e-2,
        batch=128,
        sampling_steps=20,
    )
    return recipe.fit(pairs(), progress=False)


def test_relations_are_learned(learned):
    drawn = learned.sample(3_000, seed=1)
    same = np.mean(np.array(drawn["a"]) == np.array(drawn["b"]))
    assert same > 0.85
    means = [np.mean(np.array(drawn["x"])[np.array(drawn["a"]) == level]) for level in "uvw"]
    assert np.allclose(means, [0.0, 3.0, 6.0], atol=0.6)


def test_conditions_hold_exactly_and_reach_the_other_columns(learned):
    drawn = learned.sample(500, seed=2, where={"x": (7.5, 12.0)})
    assert min(drawn["x"].to_pylist()) >= 7.5
    assert np.mean(np.array(drawn["a"]) == "w") > 0.9


def test_imputed_cells_fit_the_cells_that_are_there(learned):
    real = pairs().slice(0, 400)
    gappy = real.set_column(1, "b", pa.nulls(400, pa.string()))
    filled = learned.impute(gappy, seed=3)
    assert filled["a"].equals(real["a"]) and filled["x"].equals(real["x"])
    assert np.mean(np.array(filled["b"]) == np.array(real["a"])) > 0.85


def test_a_form_that_does_not_exist_is_refused():
    with pytest.raises(ParameterError, match="guarantee"):
        TLDM(guarantee="all")


def test_it_is_found_by_its_name():
    assert us.synth.get("tldm") is TLDM
