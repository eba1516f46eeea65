"""Each law gives what it was fitted on, narrows to conditions, and its densities add up to one."""

import numpy as np

from understudy.engines.condition import Among, Between, IsMissing
from understudy.engines.forest.axis import Axis
from understudy.engines.forest.laws import LevelLaw, QuantityLaw, codes_of, heavy_values
from understudy.engines.forest.tally import Tally
from understudy.missing import MISSING_STEP, is_missing

ROWS = 4_000
LEAF = np.zeros(ROWS, dtype=np.int64)


def quantity(column, few=10):
    """Return the law of one leaf that holds all rows."""
    axis = Axis.of(column)
    box = (np.array([-1], dtype=np.int32), np.array([len(axis.cuts)], dtype=np.int32))
    points = heavy_values(column, few, 0.1)
    return QuantityLaw.fit(column, np.zeros((2, len(column)), dtype=np.int32), axis, points, box=box)


def steps():
    rng = np.random.default_rng(0)
    column = np.where(rng.random(500) < 0.4, 40, rng.integers(10, 90, 500))
    column[:50] = MISSING_STEP
    return column


def test_levels_come_back_in_their_shares_and_missing_as_missing():
    codes = np.array([0, 0, 1, -1], dtype=np.int32)
    law = LevelLaw(np.array([1, 0, -1], dtype=np.int32), Tally.count(np.zeros(4), codes % 3, 1, 3))
    assert law.cells(codes).tolist() == [1, 1, 0, -1]
    assert law.density(LEAF[:4], codes).tolist() == [0.5, 0.5, 0.25, 0.25]
    drawn = law.narrowed(Among(np.array([False, True, True]))).draw(LEAF, np.random.default_rng(0))
    assert set(drawn.tolist()) == {1, -1}
    assert law.mass().tolist() == [4.0]


def test_probabilities_of_steps_add_up_to_one():
    law = quantity(steps())
    every = np.append(np.arange(10, 90), MISSING_STEP)
    found = law.density(np.zeros(len(every), dtype=np.int64), every)
    assert abs(found.sum() - 1) < 1e-12
    assert found[-1] == 0.1
    assert law.density(LEAF[:1], np.array([9])).tolist() == [0.0]


def test_the_density_of_numbers_adds_up_to_one_with_its_points():
    rng = np.random.default_rng(0)
    column = np.where(rng.random(500) < 0.3, 2.0, rng.normal(5.0, 3.0, 500))
    column[:50] = np.nan
    law = quantity(column)
    line = np.linspace(*law.axis.ends, 200_001)
    between = law.density(np.zeros(len(line), dtype=np.int64), line + 1e-7)
    heavy = law.density(LEAF[:2], np.array([2.0, np.nan]))
    assert abs(between.mean() * (line[-1] - line[0]) + heavy.sum() - 1) < 1e-3


def test_heavy_values_and_missing_come_back_as_often_as_they_were():
    column = steps()
    drawn = quantity(column).draw(LEAF, np.random.default_rng(1))
    for holds in (is_missing, lambda values: values == 40):
        assert abs(holds(drawn).mean() - holds(column).mean()) < 0.03
    assert drawn.dtype == np.int64
    assert drawn[drawn != MISSING_STEP].min() >= 10


def test_a_narrowed_law_weighs_what_its_condition_is_worth():
    column = steps()
    law = quantity(column)
    for condition in (Between(38.5, 60), Between(40, 40), Between(-np.inf, np.inf), IsMissing()):
        narrowed = law.narrowed(condition)
        drawn = law.draw(np.zeros(100_000, dtype=np.int64), np.random.default_rng(2))
        share = narrowed.mass()[0] / law.mass()[0]
        assert abs(condition.accepts(drawn).mean() - share) < 0.01
        assert condition.accepts(narrowed.draw(LEAF, np.random.default_rng(3))).all()
    assert law.narrowed(Between(91, 99)).mass().tolist() == [0.0]


def test_of_many_values_only_those_of_many_rows_are_heavy():
    column = np.concatenate([np.arange(100), np.full(50, 7), [8, 8]])
    assert heavy_values(column, few=10, share=0.2).tolist() == [7]
    assert heavy_values(column, few=1_000, share=0.2).tolist() == [7, 8]


def test_entries_know_their_place_among_the_points():
    found = codes_of(np.array([5.0, np.nan, 1.0, 9.0]), np.array([1.0, 9.0]))
    assert found.tolist() == [3, 2, 0, 1]
