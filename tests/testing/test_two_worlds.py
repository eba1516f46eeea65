import numpy as np
import pyarrow as pa
import pytest

from understudy.model import private_fit
from understudy.privacy import Budget, Vault
from understudy.synth.mst import MST
from understudy.testing.audited import bare, declared
from understudy.testing.two_worlds import STATISTICS, _like, observed, outcomes

BUDGET = Budget(epsilon=4.0, delta=1e-9)
QUICK = MST(steps=2)


@pytest.mark.parametrize("worlds", [declared(), bare()], ids=["declared", "bare"])
def test_the_two_worlds_differ_by_the_last_row_alone(worlds):
    larger, smaller = (worlds.world(having=having).to_arrow() for having in (True, False))
    assert larger.num_rows == smaller.num_rows + 1
    assert larger.slice(0, smaller.num_rows).equals(smaller)
    sizes = [len(next(iter(columns.values()))) for columns in worlds.raw]
    assert sizes == [smaller.num_rows, larger.num_rows]


@pytest.mark.parametrize("having", [True, False])
def test_a_watched_fit_is_a_whole_fit_with_a_sound_certificate(having):
    model, found = observed(QUICK, bare(), BUDGET, having=having, seed=3)
    assert model.certificate.sound
    assert model.certificate.epsilon(1e-9) == pytest.approx(4.0, rel=0.01)
    assert tuple(found) == STATISTICS and np.isfinite(list(found.values())).all()


def test_the_vault_is_the_real_one_again_after_a_fit():
    observed(QUICK, declared(), BUDGET, having=True, seed=0)
    assert private_fit.Vault is Vault


def test_two_fits_with_one_seed_have_different_noise():
    first, second = (observed(QUICK, declared(), BUDGET, having=True, seed=0)[1] for _ in range(2))
    assert first["released"] != second["released"]


def test_what_is_released_leans_to_the_world_it_comes_from():
    generous = Budget(epsilon=100.0, delta=1e-3)
    without, having = (
        outcomes(QUICK, declared(), generous, having=having, seeds=range(12))["released"]
        for having in (False, True)
    )
    assert len(without) == 12
    assert np.mean(without) < -1 < 1 < np.mean(having)


def test_drawn_rows_are_compared_cell_by_cell_and_quantities_by_half_of_their_distance():
    table = pa.table({"c": ["x", "z"], "n": [1, 1_000]})
    drawn = pa.table({"c": ["z", "z", "x", None], "n": [500, 499, 2**60, None]})
    assert _like(drawn, table) == (1.0, 2.0)
