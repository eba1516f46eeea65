"""A synthesizer within a budget, as shadow models are trained against a private release."""

import json
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, final

import numpy as np
import pytest

from understudy.errors import UnderstudyError
from understudy.measuring.shadow_cast import Size, cast
from understudy.measuring.shadow_fit import fitting, on_device
from understudy.measuring.within_budget import WithinBudget
from understudy.privacy.budget import Budget
from understudy.synth.copy import Copy
from understudy.synth.histogram import Histogram
from understudy.synth.tabddpm import TabDDPM
from understudy.table.evidence import Evidence
from understudy.table.table import Table
from understudy.testing.judging import LAW, law

BUDGET = Budget(epsilon=1.0, delta=1e-6)
SIZE = Size(models=4, sets=1, records=1_000)


@final
@dataclass(frozen=True)
class Recording:
    """A synthesizer that notes down what it was given, and learns as `histogram` does."""

    knots: int = 10
    given: ClassVar[list] = []

    def fit(self, table, schema=None, budget=None, seed=0, progress=True, **kept):
        self.given.append((self.knots, schema, budget, seed, progress, kept))
        return Histogram(self.knots).fit(table, schema, budget, seed, progress)

    def settings(self):
        return asdict(self)


@pytest.fixture
def given():
    Recording.given.clear()
    return Recording.given


def shown(schema=LAW):
    return Evidence(train=law(40, 0), synthetic=law(30, 2), schema=schema)


def drawn(found):
    return np.concatenate([found.drawn(model, 0)["rise"] for model in range(SIZE.models)])


@pytest.mark.parametrize("budget", [BUDGET, Budget.gdp(0.5), Budget.separation(0.1), Budget.zcdp(0.1)])
def test_every_shadow_model_is_trained_as_it_is_told_and_within_the_budget(given, budget):
    cast(shown(), "train", WithinBudget.of(Recording(knots=7), budget), SIZE, 0)
    assert [(each[0], each[2]) for each in given] == [(7, budget)] * 4
    assert len({each[3] for each in given}) == 4 and all(each[5] == {} for each in given)


def test_the_model_has_a_certificate_of_the_budget():
    model = WithinBudget.of(Histogram(), BUDGET).fit(Table(law(60, 0)), progress=False)
    assert model.certificate.sound and 0.9 < model.certificate.epsilon(BUDGET.delta) <= BUDGET.epsilon


def test_what_is_declared_is_told_and_the_rest_is_bought_from_the_rows_of_the_model(given):
    recipe = WithinBudget.of(Recording(), BUDGET)
    for schema in (None, LAW):
        cast(shown(schema), "train", recipe, SIZE, 0)
    bare, whole = given[0][1], given[4][1]
    assert bare.column("rise").bounds is None and bare.column("ward").levels is None
    assert whole.column("rise").bounds == LAW.column("rise").bounds
    sources = [
        dict(recipe.fit(Table(law(60, 0)), schema, progress=False).schema.column("rise").sources())["bounds"]
        for schema in (bare, whole)
    ]
    assert sources == ["bought", "declared"]


def test_no_seed_repeats_the_noise_and_one_evidence_has_one_set_of_models():
    recipe, evidence = WithinBudget.of(Histogram(), BUDGET), shown()
    one, other = (cast(shown(), "train", recipe, SIZE, 0) for _ in range(2))
    np.testing.assert_array_equal(one.inside, other.inside)
    assert not np.array_equal(drawn(one), drawn(other))
    assert (
        cast(evidence, "train", recipe, SIZE, 0).shadows is cast(evidence, "train", recipe, SIZE, 0).shadows
    )


def test_models_of_another_budget_are_other_models():
    evidence = shown()
    made = [
        cast(evidence, "train", recipe, SIZE, 0).shadows
        for recipe in (
            Histogram(),
            WithinBudget.of(Histogram(), BUDGET),
            WithinBudget.of(Histogram(), replace(BUDGET, delta=1e-7)),
            WithinBudget.of(Histogram(knots=9), BUDGET),
            WithinBudget.of(Histogram(), Budget.gdp(1.0)),
            WithinBudget.of(Histogram(), Budget.zcdp(1.0)),
        )
    ]
    assert len(set(map(id, made))) == 6


def test_kept_models_are_found_as_they_are_and_not_noised_twice(tmp_path, given):
    size = replace(SIZE, keep=str(tmp_path))
    recipe = WithinBudget.of(Recording(), BUDGET)
    first = cast(shown(), "train", recipe, size, 0)
    again = cast(shown(), "train", WithinBudget(**json.loads(json.dumps(recipe.settings()))), size, 0)
    assert len(given) == 4 and len(list(tmp_path.iterdir())) == 1
    np.testing.assert_array_equal(drawn(first), drawn(again))
    # One that was cut short is trained again, and by itself.
    next(tmp_path.glob("*/model-2.*")).unlink()
    third = cast(shown(), "train", recipe, size, 0)
    assert len(given) == 5
    np.testing.assert_array_equal(first.drawn(1, 0)["rise"], third.drawn(1, 0)["rise"])
    cast(shown(), "train", WithinBudget.of(Recording(), Budget.gdp(1.0)), size, 0)
    assert len(given) == 9 and len(list(tmp_path.iterdir())) == 2


def test_processes_train_within_the_budget_too():
    found = cast(shown(), "train", WithinBudget.of(Histogram(), BUDGET), replace(SIZE, workers=2), 0)
    assert len(drawn(found)) == 4 * 20


@pytest.mark.parametrize("workers", [0, 1])
def test_a_synthesizer_without_a_private_form_says_so(workers):
    with pytest.raises(UnderstudyError, match="copy: this recipe has no private form"):
        cast(shown(), "train", WithinBudget.of(Copy(), BUDGET), replace(SIZE, workers=workers), 0)


def test_networks_within_a_budget_do_not_stand_in_a_stack(tmp_path, monkeypatch):
    training = pytest.importorskip("understudy.engines.training.fit")
    recipe = WithinBudget.of(TabDDPM.small(), BUDGET)
    with monkeypatch.context() as patched:
        patched.setattr(training, "device_of", lambda _: type("Device", (), {"type": "cuda"}))
        assert on_device(TabDDPM.small()) and not on_device(recipe)
        with fitting(shown(), "train", np.arange(30), recipe, keep=tmp_path) as make:
            assert make.keep == "" and make.together([(np.arange(20), 5)]) == ()
    size = replace(SIZE, keep=str(tmp_path))
    first, again = (cast(shown(), "train", recipe, size, 0) for _ in range(2))
    # Trained again they would have other noise.
    np.testing.assert_array_equal(drawn(first), drawn(again))


def test_it_is_a_synthesizer_of_plain_fields():
    recipe = WithinBudget.of(Histogram(knots=9), Budget.advantage(0.2))
    assert recipe.settings() == {
        "module": "understudy.synth.histogram",
        "name": "Histogram",
        "told": {"knots": 9},
        "budget": {"advantage": 0.2},
    }
    assert WithinBudget(**recipe.settings()) == recipe
