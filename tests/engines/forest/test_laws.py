"""Each law gives what it was fitted on, narrows to conditions, and its densities add up to one."""

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

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
    assert np.exp(law.log_density(LEAF[:4], codes)).tolist() == [0.5, 0.5, 0.25, 0.25]
    drawn = law.narrowed(Among(np.array([False, True, True]))).draw(LEAF, np.random.default_rng(0))
    assert set(drawn.tolist()) == {1, -1}
    assert law.mass().tolist() == [4.0]


def test_probabilities_of_steps_add_up_to_one():
    law = quantity(steps())
    every = np.append(np.arange(10, 90), MISSING_STEP)
    found = np.exp(law.log_density(np.zeros(len(every), dtype=np.int64), every))
    assert abs(found.sum() - 1) < 1e-12
    assert found[-1] == pytest.approx(0.1)
    assert law.log_density(LEAF[:1], np.array([9])).tolist() == [-np.inf]


@given(
    base=st.integers(-(2**62), 2**62 - 1_000),
    column=st.lists(st.integers(0, 999), min_size=1, max_size=60),
    few=st.sampled_from([0, 10]),
)
@example(base=2**60, column=list(range(0, 1_000, 3)), few=0)
@example(base=-(2**62), column=[0, 999], few=0)
def test_steps_have_the_same_law_wherever_the_column_lies(base, column, few):
    here, there = np.array(column), base + np.array(column)
    near, far = quantity(here, few), quantity(there, few)
    every = np.arange(here.min(), here.max() + 1)
    leaf = np.zeros(len(every), dtype=np.int64)
    found = far.log_density(leaf, base + every)
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-9)
    assert found.tolist() == near.log_density(leaf, every).tolist()
    drawn = [law.draw(LEAF[:50], np.random.default_rng(0)) for law in (near, far)]
    assert (base + drawn[0]).tolist() == drawn[1].tolist()
    asked = Between(base + column[0], base + column[0] + 3)
    assert far.narrowed(asked).mass()[0] > 0
    assert asked.accepts(far.narrowed(asked).draw(LEAF[:50], np.random.default_rng(0))).all()


@pytest.mark.parametrize("power", [45, 55, 62])
def test_steps_too_many_to_tell_apart_have_the_probability_of_an_even_law(power):
    rng = np.random.default_rng(0)
    column = rng.integers(-(2**power), 2**power, 2_000)
    law = quantity(column, few=0)
    found = law.log_density(np.zeros(len(column), dtype=np.int64), column)
    assert np.isfinite(found).all()
    assert np.median(found) == pytest.approx(-(power + 1) * np.log(2), abs=0.3)
    drawn = law.draw(LEAF, rng)
    assert len(np.unique(drawn % 256)) == 256
    assert column.min() <= drawn.min() and drawn.max() <= column.max()


def test_a_cluster_far_from_another_value_keeps_a_probability():
    column = np.append(np.arange(1_000), 2**62)
    law = quantity(column, few=0)
    assert np.isfinite(law.log_density(np.zeros(1_001, dtype=np.int64), column)).all()


@pytest.mark.parametrize("power", [-1060, -1035, 1019])
def test_numbers_near_the_ends_of_the_floats_have_the_law_of_their_shape(power):
    column = np.random.default_rng(0).normal(10, 3, 400)
    scaled = np.ldexp(column, power)
    plain, law = quantity(column), quantity(scaled)
    leaf = np.zeros(400, dtype=np.int64)
    shift = law.log_density(leaf, scaled) - plain.log_density(leaf, column)
    assert np.quantile(np.abs(shift + power * np.log(2)), 0.9) < 1e-2
    drawn = [each.draw(LEAF, np.random.default_rng(1)) for each in (plain, law)]
    assert np.allclose(np.ldexp(drawn[1], -power), drawn[0], rtol=1e-2)


def test_a_number_alone_beside_missing_ones_is_a_point():
    column = np.array([1.5, np.nan, np.nan, np.nan])
    law = quantity(column)
    assert np.exp(law.log_density(LEAF[:2], column[:2])).tolist() == [0.25, 0.75]
    assert set(law.narrowed(Between(1, 2)).draw(LEAF, np.random.default_rng(0))) == {1.5}


def test_the_density_of_numbers_adds_up_to_one_with_its_points():
    rng = np.random.default_rng(0)
    column = np.where(rng.random(500) < 0.3, 2.0, rng.normal(5.0, 3.0, 500))
    column[:50] = np.nan
    law = quantity(column)
    line = np.linspace(*law.axis.ends, 200_001)
    between = np.exp(law.log_density(np.zeros(len(line), dtype=np.int64), line + 1e-7))
    heavy = np.exp(law.log_density(LEAF[:2], np.array([2.0, np.nan])))
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


def test_a_number_that_is_asked_for_weighs_leaves_by_their_densities_there():
    column = np.random.default_rng(0).normal(size=ROWS)
    axis = Axis.of(column)
    leaf = (column > 0.5).astype(np.int32)[None]
    cells = np.searchsorted(axis.cuts, 0.5).astype(np.int32)
    last = np.int32(len(axis.cuts))
    boxes = (np.array([-1, -1], dtype=np.int32), np.array([cells, last], dtype=np.int32))
    law = QuantityLaw.fit(column, leaf, axis, column[:0], box=boxes)
    for value in (-0.25, float(column[5]), float(column.min())):
        near = law.narrowed(Between(value - 1e-4, value + 1e-4))
        at = law.narrowed(Between(value, value))
        assert np.allclose(at.mass() / at.mass().sum(), near.mass() / near.mass().sum(), atol=1e-3)
        drawn = at.draw(np.full(50, at.mass().argmax()), np.random.default_rng(0))
        assert set(drawn) == {value}
    above = law.narrowed(Between(float(column.max()), np.inf))
    assert above.mass().tolist()[0] == 0 and above.mass()[1] > 0
    assert law.narrowed(Between(9.0, 9.0)).mass().tolist() == [0.0, 0.0]


def test_steps_as_far_apart_as_any_are_drawn_by_their_law():
    law = quantity(np.append(np.arange(-(10**6), 10**6, 10**3), [-(2**62), 2**62]), few=0)
    drawn = law.draw(LEAF, np.random.default_rng(0))
    assert np.mean(np.abs(drawn) < 2**60) > 0.7  # were they even, a quarter of them would be


def test_a_value_that_is_heavy_keeps_its_probability_as_its_mass():
    law = quantity(np.append(np.linspace(0, 1, 60), np.full(40, 0.5)))
    assert law.narrowed(Between(0.5, 0.5)).mass().tolist() == [2 * 40]


def test_a_range_between_steps_that_the_line_cannot_tell_apart_is_drawn_evenly():
    law = quantity(np.random.default_rng(0).integers(-(2**62), 2**62, 300), few=0)
    asked = law.narrowed(Between(2**60 + 1, 2**60 + 5))
    assert asked.mass()[0] > 0
    assert set(asked.draw(LEAF, np.random.default_rng(0)).tolist()) == set(range(2**60 + 1, 2**60 + 6))


def test_of_many_values_only_those_of_many_rows_are_heavy():
    column = np.concatenate([np.arange(100), np.full(50, 7), [8, 8]])
    assert heavy_values(column, few=10, share=0.2).tolist() == [7]
    assert heavy_values(column, few=1_000, share=0.2).tolist() == [7, 8]


def test_entries_know_their_place_among_the_points():
    found = codes_of(np.array([5.0, np.nan, 1.0, 9.0]), np.array([1.0, 9.0]))
    assert found.tolist() == [3, 2, 0, 1]
