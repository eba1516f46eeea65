"""Every form of TLDM: what it protects is what its certificate says, and the paper's own says how little."""

import dataclasses
import hashlib
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import save

from understudy.errors import ParameterError
from understudy.privacy import Budget
from understudy.privacy.certificate import statuses
from understudy.privacy.meaning import plain_meaning
from understudy.synth.tldm import FORMS, TLDM
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing import private
from understudy.testing.tables import people

SOUND = [form for form in FORMS if form != "paper"]
BUDGET = Budget(measure="rho", amount=1.0)
# To plan for an epsilon takes seconds for every form and schema; for a rho, with declared levels, none.
AS_GENEROUS = Budget(measure="rho", amount=3.0, delta=1e-3)
OF_RELEASES = (
    private.a_private_fit_on_a_neighbour_asks_the_same_questions,
    private.what_a_mechanism_sees_moves_by_at_most_its_sensitivity,
    private.all_rows_reach_an_artefact_through_mechanisms_alone,
    private.what_is_declared_costs_nothing,
)


def small(form):
    return dataclasses.replace(TLDM.small(), guarantee=form)


def declared(table=None):
    return Schema.infer(Table(people() if table is None else table)).declare()


@cache
def fitted(form, budget=BUDGET):
    return small(form).fit(people(), declared(), budget=budget, progress=False)


# The default is looked at with all other networks.
@pytest.mark.parametrize("form", [form for form in SOUND if form != "sound"])
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
@pytest.mark.parametrize("form", ["latent_prior", "teacher_table"])
@pytest.mark.parametrize("check", OF_RELEASES, ids=lambda check: check.__name__)
def test_the_other_sound_forms_keep_the_private_contract_of_declared_tables(form, check, monkeypatch):
    monkeypatch.setattr(private, "GENEROUS", AS_GENEROUS)
    monkeypatch.setattr(private, "_schemas", lambda: (private._declared(),))
    # The checks remember what they recorded of a recipe: one of its own, as the budget is another.
    check(dataclasses.replace(small(form), noisy_steps=2))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["latent_prior", "teacher_table", "decoder_only"])
@pytest.mark.parametrize("check", private.CHECKS, ids=lambda check: check.__name__)
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


def test_a_form_that_does_not_exist_is_refused():
    with pytest.raises(ParameterError, match="guarantee"):
        TLDM(guarantee="all")
