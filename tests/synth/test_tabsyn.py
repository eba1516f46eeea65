"""TabSyn as a recipe: its presets, how it splits a budget, and what it refuses."""

from dataclasses import replace

import pytest

from contract.quick_networks import declared, halves
from understudy import Budget
from understudy.errors import ParameterError
from understudy.synth.tabsyn import TabSyn

pytest.importorskip("torch")

SMALL = TabSyn.small()
BUDGET = Budget(measure="rho", amount=1.0)


def test_the_paper_is_a_preset():
    paper = TabSyn.paper()
    assert (paper.token, paper.heads, paper.blocks, paper.feed) == (4, 1, 2, 32)
    assert (paper.beta, paper.beta_last, paper.lr, paper.batch) == (1e-2, 1e-5, 1e-3, 4_096)
    assert (paper.steps, paper.diffusion_steps) == (4_000 * 8, 10_000 * 8), "8 batches are an epoch of Adult"
    assert (paper.sampling_steps, paper.churn, paper.levels, paper.few) == (50, 1.0, "likeliest", 0)
    learner = paper.method(noisy=False).learner
    network = learner.network
    assert (network.kind, network.width, network.depth) == ("plain", 1_024, 3)  # 2,048, 2,048, 1,024 inside
    assert not learner.drawn and learner.beta == (1e-2, 1e-5)


def test_a_small_version_of_the_paper_trains_and_draws():
    paper = replace(TabSyn.paper(), feed=2, width=16, steps=5, diffusion_steps=5, batch=64, sampling_steps=5)
    drawn = paper.fit(halves(200), progress=False).sample(50, seed=0)
    assert drawn.schema == halves(5).schema


def test_the_split_is_what_the_autoencoder_gets_of_a_budget():
    table = halves(300)
    fitted = replace(SMALL, split=0.75).fit(table, declared(table), budget=BUDGET, progress=False)
    entries = {entry.name: entry for entry in fitted.certificate.entries}
    events = [entries[f"training.{stage}"].event for stage in ("autoencoder", "diffusion")]
    # Three quarters against one: with full batches what is spent goes about as noise^-2.
    assert (events[1].noise / events[0].noise) ** 2 == pytest.approx(3.0, rel=0.2)


def test_rows_kept_aside_end_a_training_and_have_no_part_under_a_budget():
    aside = replace(SMALL, validation=0.2)
    assert aside.fit(halves(200), progress=False).sample(10, seed=0).num_rows == 10
    assert {each.validation for each in aside.method(noisy=False).settings.values()} == {0.2}
    assert {each.validation for each in aside.method(noisy=True).settings.values()} == {0.0}


def test_heads_that_do_not_divide_a_token_are_refused():
    with pytest.raises(ParameterError, match="heads"):
        TabSyn(token=4, heads=3)
