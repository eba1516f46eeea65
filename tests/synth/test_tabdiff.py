"""TabDiff as a recipe: presets, budgets, conditions and gaps."""

import numpy as np
import pandas as pd
import pytest

from understudy.privacy import Budget
from understudy.synth.tabdiff import TabDiff

SMALL = TabDiff(width=48, depth=1, steps=500, batch=128, lr=5e-3, ema=0.99, sampling_steps=16, device="cpu")


def people(rows=1_200):
    rng = np.random.default_rng(0)
    member = rng.random(rows) < 0.4
    spent = np.where(member, rng.gamma(9, 20, rows), rng.gamma(2, 10, rows)).round(2)
    spent[rng.random(rows) < 0.1] = np.nan
    town = np.where(member, "Ulm", rng.choice(["Bonn", "Kiel"], rows))
    return pd.DataFrame({"member": member, "spent": spent, "town": town, "visits": rng.poisson(3, rows)})


@pytest.fixture(scope="module")
def model():
    return SMALL.fit(people(), progress=False)


def test_relations_between_numbers_and_levels_are_learned(model):
    real, drawn = people(), model.sample(1_200, seed=1)
    assert abs(drawn.member.mean() - real.member.mean()) < 0.06
    assert (drawn.town[drawn.member] == "Ulm").mean() > 0.9
    assert drawn.spent[drawn.member].median() > 2 * drawn.spent[~drawn.member].median()
    assert abs(drawn.spent.isna().mean() - 0.1) < 0.05
    assert set(drawn.visits) <= set(real.visits), "a number of few values keeps to them"


def test_conditions_hold_and_the_rest_fits_them(model):
    drawn = model.sample(300, seed=2, where={"town": "Ulm"})
    assert (drawn.town == "Ulm").all()
    assert drawn.member.mean() > 0.9


def test_gaps_are_filled_by_what_fits(model):
    gaps = people().head(200)
    gaps["member"] = gaps["member"].astype("boolean")
    known = gaps.town.copy()
    gaps.loc[:, "member"] = pd.NA
    filled = model.impute(gaps, seed=3)
    assert not filled.member.isna().any()
    assert (filled.town == known).all()
    assert (filled.member.astype(bool) == (known == "Ulm")).mean() > 0.9


def test_a_budget_gives_a_sound_certificate_of_two_reads():
    recipe = TabDiff.small()
    found = recipe.fit(people(300), budget=Budget(epsilon=3.0, delta=1e-6), progress=False).certificate
    assert found.sound
    assert 2.9 < found.epsilon(1e-6) <= 3.0
    assert [entry.phase for entry in found.entries].count("train") == 1


def test_the_paper_is_wide_and_long_and_the_small_one_is_neither():
    paper, small = TabDiff.paper(), TabDiff.small()
    assert (paper.width, paper.batch, paper.few) == (1_024, 4_096, 0)
    assert small.steps < 100
