"""CTGAN as a recipe: its presets, conditions that hit their column, and what its private form reads."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from contract.quick_networks import declared, fitted, halves
from understudy import Budget
from understudy.engines.dpsgd import clipper
from understudy.privacy.events import SampledGaussian
from understudy.synth.ctgan import CTGAN

pytest.importorskip("torch")

# Full batches: the price of sampled ones takes seconds to find.
SMALL = replace(CTGAN.small(), rate=1.0)
BUDGET = Budget(epsilon=3.0, delta=1e-6)


def test_the_paper_is_a_preset():
    paper = CTGAN.paper()
    assert (paper.epochs, paper.batch, paper.pac, paper.lr) == (300, 500, 10, 2e-4)
    assert (paper.width, paper.depth, paper.latent, paper.dropout) == (256, 2, 128, 0.5)
    assert (paper.loss, paper.penalty, paper.temperature) == ("wasserstein", 10.0, 0.2)
    assert (paper.asked, paper.norm, paper.few, paper.weight_decay) == ("logs", "batch", 0, 1e-6)
    settings = paper.method(noisy=False).settings["critic"]
    assert settings.optimizer == "adam" and settings.betas == (0.5, 0.9)


def test_a_small_version_of_the_paper_trains_and_draws():
    paper = replace(CTGAN.paper(), width=16, latent=8, epochs=2, batch=100)
    drawn = paper.fit(halves(250), progress=False).sample(40, seed=0)
    assert drawn.schema == halves(5).schema and drawn.num_rows == 40


def test_a_condition_hits_its_own_column_whichever_that_is():
    model = fitted("ctgan")
    for where in ({"word": "b"}, {"count": 9}, {"word": "a", "count": 1}, {"spent": None}):
        drawn = model.sample(40, seed=0, where=where)
        for name, value in where.items():
            assert set(drawn[name].to_pylist()) == {value}


def test_given_a_level_the_others_keep_the_law_that_they_have_in_the_table():
    real, drawn = halves(), fitted("ctgan").sample(1_000, seed=0, where={"word": "b"})
    kept = real.filter(pa.compute.equal(real["word"], "b"))
    for count in (7, 8, 9):
        share = [np.mean(np.array(table["count"]) == count) for table in (kept, drawn)]
        assert share[1] == pytest.approx(share[0], abs=0.12)
    number = [np.median(np.array(table["number"])) for table in (kept, drawn)]
    assert number[1] == pytest.approx(number[0], abs=0.25)


@pytest.mark.parametrize("guarantee", ["sound", "paper"])
def test_a_budget_is_spent_on_margins_and_on_the_critic_and_on_nothing_else(guarantee):
    table = halves(300)
    recipe = replace(SMALL, guarantee=guarantee)
    certificate = recipe.fit(table, declared(table), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound"
    assert 2.9 < certificate.epsilon(1e-6) <= 3.0
    trained = [entry for entry in certificate.entries if entry.phase == "train"]
    assert [entry.name for entry in trained] == ["training.critic"]
    assert isinstance(trained[0].event, SampledGaussian) and trained[0].event.steps == SMALL.noisy_steps
    told = {"sound": "each row's gradient is clipped", "paper": "the mean gradient of a batch is clipped"}
    assert told[guarantee] in trained[0].because


def test_clipping_of_means_is_paid_for_at_twice_the_clip(monkeypatch):
    plans = []
    made = clipper.Clipper.__init__

    def noted(self, model, plan, *more, **given):
        plans.append(plan)
        made(self, model, plan, *more, **given)

    monkeypatch.setattr(clipper.Clipper, "__init__", noted)
    table = halves(200)
    for guarantee in ("sound", "paper"):
        replace(SMALL, guarantee=guarantee).fit(table, declared(table), budget=BUDGET, progress=False)
    flat, batch = plans
    assert (flat.style, batch.style) == ("flat", "batch")
    assert batch.sensitivity == 2 * batch.clip
    assert batch.noise == pytest.approx(2 * flat.noise)
