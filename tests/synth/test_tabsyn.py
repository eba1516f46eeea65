"""The recipe: presets, conditions, budgets, and what it refuses."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from understudy import Budget
from understudy.errors import ParameterError
from understudy.privacy.events import SampledGaussian
from understudy.synth.tabsyn import TabSyn
from understudy.table.schema import Schema
from understudy.table.table import Table

pytest.importorskip("torch")

SMALL = TabSyn.small()
BUDGET = Budget(measure="rho", amount=1.0)
QUICK = TabSyn(
    width=128, depth=2, steps=300, diffusion_steps=700, batch=256, lr=1e-2, ema=0.98, sampling_steps=20
)


def halves(rows=1_500, seed=0):
    """Two halves that a word, a number and a count agree on."""
    rng = np.random.default_rng(seed)
    second = rng.random(rows) < 0.4
    return pa.table(
        {
            "word": np.where(second, "b", "a"),
            "number": np.where(second, 5.0, 1.0) + 0.3 * rng.normal(size=rows),
            "count": rng.integers(0, 3, rows) + 7 * second,
        }
    )


@pytest.fixture(scope="module")
def model():
    return QUICK.fit(halves(), seed=0, progress=False)


def test_a_joint_distribution_is_learned(model):
    drawn = model.sample(2_000, seed=1)
    second = np.array(drawn["word"]) == "b"
    assert abs(second.mean() - 0.4) < 0.06
    assert np.mean((np.array(drawn["number"]) > 3) == second) > 0.93
    assert np.mean((np.array(drawn["count"]) > 5) == second) > 0.95
    assert set(drawn["count"].to_pylist()) <= {0, 1, 2, 7, 8, 9}, "numbers of few values are levels"


def test_rows_can_be_drawn_given_any_column(model):
    drawn = model.sample(200, seed=3, where={"count": 8})
    assert set(drawn["count"].to_pylist()) == {8}
    assert np.mean(np.array(drawn["word"]) == "b") > 0.9


def test_missing_cells_are_filled_given_the_others(model):
    real = halves().slice(0, 400)
    words = real["word"].to_pylist()
    holes = pa.array([None if row % 2 else word for row, word in enumerate(words)])
    filled = model.impute(real.set_column(0, "word", holes), seed=0)
    assert filled["number"].equals(real["number"])
    assert np.mean(np.array(filled["word"]) == np.array(words)) > 0.93


def test_the_paper_is_a_preset():
    paper = TabSyn.paper()
    assert (paper.token, paper.heads, paper.blocks, paper.feed) == (4, 1, 2, 32)
    assert (paper.beta, paper.beta_last, paper.lr, paper.batch) == (1e-2, 1e-5, 1e-3, 4_096)
    assert (paper.steps, paper.diffusion_steps) == (4_000 * 8, 10_000 * 8), "8 batches are an epoch of Adult"
    assert (paper.sampling_steps, paper.churn, paper.levels, paper.few) == (50, 1.0, "likeliest", 0)
    learner = paper._openly().learner
    network = learner.network
    assert (network.kind, network.width, network.depth) == ("plain", 1_024, 3)  # 2,048, 2,048, 1,024 inside
    assert not learner.drawn and learner.beta == (1e-2, 1e-5)


def test_a_small_version_of_the_paper_trains_and_draws():
    paper = replace(TabSyn.paper(), feed=2, width=16, steps=5, diffusion_steps=5, batch=64, sampling_steps=5)
    drawn = paper.fit(halves(200), progress=False).sample(50, seed=0)
    assert drawn.schema == halves(5).schema


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    table = halves(300)
    schema = Schema.infer(Table(table)).declare()
    fitted = replace(SMALL, split=0.75).fit(table, schema, budget=BUDGET, progress=False)
    assert fitted.certificate.status == "sound"
    entries = {entry.name: entry for entry in fitted.certificate.entries}
    events = [entries[f"training.{stage}"].event for stage in ("autoencoder", "diffusion")]
    assert all(isinstance(event, SampledGaussian) and event.steps == SMALL.noisy_steps for event in events)
    # Three quarters against one: with full batches what is spent goes about as noise^-2.
    assert (events[1].noise / events[0].noise) ** 2 == pytest.approx(3.0, rel=0.2)
    drawn = fitted.sample(60, seed=0, where={"word": "a"})
    assert drawn.num_rows == 60 and set(drawn["word"].to_pylist()) == {"a"}


def test_rows_kept_aside_end_a_training_and_have_no_part_under_a_budget():
    aside = replace(SMALL, validation=0.2)
    assert aside.fit(halves(200), progress=False).sample(10, seed=0).num_rows == 10
    assert {each.validation for each in aside._openly().settings.values()} == {0.2}
    assert {each.validation for each in aside._privately().settings.values()} == {0.0}


def test_heads_that_do_not_divide_a_token_are_refused():
    with pytest.raises(ParameterError, match="heads"):
        TabSyn(token=4, heads=3)


def test_the_recipe_is_known_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None; import understudy as us; "
        "print(us.synth.get('tabsyn').paper())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "32000" in done.stdout
