"""Rounds are spent where the model is wrong, and never beyond the budget."""

import math
import types

import numpy as np
import pyarrow as pa
import pytest

from understudy import Budget
from understudy.engines.marginals.descent import Measured
from understudy.model.cells import Cells
from understudy.model.tables import NoisyTables
from understudy.synth import aim
from understudy.synth.aim import AIM, _counts_for, _Pace, _share_of_choices

BUDGET = Budget(epsilon=2.0, delta=1e-6)


def circle(n=10_000, seed=0):
    """Return a, b, and c = a or b, d = c or a: no tree holds all pairs of it."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, n), rng.integers(0, 3, n)
    mixed = np.where(rng.random(n) < 0.5, a, b)
    d = np.where(rng.random(n) < 0.5, mixed, a)
    columns = {"a": a, "b": b, "c": mixed, "d": d}
    return pa.table({name: [f"v{v}" for v in values] for name, values in columns.items()})


def agreement(table, first, second):
    return np.mean(np.array(table.column(first)) == np.array(table.column(second)))


@pytest.mark.parametrize("estimator", ["tree", "products"])
@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_pairs_beyond_a_tree_are_kept(budget, estimator):
    model = AIM(estimator=estimator).fit(circle(), budget=budget, progress=False)
    drawn = model.sample(10_000, seed=1)
    for first, second in ("ac", "bc", "ad", "cd"):
        assert abs(agreement(drawn, first, second) - agreement(circle(), first, second)) < 0.04


@pytest.mark.parametrize("estimator", ["tree", "products"])
def test_conditions_hold_and_what_follows_from_them_does_too(estimator):
    model = AIM(estimator=estimator).fit(circle(), progress=False)
    drawn = model.sample(3_000, seed=1, where={"c": "v1"}).to_pydict()
    assert set(drawn["c"]) == {"v1"}
    assert abs(np.mean(np.array(drawn["a"]) == "v1") - 2 / 3) < 0.05


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    certificate = AIM(steps=5, final_steps=20).fit(circle(400), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound" and certificate.epsilon(1e-6) <= 2.0


@pytest.mark.parametrize("learned", [True, False])
@pytest.mark.parametrize("many", [1, 3])
def test_rounds_add_up_to_the_price_and_never_beyond_it(learned, many):
    pace, spent = _Pace.begin(0.01, 64, many, 0.3), 0.0
    table = Measured((0, 1), np.zeros((2, 2)), 1.0)
    while pace is not None:
        spent += many * pace.price
        pace = pace.next(many, [table] * many, learned=learned)
    assert 0.998 * 0.01 < spent <= 0.01


def test_a_round_that_taught_nothing_makes_the_next_one_finer():
    pace, table = _Pace.begin(1.0, 100, 1, 0.1), Measured((0, 1), np.zeros((2, 2)), 1.0)
    assert math.isclose(pace.next(1, [table], learned=False).noise, pace.noise / math.sqrt(2), rel_tol=1e-3)
    assert math.isclose(pace.next(1, [table], learned=True).noise, pace.noise, rel_tol=1e-6)


def spent_on(monkeypatch, table, budget):
    """What a fit reads in its rounds: the tables of interactions and of counts, and how many choices."""
    found = {"tables": [], "choices": 0}
    related, best = NoisyTables.relate, NoisyTables.best

    def relate(self, read, pairs, noise):
        found["tables"] += [tuple(self.sizes[place] for place in pair) for pair in pairs]
        return related(self, read, pairs, noise)

    def choose(self, read, candidates, many, epsilon):
        found["choices"] += 1
        return best(self, read, candidates, many, epsilon)

    monkeypatch.setattr(NoisyTables, "relate", relate)
    monkeypatch.setattr(NoisyTables, "best", choose)
    AIM(steps=5, final_steps=10).fit(table, budget=budget, progress=False)
    return found


def test_nothing_is_spent_on_columns_that_can_tell_nothing(monkeypatch):
    constants = {f"k{place}": ["same"] * 2_000 for place in range(4)}
    table = pa.table({**circle(2_000).to_pydict(), **constants})
    found = spent_on(monkeypatch, table, Budget(epsilon=1.0, delta=1e-6))
    assert found["tables"] and all(min(sizes) > 1 for sizes in found["tables"])


def test_nothing_is_paid_for_a_choice_of_one(monkeypatch):
    found = spent_on(monkeypatch, circle(2_000).select(["a", "c"]), BUDGET)
    assert found["tables"] and found["choices"] == 0


def test_choices_have_a_larger_share_where_tables_are_small_and_many():
    shares = [_share_of_choices((size,) * 20) for size in (2, 3, 4, 8, 30)]
    assert shares == sorted(shares, reverse=True) and shares[-1] == 0.1 < 0.3 < shares[0] < 1
    assert _share_of_choices((3,) * 100) > _share_of_choices((3,) * 5)


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_a_model_keeps_to_its_size(budget):
    rng = np.random.default_rng(0)
    rows = pa.table({f"c{i}": [f"v{v}" for v in rng.integers(0, 9, 2_000)] for i in range(6)})
    recipe = AIM(megabytes=0.02, steps=10, final_steps=10)
    model = recipe.fit(rows, budget=budget, progress=False).sampler.model
    assert model.tree.cells(model.sizes) * 8 <= 0.02e6


def test_a_model_never_grows_beyond_what_is_estimated_in_time(monkeypatch):
    monkeypatch.setattr(aim, "MOST_CELLS", 1_000)
    rng = np.random.default_rng(0)
    rows = pa.table({f"c{i}": [f"v{v}" for v in rng.integers(0, 9, 2_000)] for i in range(6)})
    model = AIM(megabytes=80.0, steps=10, final_steps=10).fit(rows, progress=False).sampler.model
    assert model.tree.cells(model.sizes) <= 1_000


@pytest.mark.parametrize(("megabytes", "told"), [(80.0, 1), (1.0, 0)])
def test_a_smaller_model_than_was_allowed_is_told_of(megabytes, told):
    words = []
    watcher = types.SimpleNamespace(tell=words.append)
    AIM(megabytes=megabytes)._tell_of_size(watcher)
    assert len([each for each in words if "12 MB" in each]) == told


def test_more_columns_than_a_tree_can_bear_are_taken_by_products():
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 2, 500)
    columns = {f"c{i}": np.where(rng.random(500) < 0.9, hidden, 1 - hidden) == 1 for i in range(110)}
    model = AIM(rounds=1).fit(pa.table(columns), progress=False)
    assert model.sampler.model.sizes[110] == 100  # the hidden component is one more attribute
    drawn = model.sample(2_000, seed=0)
    alike = np.mean([agreement(drawn, f"c{i}", f"c{i + 1}") for i in range(0, 100, 2)])
    assert alike > 0.6  # independent columns agree half of the time


def test_candidates_may_be_limited_to_some_pairs_at_random():
    model = AIM(candidates=1).fit(circle(), progress=False)
    assert abs(agreement(model.sample(5_000, seed=1), "a", "c") - agreement(circle(), "a", "c")) < 0.04


def test_rows_in_wrong_bins_count_less_than_in_wrong_levels_the_more_columns_there_are():
    levels, few = (
        Cells.of(np.ones(3) / 3, np.arange(3)),
        Cells.of(np.ones(3) / 3, np.arange(3), np.array([0, 1, 2])),
    )
    bins = Cells.of(np.ones(3) / 3, np.arange(3), np.array([0.0, 0.5, 1.0]))
    assert [_counts_for(each, 24) for each in (levels, few, bins)] == [1.0, 1.0, 0.25]
    assert [_counts_for(bins, columns) for columns in (2, 6, 12)] == [1.0, 1.0, 0.5]
