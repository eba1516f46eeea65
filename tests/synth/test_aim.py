"""Rounds are spent where the model is wrong, and never beyond the budget."""

import math

import numpy as np
import pyarrow as pa
import pytest

from understudy import Budget
from understudy.synth.aim import AIM, _Pace

BUDGET = Budget(epsilon=2.0, delta=1e-6)


def circle(n=10_000, seed=0):
    """Return a, b, and c = a xor b with noise in two more: no tree holds all pairs of it."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, n), rng.integers(0, 3, n)
    mixed = np.where(rng.random(n) < 0.5, a, b)
    d = np.where(rng.random(n) < 0.5, mixed, a)
    columns = {"a": a, "b": b, "c": mixed, "d": d}
    return pa.table({name: [f"v{v}" for v in values] for name, values in columns.items()})


def agreement(table, first, second):
    return np.mean(np.array(table.column(first)) == np.array(table.column(second)))


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_pairs_beyond_a_tree_are_kept(budget):
    model = AIM(final_steps=300).fit(circle(), budget=budget, progress=False)
    drawn = model.sample(10_000, seed=1)
    for first, second in ("ac", "bc", "ad", "cd"):
        assert abs(agreement(drawn, first, second) - agreement(circle(), first, second)) < 0.03


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    certificate = AIM(steps=5, final_steps=20).fit(circle(400), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound" and certificate.epsilon(1e-6) <= 2.0


def test_rounds_add_up_to_the_price_and_never_beyond_it():
    for learned in (True, False):
        pace, spent = _Pace.begin(0.01, 64), 0.0
        while pace is not None:
            spent += pace.price
            pace = pace.next(learned=learned)
        assert 0.999 * 0.01 < spent <= 0.01 * (1 + 1e-12)


def test_a_round_that_taught_nothing_makes_the_next_one_finer():
    pace = _Pace.begin(1.0, 100)
    assert math.isclose(pace.next(learned=False).sigma, pace.sigma / 2)
    assert math.isclose(pace.next(learned=True).sigma, pace.sigma)


def test_a_model_keeps_to_its_size():
    rng = np.random.default_rng(0)
    rows = pa.table({f"c{i}": [f"v{v}" for v in rng.integers(0, 9, 2_000)] for i in range(6)})
    model = AIM(megabytes=0.02, steps=10, final_steps=10).fit(rows, progress=False).sampler.model
    assert model.tree.cells(model.sizes) * 8 <= 0.02e6
