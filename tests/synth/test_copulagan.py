"""CopulaGAN as a recipe: ranks before the networks, and columns that come back with their own law."""

import numpy as np
import pandas as pd
import pytest

from contract.quick_networks import fitted, halves
from understudy.synth.copulagan import CopulaGAN

pytest.importorskip("torch")


def test_the_paper_is_a_preset():
    paper = CopulaGAN.paper()
    assert (paper.epochs, paper.batch, paper.pac, paper.lr, paper.few) == (300, 500, 10, 2e-4, 0)


def test_numbers_are_ranks_and_have_no_bounds_of_the_networks_own():
    recipe = CopulaGAN.small()
    assert recipe.method(noisy=False).style.numbers == "quantile_normal"
    assert not recipe.rules(noisy=False).bounded and recipe.rules(noisy=False).logs


def test_each_quantity_keeps_its_own_law():
    drawn = fitted("copulagan").sample(2_000, seed=0)
    for name in ("number", "spent"):
        real, made = (np.sort(t[name].drop_null().to_numpy()) for t in (halves(), drawn))
        for share in (0.1, 0.5, 0.9):
            assert np.mean(made <= np.quantile(real, share)) == pytest.approx(share, abs=0.04)


def test_rows_around_a_rare_number_are_not_one_row_again_and_again():
    """Of some thousand made rows a handful have a number near it; numbers come as they were made."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=1_000)
    table = pd.DataFrame({"a": first, "b": first + rng.normal(size=1_000), "c": rng.normal(size=1_000)})
    model = CopulaGAN.small().fit(table, seed=0, progress=False)
    drawn = model.sample(400, seed=0, where={"a": float(first.max())})
    assert (drawn["a"] == first.max()).all()
    assert drawn["c"].value_counts(normalize=True).iloc[0] < 0.1 and drawn["c"].nunique() > 50


def test_a_range_that_hardly_any_row_is_in_is_filled():
    rng = np.random.default_rng(1)
    first = rng.normal(size=1_000)
    table = pd.DataFrame({"a": first, "b": first + rng.normal(size=1_000)})
    drawn = (
        CopulaGAN.small()
        .fit(table, seed=0, progress=False)
        .sample(300, seed=0, where={"a": (2.52, 2.55), "b": (None, 0.0)})
    )
    assert drawn["a"].between(2.52, 2.55).all() and (drawn["b"] <= 0).all()
    assert drawn["a"].nunique() > 200
