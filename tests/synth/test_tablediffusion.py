"""TableDiffusion as a recipe: presets, budgets, conditions and gaps."""

import numpy as np
import pandas as pd
import pytest

from understudy.errors import ParameterError
from understudy.privacy import Budget
from understudy.synth.tablediffusion import TableDiffusion

SMALL = TableDiffusion(width=48, steps=400, batch=128, lr=5e-3, ema=0.99, device="cpu")


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
    known = gaps.town.copy()
    gaps["member"] = pd.array([pd.NA] * 200, dtype="boolean")
    filled = model.impute(gaps, seed=3)
    assert not filled.member.isna().any()
    assert (filled.town == known).all()
    assert (filled.member.astype(bool) == (known == "Ulm")).mean() > 0.85


def test_a_budget_gives_a_sound_certificate_of_two_reads():
    recipe = TableDiffusion.small()
    found = recipe.fit(people(300), budget=Budget(epsilon=3.0, delta=1e-6), progress=False).certificate
    assert found.sound
    assert 2.9 < found.epsilon(1e-6) <= 3.0
    assert [entry.phase for entry in found.entries].count("train") == 1


@pytest.mark.parametrize("mode", ["denoise", "noise"])
def test_the_modes_of_the_paper_are_private_too(mode):
    recipe = TableDiffusion(**{**TableDiffusion.small().settings(), "mode": mode, "told_level": False})
    model = recipe.fit(people(300), budget=Budget(epsilon=3.0, delta=1e-6), progress=False)
    assert model.certificate.sound
    assert len(model.sample(20)) == 20


def test_what_is_no_mode_and_no_noise_is_refused():
    for wrong in ({"mode": "mean"}, {"least": 0.0}, {"times": 0}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            TableDiffusion(**wrong)


def test_the_paper_has_five_levels_and_five_epochs_of_adult():
    paper, small = TableDiffusion.paper(), TableDiffusion.small()
    assert (paper.times, paper.least, paper.mode, paper.told_level) == (5, 0.1, "noise", False)
    assert (paper.width, paper.depth, paper.noisy_lr, paper.momentum) == (128, 2, 5e-3, 0.5)
    assert paper.noisy_steps * paper.rate == pytest.approx(5, rel=0.01)
    assert paper.steps * paper.batch == pytest.approx(5 * 32_561, rel=0.01)
    assert small.steps < 100
