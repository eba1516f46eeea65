"""Halves: every record is inside half of the models, every model has half of the records."""

import numpy as np
import pytest

from understudy.engines.shadows.plan import Plan, Shadows, halves
from understudy.errors import ParameterError


@pytest.mark.parametrize(("models", "records"), [(2, 2), (20, 101), (6, 7), (4, 1_000)])
def test_every_record_is_inside_exactly_half_of_the_models(models, records):
    inside = halves(models, records, np.random.default_rng(0))
    assert inside.shape == (models, records)
    assert (inside.sum(axis=0) == models // 2).all()
    assert set(inside.sum(axis=1)) <= {records // 2, records - records // 2}
    assert (inside[::2] == ~inside[1::2]).all()


def test_halves_are_random_and_follow_from_the_seed():
    first, again, other = (Plan.of(200, 10, 1, seed).inside for seed in (0, 0, 1))
    assert (first == again).all() and (first != other).any()
    # Two models of different pairs share about half of their records.
    assert 0.3 < (first[0] & first[2]).sum() / 100 < 0.7


@pytest.mark.parametrize(("models", "records"), [(3, 10), (0, 10), (1, 10), (4, 1), (4, 0)])
def test_what_has_no_halves_is_refused(models, records):
    with pytest.raises(ParameterError, match="shadows: expected"):
        halves(models, records, np.random.default_rng(0))


def test_no_two_models_or_sets_share_a_seed():
    plan = Plan.of(10, 4, 3, 0)
    seeds = [seed for model in range(4) for seed in plan.seeds(model)]
    assert len(set(seeds)) == len(seeds) == 16
    assert (plan.rows, plan.models) == (5, 4)


def test_sets_lie_one_behind_another():
    shadows = Shadows(
        halves(2, 4, np.random.default_rng(0)), 3, ({"x": np.arange(6)}, {"x": np.arange(6, 12)})
    )
    assert shadows.models == 2
    assert shadows.drawn(0, 1)["x"].tolist() == [2, 3]
    assert shadows.drawn(1, 2)["x"].tolist() == [10, 11]
