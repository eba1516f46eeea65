"""Counts per leaf are those of a plain loop, whichever way they were counted."""

import numpy as np
import pytest

from understudy.engines.forest import tally as module
from understudy.engines.forest.tally import Tally

RNG = np.random.default_rng(0)
LEAF, CODE = RNG.integers(0, 7, 500), RNG.integers(0, 5, 500)
COUNTS = np.array([[np.sum((leaf == LEAF) & (code == CODE)) for code in range(5)] for leaf in range(8)])


@pytest.mark.parametrize("dense", [0, 10**6])
def test_shares_are_those_of_a_plain_count(monkeypatch, dense):
    monkeypatch.setattr(module, "_DENSE", dense)
    tally = Tally.count(LEAF, CODE, leaves=8, codes=5)
    assert tally.mass().tolist() == COUNTS.sum(axis=1).tolist()
    leaf, code = (grid.ravel() for grid in np.meshgrid(np.arange(7), np.arange(5), indexing="ij"))
    wanted = COUNTS[:7] / COUNTS[:7].sum(axis=1, keepdims=True)
    assert np.allclose(tally.share(leaf, code, 5), wanted.ravel())


def test_what_is_narrowed_to_nothing_is_never_drawn():
    tally = Tally.count(LEAF, CODE, leaves=8, codes=5)
    some = tally.narrowed(np.isin(tally.codes, [1, 4]).astype(float))
    drawn = some.draw(np.repeat(np.arange(7), 200), np.random.default_rng(1))
    assert set(drawn.tolist()) == {1, 4}
    assert some.mass().tolist() == COUNTS[:, [1, 4]].sum(axis=1).tolist()


def test_codes_are_drawn_in_proportion():
    tally = Tally.count(LEAF, CODE, leaves=8, codes=5)
    drawn = tally.draw(np.full(50_000, 3), np.random.default_rng(2))
    found = np.bincount(drawn, minlength=5) / 50_000
    assert np.abs(found - COUNTS[3] / COUNTS[3].sum()).max() < 0.01


def test_a_tally_of_nothing_has_no_shares():
    nothing = Tally.count(LEAF, CODE, leaves=8, codes=5).narrowed(np.zeros(len(np.flatnonzero(COUNTS))))
    assert nothing.mass().tolist() == [0.0] * 8
    assert nothing.share(np.array([1]), np.array([1]), 5).tolist() == [0.0]
