import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.model.cuts import DEPTH, Cuts, _with_tails, buy_cuts
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import Selection
from understudy.privacy.mechanisms.medians import told_parts
from understudy.table.schema import Bounds, Column


def bought(values, low, high, epsilon=1.0):
    ledger, event = Ledger(), Selection(epsilon, DEPTH)
    stream = ledger.reserve([Entry("cuts", "select", event, name="cuts")], Budget(epsilon=1e4, delta=1e-6))
    column = Column(name="x", kind="numerical", type="double", bounds=Bounds(low=low, high=high))
    return buy_cuts(Vault({"x": values}, ledger, stream), column, {"cuts": event}, "cuts")


@pytest.fixture(scope="module")
def values():
    return np.random.default_rng(0).normal(50, 5, 20_000)


def test_parts_hold_about_what_is_expected_of_them(values):
    cuts = bought(values, 0.0, 1_000.0)
    counts = np.histogram(values, cuts.edges)[0] / len(values)
    assert np.abs(counts - cuts.expected(len(values))).max() < 0.01
    assert cuts.expected(len(values)).sum() == pytest.approx(1.0)


def test_far_tails_are_expected_to_be_all_but_empty(values):
    cuts = bought(values, 0.0, 1_000.0)
    far = cuts.edges[:-1] > 200
    assert far.any() and cuts.expected(len(values))[far].sum() < 0.001


def test_cuts_that_few_rows_decided_on_are_not_believed():
    few = np.random.default_rng(1).normal(50, 5, 30)
    cuts = bought(few, 0.0, 100.0)
    assert len(cuts.edges) > 10
    believed = told_parts(cuts.rounds, 30.0, cuts.epsilon)[0]
    assert 2 <= len(believed) <= 5  # of some sixty


def test_counts_of_much_noise_are_drawn_towards_what_is_expected(values):
    cuts, rng = bought(values, 0.0, 1_000.0), np.random.default_rng(2)
    true = np.append(np.histogram(values, cuts.edges)[0], 0).astype(float)
    noisy = true + np.append(rng.normal(0, 400, len(true) - 1), 0)
    settled = cuts.settled(noisy, len(values), 400.0)
    assert np.abs(settled - true).sum() < 0.4 * np.abs(noisy - true).sum()
    assert np.abs(cuts.settled(true, len(values), 1e-9) - true).max() < 1e-3


def test_a_single_part_is_spread_evenly():
    cuts = Cuts(np.array([0.0, 1.0, 4.0]), (np.array([0.0, 4.0]),), 1.0)
    assert cuts.expected(100.0).tolist() == [0.25, 0.75]


@given(st.lists(st.integers(-(2**61), 2**61), min_size=2, max_size=12, unique=True))
def test_halving_the_outer_bins_keeps_the_edges_and_their_order(cuts):
    edges = np.sort(np.array(cuts, dtype=np.int64))
    finer = _with_tails(edges)
    assert set(edges.tolist()) <= set(finer.tolist())
    assert (np.diff(finer.astype(float)) >= 0).all()
    assert (finer[0], finer[-1]) == (edges[0], edges[-1])
    if len(edges) > 4:
        inner = (finer > edges[1]) & (finer < edges[-2])
        assert finer[inner].tolist() == edges[2:-2].tolist()
