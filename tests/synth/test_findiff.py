"""FinDiff as a recipe: presets, budgets, conditions and gaps."""

import numpy as np
import pandas as pd
import pytest

from understudy.errors import ParameterError
from understudy.privacy import Budget
from understudy.synth.findiff import FinDiff

SMALL = FinDiff(width=48, depth=1, steps=500, batch=128, lr=5e-3, ema=0.99, sampling_steps=20, device="cpu")


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
    recipe = FinDiff.small()
    found = recipe.fit(people(300), budget=Budget(epsilon=3.0, delta=1e-6), progress=False).certificate
    assert found.sound
    assert 2.9 < found.epsilon(1e-6) <= 3.0
    assert [entry.phase for entry in found.entries].count("train") == 1


@pytest.mark.parametrize("changes", [{"head": "nearest", "embedding": "random"}, {"embedding": "learned"}])
def test_the_other_ways_to_place_and_to_read_points_are_private_too(changes):
    recipe = FinDiff(**{**FinDiff.small().settings(), **changes})
    model = recipe.fit(people(300), budget=Budget(epsilon=3.0, delta=1e-6), progress=False)
    assert model.certificate.sound
    assert len(model.sample(20)) == 20


def test_learned_points_with_the_nearest_head_are_refused():
    with pytest.raises(ParameterError, match="logits"):
        FinDiff(embedding="learned", head="nearest")


def test_the_paper_has_random_points_in_a_plane_and_visits_every_time():
    paper, small = FinDiff.paper(), FinDiff.small()
    assert (paper.embedding, paper.embedding_width, paper.head) == ("random", 2, "nearest")
    assert (paper.width, paper.depth, paper.batch, paper.lr) == (1_024, 4, 512, 1e-4)
    assert paper.times == paper.sampling_steps == 500
    assert (paper.eta, paper.predicts) == (1, "eps")
    assert paper.steps * paper.batch == pytest.approx(500 * 32_561, rel=1e-4)
    assert small.steps < 100
