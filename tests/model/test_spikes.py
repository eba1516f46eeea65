"""Values that many rows share, told from counts of parts."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import understudy as us
from understudy.model.spikes import apart, roundest, spikes


def test_a_part_that_many_rows_crowd_into_has_one_value():
    edges = np.array([0.0, 20.0, 39.99, 40.01, 60.0, 100.0])
    assert np.nan_to_num(spikes(edges, np.array([0.1, 0.2, 0.4, 0.2, 0.1])), nan=-1).tolist() == [
        -1,
        -1,
        40,
        -1,
        -1,
    ]
    assert np.isnan(spikes(edges, np.array([0.2, 0.3, 0.005, 0.3, 0.195]))).all()  # few rows
    assert np.isnan(spikes(np.array([0, 5, 10]), np.array([0.9, 0.1]))).all()  # whole numbers have bins


def test_laws_that_crowd_at_nought_have_no_value_there():
    edges = np.concatenate([np.linspace(0, 1, 65), 2.0 ** np.arange(1, 12)])
    rows = np.random.default_rng(0).lognormal(-6, 5, 1_000_000)
    held = np.histogram(rows, edges)[0] / 1_000_000
    assert np.isnan(spikes(edges, held)).all()
    held[0] += 1.0
    held[1:65] = 0.0
    assert spikes(edges, held / held.sum())[0] == 0.0


@given(st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-290), st.floats(1e-9, 1.0))
def test_the_roundest_number_lies_in_its_part(low, width):
    high = low + abs(low) * width + 1e-300
    if high > low:
        assert low <= roundest(low, high) < high


def test_a_value_gets_a_bin_of_its_own_and_shares_stay():
    edges, shares = apart(np.array([-1.0, -1e-9, 1e-9, 1.0]), np.array([0.1, 0.6, 0.1, 0.2]))
    assert edges.tolist() == [-1.0, -1e-9, 0.0, 5e-324, 1e-9, 1.0]
    assert shares.tolist() == [0.1, 0.0, 0.6, 0.0, 0.1, 0.2]


@pytest.mark.parametrize("method", ["histogram", "gaussian_copula", "mst", "aim", "nflow"])
def test_noughts_and_forties_come_back_within_a_budget(method):
    rng = np.random.default_rng(0)
    paid = np.where(rng.random(8_000) < 0.6, 0.0, rng.lognormal(7, 1, 8_000))
    hours = np.where(rng.random(8_000) < 0.5, 40.0, rng.uniform(0, 100, 8_000))
    recipe = us.synth.get(method).small() if method == "nflow" else us.synth.get(method)()
    budget = us.Budget(epsilon=5.0, delta=1e-6)
    model = recipe.fit(pa.table({"paid": paid, "hours": hours}), budget=budget, progress=False)
    drawn = model.sample_table(4_000, seed=0).to_arrow()
    for name, value, share in (("paid", 0.0, 0.6), ("hours", 40.0, 0.5)):
        cells = drawn[name].to_numpy()
        assert (cells == value).mean() == pytest.approx(share, abs=0.08)
        assert ((cells != value) & (np.abs(cells - value) < 0.05)).mean() < 0.02
    given_nought = model.sample_table(50, seed=0, where={"paid": 0.0}).to_arrow()["paid"].to_numpy()
    assert (given_nought == 0).all()
