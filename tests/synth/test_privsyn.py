"""As many pairs as the budget bears are kept, and the rows fit them."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from understudy import Budget
from understudy.engines.marginals.counting import count
from understudy.synth.privsyn import PrivSyn
from understudy.table.schema import Schema
from understudy.table.table import Table

BUDGET = Budget(epsilon=1.0, delta=1e-6)
NAMES = "abcd"


def dense(n=20_000, seed=0):
    """Return columns of which every pair depends: no tree can hold them all."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 4, n)
    found = [np.where(rng.random(n) < 0.6, hidden, rng.integers(0, 4, n)) for _ in NAMES]
    return pa.table({name: [f"v{v}" for v in values] for name, values in zip(NAMES, found, strict=True)})


def codes_of(table):
    """Return codes from 0 to 3, and 4 for missing: a budget may buy a missing rate just above nought."""
    columns = (table.column(name).to_pylist() for name in NAMES)
    return [np.array([4 if value is None else int(value[1:]) for value in values]) for values in columns]


def pair_error(first, second):
    """Return the mean total variation of all pairs."""
    apart = []
    for pair in combinations(range(4), 2):
        left, right = (count(codes_of(each), pair, (5,) * 4) / each.num_rows for each in (first, second))
        apart.append(np.abs(left - right).sum() / 2)
    return float(np.mean(apart))


@pytest.mark.parametrize(("budget", "most"), [(None, 0.003), (BUDGET, 0.02)], ids=["open", "private"])
def test_every_pair_of_a_dense_table_is_kept_in_the_rows(budget, most):
    real = dense()
    drawn = PrivSyn().fit(real, budget=budget, progress=False).sample(20_000, seed=1)
    assert pair_error(real, drawn) < most


def test_rows_are_as_close_as_the_tables_that_were_bought():
    real = dense()
    model = PrivSyn().fit(real, budget=BUDGET, progress=False)
    few, many = (pair_error(real, model.sample(n, seed=2)) for n in (20_000, 200_000))
    assert abs(few - many) < 0.005  # drawing rows adds next to nothing


def test_numbers_keep_their_distribution_and_their_relation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=10_000)
    table = pa.table({"x": x, "y": x + 0.3 * rng.normal(size=10_000), "n": rng.integers(0, 60, 10_000)})
    drawn = PrivSyn().fit(table, progress=False).sample(10_000, seed=2)
    assert abs(np.corrcoef(drawn["x"], drawn["y"])[0, 1] - np.corrcoef(table["x"], table["y"])[0, 1]) < 0.04
    assert np.abs(np.quantile(drawn["x"], [0.1, 0.5, 0.9]) - np.quantile(x, [0.1, 0.5, 0.9])).max() < 0.05
    assert drawn.schema.field("n").type == pa.int64()


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    certificate = PrivSyn().fit(dense(500), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound" and certificate.epsilon(1e-6) <= 1.0


def test_conditions_hold_and_reach_the_other_columns():
    real = dense()
    drawn = PrivSyn().fit(real, progress=False).sample(5_000, seed=3, where={"a": "v2"})
    assert set(drawn.column("a").to_pylist()) == {"v2"}
    given = codes_of(real)[3][codes_of(real)[0] == 2]
    assert abs(np.mean(codes_of(drawn)[3] == 2) - np.mean(given == 2)) < 0.02


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
@pytest.mark.parametrize("pairs", [0, 1_000])
def test_one_column_and_a_table_of_which_no_pair_is_taken_are_learned(budget, pairs):
    for table in (dense(300).select(["a"]), dense(300)):
        drawn = PrivSyn(pairs=pairs).fit(table, budget=budget, progress=False).sample(9, seed=0)
        assert drawn.num_rows == 9 and drawn.column_names == table.column_names


def test_without_pairs_columns_are_independent_and_keep_their_own_tables():
    real = dense(4_000)
    drawn = PrivSyn(pairs=0).fit(real, progress=False).sample(4_000, seed=0)
    for before, after in zip(codes_of(real), codes_of(drawn), strict=True):
        assert np.array_equal(np.bincount(before), np.bincount(after))
    assert np.mean(codes_of(drawn)[0] == codes_of(drawn)[1]) < 0.3


def test_a_condition_on_one_point_of_a_quantity_reaches_the_other_columns():
    rng = np.random.default_rng(0)
    x = rng.normal(size=4_000)
    model = PrivSyn().fit(pa.table({"x": x, "y": x + 0.1 * rng.normal(size=4_000)}), progress=False)
    drawn = model.sample_table(300, 0, {"x": 1.5}).to_arrow()
    assert set(drawn["x"].to_pylist()) == {1.5}
    assert np.mean(drawn["y"].to_pylist()) == pytest.approx(1.5, abs=0.15)


def test_without_pairs_nothing_is_paid_for_them():
    schema = Schema.infer(Table(pa.table({"x": [1.0, 2.5], "y": [3.0, 4.5]}))).declare()
    assert {ask.name for ask in PrivSyn(pairs=0).asks(schema)} == {"margins.counts"}
