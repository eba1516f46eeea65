"""TVAE as a recipe: its presets, modes and ranks, and levels that are drawn, the rare ones too."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from contract.quick_networks import declared, halves
from understudy import Budget, load
from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.engines.dpsgd import clipper
from understudy.synth.tvae import TVAE

pytest.importorskip("torch")

SMALL = replace(TVAE.small(), rate=1.0)


def test_the_paper_is_a_preset():
    paper = TVAE.paper()
    assert (paper.latent, paper.width, paper.depth, paper.activation) == (128, 128, 2, "relu")
    assert (paper.numbers, paper.modes, paper.spread, paper.loss_factor) == ("modes", 10, "column", 2.0)
    assert (paper.epochs, paper.batch, paper.lr, paper.weight_decay) == (300, 500, 1e-3, 1e-5)
    assert paper.batches(32_561) == 66 and paper.begins == "random"
    method = paper.method(noisy=False)
    assert method.learner.beta == 0.5 and method.learner.size.bounded and method.learner.noise is None
    assert method.settings["autoencoder"].optimizer == "adam" and method.style.few == 0


@pytest.mark.parametrize(
    ("spread", "in_the_open", "with_a_budget"),
    [("auto", "column", "row"), ("row", "row", "row"), ("column", "column", "column")],
)
def test_deviations_are_the_columns_in_the_open_and_the_rows_with_a_budget(
    spread, in_the_open, with_a_budget
):
    recipe = replace(SMALL, spread=spread)
    assert recipe.method(noisy=False).learner.size.spread == in_the_open
    assert recipe.method(noisy=True).learner.size.spread == with_a_budget
    assert TVAE().spread == "auto"


@pytest.mark.parametrize("precision", ["auto", "float32", "bf16"])
def test_products_are_as_exact_as_is_asked_for(precision):
    recipe = replace(SMALL, precision=precision)
    assert recipe.method(noisy=False).settings["autoencoder"].precision == precision
    model = recipe.fit(halves(100), progress=False)
    assert model.sample(20, seed=0).equals(recipe.fit(halves(100), progress=False).sample(20, seed=0))


def test_a_small_version_of_the_paper_trains_draws_and_comes_back_from_a_file(tmp_path):
    paper = replace(TVAE.paper(), latent=4, width=16, epochs=3, batch=64)
    model = paper.fit(halves(200), progress=False)
    assert {type(slot.encoder) for slot in model.sampler.codec.slots if slot.name == "number"} == {Modes}
    again = load(model.save(tmp_path / "model"))
    assert model.sample(600, seed=3).equals(again.sample(600, seed=3))


def test_with_a_budget_numbers_are_ranks_by_bought_quantiles():
    table = halves(200)
    recipe = replace(SMALL, numbers="modes", spread="column", begins="random")
    model = recipe.fit(table, declared(table), budget=Budget(measure="rho", amount=1.0), progress=False)
    (slot,) = (slot for slot in model.sampler.codec.slots if slot.name == "number")
    assert isinstance(slot.encoder, Quantile) and model.certificate.status == "sound"
    assert model.sample(30, seed=0).num_rows == 30


def test_rare_levels_are_drawn_as_often_as_they_are_there():
    """Public code takes the largest of tanh(logits), so that what nothing else tells of is never drawn."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"coin": rng.choice(list("abc"), 2_000, p=[0.6, 0.35, 0.05]), "x": rng.normal(size=2_000)}
    )
    model = replace(TVAE.small(), steps=50, lr=1e-2).fit(table, progress=False)
    # Fewer rows than are evened: what the decoder itself says.
    drawn = pd.concat([model.sample(400, seed=seed) for seed in range(5)])
    shares = drawn["coin"].value_counts(normalize=True)
    assert shares["b"] == pytest.approx(0.35, abs=0.06) and 0.02 < shares["c"] < 0.1


@pytest.mark.parametrize("spread", ["row", "column"])
@pytest.mark.parametrize("numbers", ["ranks", "modes"])
def test_a_range_is_kept_around_given_cells(numbers, spread):
    table = halves(400)
    model = replace(TVAE.small(), numbers=numbers, spread=spread, steps=60, few=0).fit(table, progress=False)
    drawn = model.sample(40, seed=0, where={"number": (5.4, 5.5), "word": "a"})
    values = np.array(drawn["number"])
    assert set(drawn["word"].to_pylist()) == {"a"} and (values >= 5.4).all() and (values <= 5.5).all()


@pytest.mark.parametrize("spread", ["auto", "row", "column"])
def test_clipping_of_means_has_a_sound_certificate_and_pays_for_every_group(spread, monkeypatch):
    plans, made = [], clipper.Clipper.__init__

    def noted(self, model, plan, *more, **given):
        plans.append(plan)
        made(self, model, plan, *more, **given)

    monkeypatch.setattr(clipper.Clipper, "__init__", noted)
    table, budget = halves(200), Budget(measure="rho", amount=1.0)
    for guarantee in ("sound", "paper"):
        recipe = replace(SMALL, guarantee=guarantee, spread=spread, rate=1.0)
        model = recipe.fit(table, declared(table), budget=budget, progress=False)
        assert model.certificate.status == "sound"
        (entry,) = (entry for entry in model.certificate.entries if entry.phase == "train")
        assert entry.name == "training.autoencoder"
    flat, batch = plans
    groups = 3 if spread == "column" else 2
    assert (flat.style, batch.style, len(batch.groups)) == ("flat", "batch", groups)
    # A row moves the mean of each group by twice the clip, wherever its gradient was before.
    assert batch.sensitivity == pytest.approx(2 * batch.clip * groups**0.5)
    assert batch.noise == pytest.approx(2 * groups**0.5 * flat.noise, rel=1e-6)


def test_the_papers_preset_clips_as_paper_000_does():
    clipping = TVAE.paper().method(noisy=True).clipping["autoencoder"]
    assert clipping.style == "batch" and not TVAE().method(noisy=True).clipping


def test_the_papers_preset_with_a_budget_takes_tables_without_numbers():
    words = pd.DataFrame({"x": ["a", "b"] * 100, "y": ["c", "d", "e", "f"] * 50})
    recipe = replace(TVAE.paper(), latent=3, width=8, epochs=1, batch=32, noisy_steps=3)
    model = recipe.fit(words, budget=Budget(epsilon=5.0, delta=1e-5), progress=False)
    assert model.certificate.status == "sound"
    assert len(model.sample(5, seed=0)) == 5


@pytest.mark.parametrize(
    ("guarantee", "told"), [("sound", "each row's gradient"), ("paper", "the mean gradient of a batch")]
)
def test_a_certificate_says_what_is_clipped(guarantee, told):
    table = halves(60)
    recipe, budget = replace(SMALL, guarantee=guarantee), Budget(epsilon=3.0, delta=1e-6)
    entries = recipe.fit(table, declared(table), budget=budget, progress=False).certificate.entries
    assert [told in each.because for each in entries if each.phase == "train"] == [True]
