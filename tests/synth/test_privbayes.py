"""Families are as large as the noise allows, and what they say is kept, with a budget and without."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from understudy import Budget
from understudy.synth.privbayes import PrivBayes

BUDGET = Budget(epsilon=1.0, delta=1e-6)


def parity(n=20_000, seed=0):
    """Return two signs, their parity most of the time, and a noisy copy of that."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, n), rng.integers(0, 2, n)
    c = np.where(rng.random(n) < 0.95, a ^ b, rng.integers(0, 2, n))
    d = np.where(rng.random(n) < 0.8, c, rng.integers(0, 2, n))
    return pa.table({name: values == 1 for name, values in zip("abcd", (a, b, c, d), strict=True)})


def odd(table):
    a, b, c = (np.array(pc.fill_null(table.column(name), False)) for name in "abc")
    return np.mean(c == (a ^ b))


def agreement(table, first, second):
    return np.mean(np.array(table.column(first)) == np.array(table.column(second)))


def largest(model):
    return max(len(of) for of in model.sampler.model.tree.cliques)


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_what_several_parents_say_together_is_kept(budget):
    drawn = PrivBayes().fit(parity(), budget=budget, progress=False).sample(20_000, seed=1)
    assert abs(odd(drawn) - odd(parity())) < 0.02
    assert abs(agreement(drawn, "c", "d") - agreement(parity(), "c", "d")) < 0.02


def test_less_budget_leaves_smaller_families():
    table = parity(2_000)
    sizes = [
        largest(PrivBayes(theta=4.0).fit(table, budget=Budget(epsilon=e, delta=1e-6), progress=False))
        for e in (0.01, 10.0)
    ]
    assert sizes[0] < sizes[1] == 4


def test_more_care_leaves_smaller_families():
    table = parity(200)  # 16 cells of all four columns need a theta of at most 200 / 16
    assert largest(PrivBayes(theta=12.0).fit(table, progress=False)) == 4
    assert largest(PrivBayes(theta=20.0).fit(table, progress=False)) == 3
    assert largest(PrivBayes(theta=201.0).fit(table, progress=False)) == 1


def test_numbers_keep_their_distribution_and_their_relation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=10_000)
    table = pa.table({"x": x, "y": x + 0.3 * rng.normal(size=10_000), "n": rng.integers(0, 60, 10_000)})
    drawn = PrivBayes().fit(table, progress=False).sample(10_000, seed=2)
    assert abs(np.corrcoef(drawn["x"], drawn["y"])[0, 1] - np.corrcoef(table["x"], table["y"])[0, 1]) < 0.04
    assert np.abs(np.quantile(drawn["x"], [0.1, 0.5, 0.9]) - np.quantile(x, [0.1, 0.5, 0.9])).max() < 0.05


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    certificate = PrivBayes().fit(parity(500), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound" and certificate.epsilon(1e-6) <= 1.0


def test_conditions_reach_from_children_to_parents():
    real = parity()
    drawn = PrivBayes().fit(real, progress=False).sample(5_000, seed=3, where={"c": True, "b": True})
    assert drawn.column("c").to_pylist() == drawn.column("b").to_pylist() == [True] * 5_000
    both = np.array(real.column("c")) & np.array(real.column("b"))
    assert abs(np.mean(drawn.column("a")) - np.mean(np.array(real.column("a"))[both])) < 0.02


def test_choosing_and_measuring_share_alike_what_margins_leave():
    recipe = PrivBayes()
    assert recipe.choose_share == pytest.approx(1 - recipe.margins_share - recipe.choose_share)
