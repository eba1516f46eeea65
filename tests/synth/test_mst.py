"""The pairs that say most are kept, with a budget and without."""

import numpy as np
import pyarrow as pa
import pytest

from understudy import Budget
from understudy.synth.mst import MST

BUDGET = Budget(epsilon=1.0, delta=1e-6)


def chain(n=20_000, seed=0):
    """Return a - b - c - d, each a noisy copy of the one before."""
    rng = np.random.default_rng(seed)
    found = [rng.integers(0, 4, n)]
    for _ in range(3):
        found.append(np.where(rng.random(n) < 0.7, found[-1], rng.integers(0, 4, n)))
    return pa.table({name: [f"v{v}" for v in values] for name, values in zip("abcd", found, strict=True)})


def agreement(table, first, second):
    return np.mean(np.array(table.column(first)) == np.array(table.column(second)))


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
def test_a_chain_is_found_and_kept(budget):
    model = MST().fit(chain(), budget=budget, progress=False)
    assert sorted(model.sampler.model.tree.cliques) == [(0, 1), (1, 2), (2, 3)]
    drawn = model.sample(20_000, seed=1)
    for first, second in ("ab", "bc", "cd", "ad"):
        assert abs(agreement(drawn, first, second) - agreement(chain(), first, second)) < 0.02


def test_numbers_keep_their_distribution_and_their_relation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=10_000)
    table = pa.table({"x": x, "y": x + 0.3 * rng.normal(size=10_000), "n": rng.integers(0, 60, 10_000)})
    drawn = MST().fit(table, progress=False).sample(10_000, seed=2)
    assert abs(np.corrcoef(drawn["x"], drawn["y"])[0, 1] - np.corrcoef(table["x"], table["y"])[0, 1]) < 0.04
    assert np.abs(np.quantile(drawn["x"], [0.1, 0.5, 0.9]) - np.quantile(x, [0.1, 0.5, 0.9])).max() < 0.05
    assert drawn.schema.field("n").type == pa.int64()


def test_a_budget_is_kept_to_and_the_certificate_is_sound():
    certificate = MST().fit(chain(500), budget=BUDGET, progress=False).certificate
    assert certificate.status == "sound" and certificate.epsilon(1e-6) <= 1.0


def test_conditions_reach_through_the_tree():
    drawn = MST().fit(chain(), progress=False).sample(5_000, seed=3, where={"a": "v2"})
    assert set(drawn.column("a").to_pylist()) == {"v2"}
    shares = np.mean(np.array(drawn.column("d")) == "v2")
    real = chain()
    given = np.array(real.column("d"))[np.array(real.column("a")) == "v2"]
    assert abs(shares - np.mean(given == "v2")) < 0.03


def test_without_a_budget_a_chain_of_relations_is_kept_through_its_middle():
    rng = np.random.default_rng(0)
    x = rng.normal(size=3_000)
    y = x + 0.2 * rng.normal(size=3_000)
    z = y + 0.2 * rng.normal(size=3_000)
    drawn = MST().fit(pa.table({"x": x, "y": y, "z": z}), progress=False).sample_table(3_000, 0).to_arrow()
    assert np.corrcoef(drawn["x"], drawn["z"])[0, 1] > 0.88
