import math

import numpy as np

from understudy.measuring.composite import compose, defined_mean, one_sided_as_zero


def test_an_undefined_part_is_reported_and_left_out_of_the_mean():
    score = compose({"a": np.array([0.2, 0.4]), "b": np.array([np.nan])}, {"c": 9.0})
    assert math.isclose(score.value, 0.3)
    assert math.isnan(score.parts["b"]) and score.parts["c"] == 9.0
    assert score.parts["coverage"] == 0.5


def test_coverage_counts_undefined_entries_of_defined_parts():
    score = compose({"a": np.array([1.0, np.nan, np.nan, np.nan])})
    assert (score.value, score.parts["coverage"]) == (1.0, 0.25)


def test_nothing_defined_is_not_a_number():
    assert math.isnan(compose({"a": np.array([])}).value)
    assert math.isnan(defined_mean(np.array([np.nan])))


def test_an_association_that_one_table_lost_counts_as_0_and_what_neither_has_as_undefined():
    one, other = one_sided_as_zero(np.array([0.5, np.nan, np.nan]), np.array([np.nan, 0.4, np.nan]))
    assert one[:2].tolist() == [0.5, 0.0] and other[:2].tolist() == [0.0, 0.4]
    assert np.isnan(one[2]) and np.isnan(other[2])
