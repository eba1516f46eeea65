"""A log-likelihood ratio L of the right laws has E[exp(-L)] = 1 under the first of them, and only then."""

import math
from itertools import combinations

import numpy as np
import pytest

from privacy.releases import stream
from understudy.errors import UnderstudyError
from understudy.measuring.likelihood import has_law, log_ratio
from understudy.privacy.events import DiscreteGaussian, Gaussian, Selection
from understudy.privacy.mechanisms.best import ChooseBest
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.dependences import GRID, Dependences
from understudy.privacy.mechanisms.interactions import CountInteractions
from understudy.privacy.mechanisms.laplace import LaplaceCounts
from understudy.privacy.mechanisms.levels import CommonLevels, Told
from understudy.privacy.mechanisms.selection import ChooseInEach
from understudy.privacy.mechanisms.spanning import ChooseTree
from understudy.privacy.mechanisms.table_errors import TableErrors

N = 2_500
PAIRS = tuple(combinations(range(3), 2))
TABLES = tuple(Margin(("abc"[first], "abc"[second]), (1, 1)) for first, second in PAIRS)
ERRORS = TableErrors(TABLES, (np.zeros((2, 2)),) * 3, (1.0,) * 3, (0.0,) * 3)
SCORES = np.array([3.0, 1.0, 2.0]), np.array([2.0, 2.0, 3.0])


def levels(missing=0, **counts):
    pairs = np.empty((1 + len(counts), 2), dtype=object)
    pairs[:] = [(None, missing), *counts.items()]
    return pairs


def told(missing=0, **counts):
    return Told(counts, column="a", sigma=2.0, missing=missing)


CASES = {
    "counts": (
        CountTables((Margin(("a",), (2,)), Margin(("b",), (1,))), DiscreteGaussian(1.5, 2)),
        np.array([3, 0, 1, 2, 2]),
        np.array([3, 0, 2, 2, 3]),
    ),
    "interactions": (
        CountInteractions((TABLES[0], Margin(("a", "b"), (2, 0))), Gaussian(1.5, 2)),
        np.array([1, -1, -1, 1, 0, 0, 0]),
        np.array([2, -2, -2, 2, 0, 0, 0]),
    ),
    "scores": (
        Dependences(TABLES[:2], Gaussian(1.5, 2), (np.zeros((2, 2)),) * 2),
        np.array([0, 3]) / GRID,
        np.array([1, 2]) / GRID,
    ),
    "choices": (ChooseInEach(ERRORS, Selection(1.0)), SCORES[0][None], SCORES[1][None]),
    "best": (ChooseBest(ERRORS, Selection(1.0, 2)), *SCORES),
    "trees": (ChooseTree(ERRORS, PAIRS, 3, Selection(1.0, 2)), *SCORES),
    "levels": (CommonLevels("a", DiscreteGaussian(2.0), 0.05), levels(x=6, y=2), levels(x=5, y=2)),
    "missing": (CommonLevels("a", DiscreteGaussian(2.0), 0.05), levels(3, x=6), levels(2, x=6)),
}


def ratios(mechanism, seen, other, wrong=None, n=N):
    noise = stream(1)
    seen, other = (each if each.dtype == object else np.asarray(each) for each in (seen, other))
    whole = seen.astype(np.int64) if mechanism.__class__ is Dependences else seen
    outputs = (mechanism.release(whole, noise) for _ in range(n))
    return np.array([log_ratio(wrong or mechanism, each, seen, other) for each in outputs])


@pytest.mark.parametrize("name", list(CASES))
def test_chances_of_the_other_table_add_up_to_one(name):
    mechanism, seen, other = CASES[name]
    for first, second in ((seen, other), (other, seen)):
        weights = np.exp(-ratios(mechanism, first, second))
        assert weights.mean() == pytest.approx(1.0, abs=4.5 * weights.std() / math.sqrt(N))


def test_a_law_of_another_scale_does_not_add_up():
    mechanism, seen, other = CASES["counts"]
    wrong = CountTables(mechanism.tables, DiscreteGaussian(2.0, 2))
    weights = np.exp(-ratios(mechanism, seen, other, wrong))
    assert abs(weights.mean() - 1) > 4.5 * weights.std() / math.sqrt(N)


def test_the_losses_of_choices_are_within_their_price():
    for name, most in (("choices", 1.0), ("best", 2.0), ("trees", 2.0)):
        assert np.abs(ratios(*CASES[name], n=500)).max() <= most


def test_a_level_of_one_row_proves_that_it_is_there():
    mechanism = CommonLevels("a", DiscreteGaussian(2.0), 0.05)
    with_it, without = levels(x=6, z=1), levels(x=6)
    assert log_ratio(mechanism, told(z=9), with_it, without) == math.inf
    assert log_ratio(mechanism, told(z=9), without, with_it) == -math.inf
    assert -0.1 < log_ratio(mechanism, told(), with_it, without) < 0


def test_equal_tables_say_nothing():
    mechanism = CommonLevels("a", DiscreteGaussian(2.0), 0.05)
    assert log_ratio(mechanism, told(z=9), levels(x=1), levels(x=1)) == 0


def test_a_law_that_is_not_written_down_is_refused():
    with pytest.raises(UnderstudyError, match="LaplaceCounts"):
        log_ratio(LaplaceCounts(Margin(("a",), (1,)), 2), np.zeros(2), np.zeros(2), np.zeros(2))


def test_a_law_that_is_written_down_is_known_to_be():
    tables = CountTables((Margin(("a",), (2,)),), DiscreteGaussian(2.0))
    assert has_law(tables)
    assert not has_law(LaplaceCounts.__new__(LaplaceCounts))
