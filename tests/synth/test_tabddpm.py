"""The recipe: presets, labels, conditions, budgets, and what it refuses."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from understudy import Budget
from understudy.errors import ParameterError
from understudy.privacy.events import SampledGaussian
from understudy.synth.tabddpm import TabDDPM
from understudy.table.schema import Schema
from understudy.table.table import Table

pytest.importorskip("torch")

# Full batches: the price of sampled ones takes seconds to find.
SMALL = replace(TabDDPM.small(), rate=1.0)
BUDGET = Budget(measure="rho", amount=1.0)
QUICK = TabDDPM(
    layers="64,64", entry=32, times=100, sampling_steps=25, steps=500, batch=256, lr=4e-3, ema=0.98
)


def halves(rows=1_500, seed=0):
    """Two halves that a word, a number, a count and a flag agree on."""
    rng = np.random.default_rng(seed)
    second = rng.random(rows) < 0.4
    return pa.table(
        {
            "word": np.where(second, "b", "a"),
            "number": np.where(second, 5.0, 1.0) + 0.3 * rng.normal(size=rows),
            "count": rng.integers(0, 3, rows) + 7 * second,
            "flag": pa.array(second & (rng.random(rows) < 0.9)),
        }
    )


@pytest.fixture(scope="module", params=["", "word"], ids=["no label", "label"])
def model(request):
    return replace(QUICK, label=request.param).fit(halves(), progress=False)


def test_a_joint_distribution_is_learned(model):
    drawn = model.sample(2_000, seed=1)
    second = np.array(drawn["word"]) == "b"
    assert abs(second.mean() - 0.4) < 0.05
    assert np.mean((np.array(drawn["number"]) > 3) == second) > 0.9
    assert np.mean((np.array(drawn["count"]) > 5) == second) > 0.9
    assert set(drawn["count"].to_pylist()) <= {0, 1, 2, 7, 8, 9}, "numbers of few values are levels"


def test_rows_can_be_drawn_given_any_column(model):
    drawn = model.sample(300, seed=2, where={"word": "b"})
    assert set(drawn["word"].to_pylist()) == {"b"}
    assert np.mean(np.array(drawn["number"]) > 3) > 0.9
    drawn = model.sample(300, seed=3, where={"count": 8})
    assert set(drawn["count"].to_pylist()) == {8}
    assert np.mean(np.array(drawn["word"]) == "b") > 0.9


def test_missing_cells_are_filled_given_the_others(model):
    real = halves()[:400]
    words = real["word"].to_pylist()
    holes = pa.array([None if row % 2 else word for row, word in enumerate(words)])
    filled = model.impute(real.set_column(0, "word", holes), seed=0)
    assert filled["number"].equals(real["number"])
    assert np.mean(np.array(filled["word"]) == np.array(words)) > 0.9


def test_the_paper_is_a_preset():
    paper = TabDDPM.paper()
    assert paper.layers == "256,1024,1024,1024,1024,256" and (paper.steps, paper.batch) == (30_000, 4_096)
    assert (paper.lr, paper.times, paper.sampling_steps) == (2e-3, 1_000, 1_000)
    assert (paper.loss_of_codes, paper.predicts, paper.noise, paper.reverse) == (
        "kl",
        "eps",
        "cosine",
        "plugged",
    )
    assert (paper.few, paper.hide, paper.draws) == (0, 0.0, 1)
    learner = paper._openly().learner
    assert learner.layers == (256, 1024, 1024, 1024, 1024, 256) and learner.balance == "kinds"


def test_a_small_version_of_the_paper_trains_and_draws():
    paper = replace(
        TabDDPM.paper(), layers="16", entry=16, steps=5, batch=64, times=10, sampling_steps=10, label="word"
    )
    drawn = paper.fit(halves(200), progress=False).sample(50, seed=0)
    assert drawn.schema == halves(5).schema


@pytest.mark.parametrize("label", ["", "word"])
def test_a_budget_is_kept_to_and_the_certificate_is_sound(label):
    table = halves(300)
    schema = Schema.infer(Table(table)).declare()
    fitted = replace(SMALL, label=label).fit(table, schema, budget=BUDGET, progress=False)
    assert fitted.certificate.status == "sound"
    training = next(entry for entry in fitted.certificate.entries if entry.name == "training.denoiser")
    assert isinstance(training.event, SampledGaussian) and training.event.steps == SMALL.noisy_steps
    drawn = fitted.sample(100, seed=0, where={"word": "a"})
    assert drawn.num_rows == 100 and set(drawn["word"].to_pylist()) == {"a"}


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
@pytest.mark.parametrize("label", ["number", "nothing"])
def test_a_label_that_is_no_column_of_levels_is_refused_before_anything_is_read(label, budget):
    with pytest.raises(ParameterError, match=f"label.*'{label}'.*'word'"):
        replace(SMALL, label=label).fit(halves(50), budget=budget, progress=False)


def test_a_label_alone_is_refused():
    with pytest.raises(ParameterError, match="nothing else"):
        replace(SMALL, label="word").fit(halves(50).select(["word"]), progress=False)


@pytest.mark.parametrize("layers", ["", "a", "12,", "0", "-3", "1.5", "70000", "8 8"])
def test_layers_that_are_no_widths_are_refused(layers):
    with pytest.raises(ParameterError, match="layers"):
        TabDDPM(layers=layers)


def test_the_steps_of_the_paper_are_refused_with_a_stride():
    with pytest.raises(ParameterError, match="plugged"):
        TabDDPM(reverse="plugged")


def test_more_steps_than_times_are_all_times():
    drawn = replace(SMALL, times=3, sampling_steps=50).fit(halves(60), progress=False).sample(10, seed=0)
    assert drawn.num_rows == 10


def test_the_recipe_is_known_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None; import understudy as us; "
        "print(us.synth.get('tabddpm').paper())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "TabDDPM" in done.stdout, done.stderr
