"""Each column is kept given its parents, with a budget and without."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from understudy import Budget
from understudy.synth.bayesian_network import BayesianNetwork

BUDGET = Budget(epsilon=1.0, delta=1e-6)


def chain(n=20_000, seed=0):
    """Return a - b - c - d, each a noisy copy of the one before."""
    rng = np.random.default_rng(seed)
    found = [rng.integers(0, 4, n)]
    for _ in range(3):
        found.append(np.where(rng.random(n) < 0.7, found[-1], rng.integers(0, 4, n)))
    return pa.table({name: [f"v{v}" for v in values] for name, values in zip("abcd", found, strict=True)})


def product(n=20_000, seed=0):
    """Return two signs, their product most of the time, and a number that hangs on it."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 2, n), rng.integers(0, 2, n)
    third = np.where(rng.random(n) < 0.95, first ^ second, 1 - (first ^ second))
    return pa.table({"a": first == 1, "b": second == 1, "c": third == 1, "x": third + 0.2 * rng.random(n)})


def agreement(table, first, second):
    return np.mean(np.array(table.column(first)) == np.array(table.column(second)))


def odd(table):
    """Return how often c is the parity of a and b."""
    a, b, c = (np.array(pc.fill_null(table.column(name), False)) for name in "abc")
    return np.mean(c == (a ^ b))


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_a_chain_is_found_and_kept(budget):
    model = BayesianNetwork().fit(chain(), budget=budget, progress=False)
    assert sorted(model.sampler.model.tree.cliques) == [(0, 1), (1, 2), (2, 3)]
    drawn = model.sample(20_000, seed=1)
    for first, second in ("ab", "bc", "cd", "ad"):
        assert abs(agreement(drawn, first, second) - agreement(chain(), first, second)) < 0.02


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_what_two_parents_say_only_together_needs_two_parents(budget):
    table = product().select(["a", "b", "c"])
    assert abs(odd(BayesianNetwork().fit(table, budget=budget, progress=False).sample(9_000)) - 0.5) < 0.1
    drawn = BayesianNetwork(parents=2).fit(table, budget=budget, progress=False).sample(9_000)
    assert abs(odd(drawn) - odd(table)) < 0.02


def test_numbers_keep_their_distribution_and_their_relation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=10_000)
    table = pa.table({"x": x, "y": x + 0.3 * rng.normal(size=10_000), "n": rng.integers(0, 60, 10_000)})
    drawn = BayesianNetwork().fit(table, progress=False).sample(10_000, seed=2)
    assert abs(np.corrcoef(drawn["x"], drawn["y"])[0, 1] - np.corrcoef(table["x"], table["y"])[0, 1]) < 0.04
    assert np.abs(np.quantile(drawn["x"], [0.1, 0.5, 0.9]) - np.quantile(x, [0.1, 0.5, 0.9])).max() < 0.05
    assert drawn.schema.field("n").type == pa.int64()


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    certificate = BayesianNetwork(parents=2).fit(chain(500), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound" and certificate.epsilon(1e-6) <= 1.0


def test_conditions_reach_from_children_to_parents():
    real = product()
    drawn = (
        BayesianNetwork(parents=2)
        .fit(real, progress=False)
        .sample(5_000, seed=3, where={"c": True, "b": True})
    )
    assert drawn.column("c").to_pylist() == drawn.column("b").to_pylist() == [True] * 5_000
    both = np.array(real.column("c")) & np.array(real.column("b"))
    given = np.array(real.column("a"))[both]
    assert abs(np.mean(drawn.column("a")) - np.mean(given)) < 0.02
    assert abs(np.mean(drawn.column("x")) - np.mean(np.array(real.column("x"))[both])) < 0.02


def test_pairs_that_were_never_seen_can_still_be_asked_for():
    table = pa.table({"a": ["u", "v"] * 200, "b": ["s", "t"] * 200})
    drawn = BayesianNetwork().fit(table, progress=False).sample(50, where={"a": "u", "b": "t"})
    assert set(drawn.column("a").to_pylist()) == {"u"} and set(drawn.column("b").to_pylist()) == {"t"}


def test_a_limit_of_cells_leaves_columns_without_parents():
    model = BayesianNetwork(cells=4).fit(chain(2_000), progress=False)
    assert sorted(model.sampler.model.tree.cliques) == [(0,), (1,), (2,), (3,)]


@pytest.mark.parametrize(("rows", "correlation"), [(500, 0.9), (2_000, 0.8), (10_000, 0.5)])
def test_a_relation_of_two_quantities_is_kept_without_a_budget(rows, correlation):
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    y = correlation * x + np.sqrt(1 - correlation**2) * rng.normal(size=rows)
    drawn = BayesianNetwork().fit(pa.table({"x": x, "y": y}), progress=False).sample_table(rows, 0).to_arrow()
    assert np.corrcoef(drawn["x"], drawn["y"])[0, 1] == pytest.approx(correlation, abs=0.08)
