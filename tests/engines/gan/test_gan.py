"""What was learned draws rows, and rows around known cells; a budget refuses what lets rows meet."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Rules
from understudy.engines.gan.gan import STAGE, STUDENT, GanGenerator, GanLearner
from understudy.engines.gan.networks import Size
from understudy.engines.generator import Known
from understudy.engines.pate.school import Teaching
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.errors import ParameterError

FIELDS = Fields((1,), (0, 2), (3, 2))
RULES = Rules(penalty=10.0, size=Size(8, 32, 2, "layer"))
SETTINGS = {STAGE: Settings(400, 200, 3e-3, optimizer="adam", betas=(0.5, 0.9), ema=0.97)}


def mixture(rows=2_000, seed=0):
    """Side 0: word 0 and a number near -0.5; side 1: word 1 or (seldom) 2, and a number near 0.5."""
    rng = np.random.default_rng(seed)
    side = rng.random(rows) < 0.3
    word = np.where(side, rng.choice([1, 2], rows, p=[0.97, 0.03]), 0)
    return np.stack([word, np.where(side, 0.5, -0.5) + 0.1 * rng.normal(size=rows), side], 1).astype(
        np.float32
    )


def learned(rules=RULES, rows=None, settings=SETTINGS):
    rows = mixture() if rows is None else rows
    fit = OpenFit(rows, settings, 0, device="cpu")
    return GanLearner(rules).learn(FIELDS.seen(rows), fit, 0)


@pytest.fixture(scope="module")
def generator():
    return learned()


def draw(generator, rows, known=None, seed=1):
    return generator.draw(rows, np.random.default_rng(seed), known)


def test_a_mixture_is_learned(generator):
    found = draw(generator, 4_000)
    side = found[:, 2] == 1
    assert side.mean() == pytest.approx(0.3, abs=0.05)
    assert np.mean((found[:, 1] > 0) == side) > 0.95
    assert np.mean((found[:, 0] > 0) == side) > 0.95


@pytest.mark.parametrize(("at", "value"), [(0, 2), (2, 1), (1, 0.52)])
def test_a_known_cell_hits_its_own_column_and_the_rest_fits(generator, at, value):
    values, mask = np.full((300, 3), np.nan, np.float32), np.zeros((300, 3), bool)
    values[:, at], mask[:, at] = value, True
    found = draw(generator, 300, Known(values, mask))
    assert (found[:, at] == np.float32(value)).all()
    assert np.mean(found[:, 2] == 1) > 0.9
    assert np.mean(found[:, 1] > 0) > 0.9
    assert np.mean(found[:, 0] > 0) > 0.9
    assert len(set(found[:, 1].tolist())) > 30 or at == 1, "rows are not one row again and again"


def test_rows_are_drawn_in_evaluation_mode():
    made = learned(replace(RULES, size=Size(8, 16, 1, "batch")), settings={STAGE: Settings(5, 50)})
    networks = made._networks
    assert not any(module.training for module in networks.modules())
    mean = networks.generator.norms[0].running_mean.clone()
    draw(made, 100)
    assert torch.equal(mean, networks.generator.norms[0].running_mean)


def test_the_critic_is_not_kept(generator):
    tensors, facts = generator.state()
    assert not [name for name in tensors if "critic" in name]
    again = GanGenerator.restore(tensors, facts)
    assert np.array_equal(draw(again, 40), draw(generator, 40))


def test_one_seed_gives_the_same_weights():
    short = {STAGE: Settings(4, 50)}
    left, right = (learned(settings=short).state()[0] for _ in range(2))
    assert all(np.array_equal(left[name], right[name]) for name in left)


# A fit within a budget that is never asked to play.
BUDGETED = SimpleNamespace(private=True, rows=100.0, device=torch.device("cpu"))


@pytest.mark.parametrize(
    "size", [Size(8, 8, 1, "batch"), Size(8, 8, 1, "layer", pac=2), Size(8, 8, 1, "layer", dropout=0.5)]
)
def test_a_budget_refuses_whatever_lets_records_meet(size):
    with pytest.raises(ParameterError, match="no record may reach another"):
        GanLearner(Rules(penalty=0.0, size=size)).learn(FIELDS, BUDGETED, 0)


def test_a_budget_refuses_a_penalty_between_real_and_made_rows():
    with pytest.raises(ParameterError, match="penalty"):
        GanLearner(Rules(penalty=1.0, size=Size(8, 8, 1, "layer"))).learn(FIELDS, BUDGETED, 0)


@pytest.mark.parametrize(("at", "value"), [(0, 2), (2, 1)])
def test_around_a_known_level_the_rest_follows_the_law_of_what_is_drawn_freely(generator, at, value):
    """A level that is asked for is one way to such a row among many: by itself it would be another law."""
    free = draw(generator, 200_000, seed=5)
    kept = free[free[:, at] == value]
    values, mask = np.full((4_000, 3), np.nan, np.float32), np.zeros((4_000, 3), bool)
    values[:, at], mask[:, at] = value, True
    found = draw(generator, 4_000, Known(values, mask))
    # Chance adds 0.05 once in a million times; a choice among 4,096 made rows, of which few fit, the rest.
    for other in {0, 2} - {at}:
        assert np.mean(found[:, other] == 1) == pytest.approx(np.mean(kept[:, other] == 1), abs=0.1)
    assert np.median(found[:, 1]) == pytest.approx(np.median(kept[:, 1]), abs=0.05)


def test_a_student_takes_the_place_of_the_critic():
    learner = GanLearner(replace(RULES, loss="logistic", penalty=0.0), 30, Teaching(5, memory=60))
    assert learner.stages == (STUDENT,) and GanLearner().stages == (STAGE,)
    rows = mixture(200)
    fit = OpenFit(rows, {STUDENT: Settings(6, 4)}, 0, device="cpu")
    made = learner.learn(FIELDS.seen(rows), fit, 0)
    assert draw(made, 20).shape == (20, 3)
    assert not [name for name in made.state()[0] if "teacher" in name or "critic" in name]
