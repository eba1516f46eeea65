"""The same learner in the open and within a budget; what it is planned to read, it reads, and no more."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import pyarrow as pa
import pytest

from model.toy_generator import ToyGenerator, known_to_files
from understudy.engines.learner import Learner
from understudy.errors import MissingExtra
from understudy.model import torch_extra
from understudy.model.matrix_sampler import MatrixSampler
from understudy.model.neural_fit import Method, Stage, asks, learn_openly, learn_privately
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.privacy import Budget
from understudy.table.schema import Column, Schema
from understudy.table.table import Table
from understudy.testing import checks
from understudy.testing.tables import hostile_tables, people

# Full batches: the price of sampled ones takes seconds to find.
STAGES = {"codes": Stage(1.0, 5, 1.0), "numbers": Stage(3.0, 9, 1.0)}
BUDGET = Budget(measure="rho", amount=1.0)
PRIVATE = [check for check in checks() if check.__module__.endswith(".private")]


@final
@dataclass(frozen=True)
class MeanLearner(Learner):
    """Learns the mean of every coordinate, twice, and draws rows around it."""

    seen: list

    @property
    def stages(self):
        return tuple(STAGES)

    def learn(self, fields, fit, seed):
        import torch

        self.seen.append((fields, fit, seed))
        model = torch.nn.Linear(1, fields.width)
        torch.nn.init.zeros_(model.bias)
        torch.nn.init.zeros_(model.weight)

        def loss(model, rows, noise):
            jitter = torch.rand(len(rows), 1, generator=noise, device=rows.device)
            return ((model(torch.ones_like(rows[:, :1])) - rows) ** 2).sum(1) + 0 * jitter.sum(1)

        for stage in self.stages:
            fit.train(stage, model, loss)
        mean = model(torch.ones(1, 1, device=fit.device)).detach().cpu().numpy()
        rng = np.random.default_rng(seed)
        rows = mean + rng.normal(size=(50, fields.width))
        rows[:, list(fields.codes)] = rng.integers(0, fields.sizes, (50, len(fields.sizes)))
        return ToyGenerator(rows.astype(np.float32))


@final
@dataclass(frozen=True)
class MeanRecipe(Recipe):
    """Means of coordinates, with and without a budget."""

    sampler: ClassVar[type[Sampler]] = MatrixSampler
    private: ClassVar[bool] = True
    seen: ClassVar[list] = []

    def method(self):
        from understudy.engines.training.fit import Settings

        return Method(MeanLearner(self.seen), {name: Settings(steps=5, batch=16) for name in STAGES}, "cpu")

    def learn(self, vault, schema, rng, progress):
        return learn_openly(self.method, vault, schema, rng, progress)

    def asks(self, schema):
        return asks(schema, STAGES)

    def learn_privately(self, vault, schema, events, rng, progress):
        return learn_privately(self.method, vault, schema, events, rng=rng, progress=progress)


def declared():
    return Schema.infer(Table(people())).declare()


def test_margins_get_their_share_and_stages_split_the_rest():
    margins, *stages = asks(declared(), STAGES, margins_share=0.2)
    assert margins.share == 0.2
    assert [ask.name for ask in stages] == ["training.codes", "training.numbers"]
    assert [ask.share for ask in stages] == pytest.approx([0.2, 0.6])
    assert [(ask.form, ask.phase, ask.count, ask.rate) for ask in stages] == [
        ("steps", "train", 5, 1.0),
        ("steps", "train", 9, 1.0),
    ]


def test_no_columns_to_model_ask_for_nothing_and_train_nothing():
    assert asks(Schema(columns=(Column(name="k", kind="id", type="string"),)), STAGES) == ()
    recipe, ids = MeanRecipe(), hostile_tables()["only_ids"]
    for budget in (None, BUDGET):
        recipe.seen.clear()
        model = recipe.fit(ids, Schema.infer(Table(ids)).declare(), budget=budget, progress=False)
        assert model.sample(7).num_rows == 7
        assert recipe.seen == []


def test_in_the_open_the_learner_is_given_the_encoded_rows():
    recipe = MeanRecipe()
    recipe.seen.clear()
    words = pa.array(["a", "b", None, "a"] * 30)
    model = recipe.fit(pa.table({"w": words, "x": np.arange(120.0)}), progress=False)
    ((fields, fit, _),) = recipe.seen
    assert (fields.numbers, fields.codes, fields.sizes) == ((1,), (0,), (3,))
    assert fields.shares[0] == pytest.approx([0.5, 0.25, 0.25], abs=0.01)
    assert not fit.private and fit.rows == 120
    assert not model.certificate.sound
    assert model.sampler.rows is None


def test_within_a_budget_it_is_given_bought_rows_and_pays_for_each_stage():
    recipe = MeanRecipe()
    recipe.seen.clear()
    model = recipe.fit(people(), declared(), budget=BUDGET, progress=False)
    ((fields, fit, _),) = recipe.seen
    assert all(each.sum() == pytest.approx(1) and each.min() > 0 for each in fields.shares)
    assert fit.private and model.certificate.sound
    paid = {entry.name for entry in model.certificate.entries}
    assert {"margins.counts", "training.codes", "training.numbers"} <= paid
    assert model.sampler.rows == round(fit.rows)
    assert model.sample(20).schema.names == people().schema.names


@pytest.mark.slow
@pytest.mark.parametrize("check", PRIVATE, ids=lambda check: check.__name__)
def test_a_private_fit_of_this_kind_keeps_the_contract(check, monkeypatch):
    known_to_files(monkeypatch)
    check(MeanRecipe())


def test_the_same_seed_gives_the_same_rows():
    first, second = (MeanRecipe().fit(people(), seed=5, progress=False).sample(30) for _ in range(2))
    assert first.equals(second)


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_without_torch_nothing_is_read_or_paid_for(monkeypatch, budget):
    monkeypatch.setattr(torch_extra, "find_spec", {}.get)
    with pytest.raises(MissingExtra, match="pip install"):
        MeanRecipe().fit(people(), declared(), budget=budget, progress=False)


def test_a_stage_of_votes_is_asked_for_as_votes():
    schema = Schema.infer(Table(people(40))).declare()
    *_, wanted = asks(schema, {"student": Stage(1.0, 500, 1.0, "votes")}, 0.25)
    assert (wanted.name, wanted.form, wanted.count) == ("training.student", "votes", 500)
    assert "votes of teachers" in wanted.what and wanted.share == pytest.approx(0.75)
