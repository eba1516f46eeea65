"""Every network can learn from a teacher: within a budget a tree of marginals reads the rows in its place."""

import dataclasses

import numpy as np
import pytest

from contract.quick_networks import NETWORKS, declared, halves
from understudy import synth
from understudy.privacy import Budget
from understudy.privacy.events import SampledGaussian
from understudy.testing import private
from understudy.testing.tables import people

pytest.importorskip("torch")


def settings_of(name):
    return {field.name for field in dataclasses.fields(synth.get(name))}


TAUGHT = [name for name in synth.names() if "teacher_rows" in settings_of(name)]
PRECISE = [name for name in synth.names() if "precision" in settings_of(name)]
BUDGET = Budget(epsilon=2.0, delta=1e-6)
# To plan for an epsilon takes seconds for every schema; for a rho, with declared levels, none.
AS_GENEROUS = Budget(measure="rho", amount=3.0, delta=1e-3)
OF_RELEASES = (
    private.a_private_fit_on_a_neighbour_asks_the_same_questions,
    private.all_rows_reach_an_artefact_through_mechanisms_alone,
)


def small(name, **settings):
    made = synth.get(name).small()
    return dataclasses.replace(made, guarantee="teacher_table", teacher_rows=200, teacher_steps=5, **settings)


def test_all_networks_that_are_trained_alone_have_the_form():
    assert set(TAUGHT) == {
        "tabddpm", "tabdiff", "findiff", "tablediffusion", "tabsyn", "tldm", "tvae", "nflow",
    }  # fmt: skip


@pytest.mark.parametrize("name", TAUGHT)
def test_no_gradient_of_a_private_row_is_paid_for(name):
    model = small(name).fit(people(), budget=BUDGET, progress=False)
    assert model.certificate.sound and model.certificate.epsilon(1e-6) <= 2.0
    assert not [entry for entry in model.certificate.entries if isinstance(entry.event, SampledGaussian)]
    assert any(entry.name == "teacher.pairs" for entry in model.certificate.entries)
    assert model.sample(20, seed=0).schema.names == people().schema.names


@pytest.mark.parametrize("name", ["tabddpm", "nflow"])
def test_what_the_tree_knows_is_learned(name):
    recipe = dataclasses.replace(
        NETWORKS[name].recipe, guarantee="teacher_table", teacher_rows=1_500, teacher_steps=50
    )
    table, budget = halves(), Budget(epsilon=8.0, delta=1e-6)
    model = recipe.fit(table, declared(table), budget=budget, progress=False)
    drawn = model.sample(1_000, seed=1)
    agree = (np.array(drawn["word"]) == "b") == (np.array(drawn["count"]) > 5)
    assert agree.mean() > 0.8


@pytest.mark.parametrize("name", ["tabddpm", "tabsyn"])
def test_in_the_open_the_certificate_says_none(name):
    assert small(name).fit(people(), progress=False).certificate.status == "none"


@pytest.mark.parametrize("name", ["tabddpm", "tabsyn", "nflow"])
@pytest.mark.parametrize("check", OF_RELEASES, ids=lambda check: check.__name__)
def test_rows_of_declared_tables_reach_the_network_through_the_tree_alone(name, check, monkeypatch):
    monkeypatch.setattr(private, "GENEROUS", AS_GENEROUS)
    monkeypatch.setattr(private, "_schemas", lambda: (private._declared(),))
    check(small(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", TAUGHT)
@pytest.mark.parametrize("check", private.CHECKS, ids=lambda check: check.__name__)
def test_the_form_keeps_the_private_contract(name, check):
    check(small(name))


@pytest.mark.parametrize("name", PRECISE)
def test_a_precision_reaches_every_stage_of_the_training(name):
    made = dataclasses.replace(synth.get(name).small(), precision="bf16")
    stages = made.method(noisy=False).settings
    assert stages and {each.precision for each in stages.values()} == {"bf16"}


def test_every_diffusion_has_a_precision():
    family = {"tabddpm", "tabdiff", "findiff", "tablediffusion", "tabsyn", "tldm"}
    assert family <= set(PRECISE)
