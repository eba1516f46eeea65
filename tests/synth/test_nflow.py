"""NFlow as a recipe: its presets, its densities, wide tables, and the law of the rest given a cell."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from contract.quick_networks import NETWORKS, declared, fitted, halves
from understudy import Budget, load
from understudy.synth.nflow import NFlow

pytest.importorskip("torch")


def test_the_paper_is_a_preset():
    paper = NFlow.paper()
    assert (paper.width, paper.bins, paper.reach) == (100, 8, 3.0)
    assert (paper.epochs, paper.batch, paper.lr) == (1_000, 200, 1e-3)
    assert (paper.few, paper.aside, paper.ema) == (0, 0.0, 0.0)


def test_real_rows_are_likelier_than_shuffled_ones():
    columns = ["word", "number", "count"]  # what is spent, to the cent, was often never seen: never drawn
    train, fresh = (halves(seed=seed).select(columns).to_pandas() for seed in (0, 7))
    model = NETWORKS["nflow"].recipe.fit(train, progress=False)
    fresh = fresh[fresh["number"].between(train["number"].min(), train["number"].max())]
    rng = np.random.default_rng(0)
    shuffled = fresh.apply(rng.permutation)
    real, other = (model.log_density(table) for table in (fresh, shuffled))
    assert np.isfinite(real).all() and np.isfinite(other).all()
    assert np.median(real) > np.median(other) + 1 and real.mean() > other.mean() + 1


def test_densities_are_those_of_the_model_that_was_saved(tmp_path):
    model, rows = fitted("nflow"), halves(50, seed=7)
    again = load(model.save(tmp_path / "model"))
    assert np.array_equal(model.log_density(rows), again.log_density(rows))


def test_a_private_flow_has_a_density_too():
    table = halves(200)
    recipe = replace(NFlow.small(), rate=1.0)
    model = recipe.fit(table, declared(table), budget=Budget(measure="rho", amount=1.0), progress=False)
    assert model.certificate.status == "sound"
    # A bin that noise empties is never drawn, and so are the rows in it: an eighth of 200 in one fit of many.
    assert np.isfinite(model.log_density(table)).mean() > 0.7


def test_the_rest_given_a_cell_that_is_seldom_is_as_in_the_rows():
    model, real = fitted("nflow"), halves().to_pandas()
    given = model.sample(400, seed=5, where={"number": (5.5, 9.0)}).to_pandas()
    there = real[real["number"] >= 5.5]
    assert (given["number"] >= 5.5).all()
    assert (given["word"] == "b").mean() > 0.95
    assert given["spent"].median() == pytest.approx(there["spent"].median(), rel=0.25)


def test_more_columns_than_couplings_share_them():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(100, 12)), columns=[f"x{i}" for i in range(12)])
    table["word"] = rng.choice(["a", "b"], 100)
    model = replace(NFlow.small(), couplings=4).fit(table, progress=False)
    assert len(model.sampler.generator.flow.says) == 4
    assert np.isfinite(model.log_density(table)).all() and len(model.sample(7)) == 7
