"""TabDDPM as a recipe: its presets, its labels, and what it refuses."""

from dataclasses import replace

import pytest

from contract.quick_networks import halves
from understudy import Budget
from understudy.errors import ParameterError
from understudy.synth.tabddpm import TabDDPM

pytest.importorskip("torch")

# Full batches: the price of sampled ones takes seconds to find.
SMALL = replace(TabDDPM.small(), rate=1.0)
BUDGET = Budget(measure="rho", amount=1.0)


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
    learner = paper.method(noisy=False).learner
    assert learner.layers == (256, 1024, 1024, 1024, 1024, 256) and learner.balance == "kinds"


def test_a_small_version_of_the_paper_trains_and_draws():
    paper = replace(
        TabDDPM.paper(), layers="16", entry=16, steps=5, batch=64, times=10, sampling_steps=10, label="word"
    )
    drawn = paper.fit(halves(200), progress=False).sample(50, seed=0)
    assert drawn.schema == halves(5).schema


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
