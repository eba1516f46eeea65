"""Grades equal the textbook's and scikit-learn's, and a weight is a row that often."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn import metrics as known

from understudy.measuring.grades import Areas, accuracy, d2_absolute, macro_f1, weighted_median
from understudy.measuring.interval import delong

FOUR = np.array([1.0, 2.0, 3.0, 4.0])
codes = st.lists(st.integers(0, 3), min_size=2, max_size=25)
weights = st.integers(0, 3)


def test_d2_of_one_far_guess_is_0_and_of_a_near_one_is_0_875():
    assert d2_absolute(FOUR, np.array([1.0, 2.0, 3.0, 8.0]), np.ones(4)) == 0.0
    assert d2_absolute(FOUR, np.array([1.0, 2.0, 3.0, 4.5]), np.ones(4)) == 0.875


def test_d2_is_negative_for_guesses_worse_than_the_median_and_undefined_for_one_value():
    assert d2_absolute(FOUR, FOUR[::-1].copy(), np.ones(4)) == -1.0
    assert math.isnan(d2_absolute(np.full(3, 2.0), FOUR[:3], np.ones(3)))
    assert math.isnan(d2_absolute(np.empty(0), np.empty(0), np.empty(0)))
    assert math.isnan(d2_absolute(FOUR, FOUR, np.zeros(4)))


def test_d2_of_values_as_large_as_floats_is_that_of_small_ones():
    assert d2_absolute(FOUR * 4e307, np.array([1.0, 2.0, 3.0, 4.4]) * 4e307, np.ones(4)) == pytest.approx(0.9)


def drawn(values, counts):
    return np.repeat(np.asarray(values), counts)


@given(st.data(), codes)
def test_a_weight_is_a_row_that_often_and_grades_are_those_of_scikit_learn(data, truth):
    guess = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(truth), max_size=len(truth))))
    counts = np.array(data.draw(st.lists(weights, min_size=len(truth), max_size=len(truth))))
    truth, weight = np.array(truth), counts.astype(float)
    if counts.sum() == 0:
        assert math.isnan(accuracy(truth, guess, weight))
        assert math.isnan(macro_f1(truth, guess, weight))
        return
    one, other = drawn(truth, counts), drawn(guess, counts)
    assert accuracy(truth, guess, weight) == pytest.approx(known.accuracy_score(one, other))
    expected = known.f1_score(one, other, average="macro", zero_division=0.0)
    assert macro_f1(truth, guess, weight) == pytest.approx(expected)
    numbers, guesses = truth * 1.5 - 2, guess * 1.5 - 2
    assert weighted_median(numbers, weight) == pytest.approx(np.median(drawn(numbers, counts)))
    if len(np.unique(one)) > 1:
        expected = known.d2_absolute_error_score(drawn(numbers, counts), drawn(guesses, counts))
        assert d2_absolute(numbers, guesses, weight) == pytest.approx(expected)


@given(st.data(), st.integers(2, 25))
def test_the_area_is_that_of_scikit_learn_with_ties_and_weights(data, rows):
    truth = np.array(data.draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows)))
    scores = np.array(data.draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))) / 4
    counts = np.array(data.draw(st.lists(weights, min_size=rows, max_size=rows)))
    areas = Areas.of(truth, np.array([1]), scores[:, None])
    if len(np.unique(drawn(truth, counts))) < 2:
        assert math.isnan(areas.macro(counts.astype(float)))
        return
    expected = known.roc_auc_score(drawn(truth, counts), drawn(scores, counts))
    assert areas.macro(counts.astype(float)) == pytest.approx(expected)


def test_the_area_of_two_classes_is_delongs():
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(2, size=60), rng.integers(9, size=60) / 9
    value, _ = delong(scores[truth == 1], scores[truth == 0])
    assert Areas.of(truth, np.array([1]), scores[:, None]).macro(np.ones(60)) == pytest.approx(value)


def test_members_and_non_members_of_the_notes_have_an_area_of_0_6875():
    scores = np.array([0.9, 0.8, 0.7, 0.1, 0.85, 0.3, 0.2, 0.05])
    assert Areas.of(np.repeat([1, 0], 4), np.array([1]), scores[:, None]).macro(np.ones(8)) == 0.6875


def test_the_macro_area_is_the_mean_over_the_classes_that_have_one():
    truth = np.array([0, 0, 1, 1])
    chances = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.3, 0.7, 0.0], [0.85, 0.15, 0.0]])
    areas = Areas.of(truth, np.array([0, 1, 2]), chances)
    each = areas.each(np.ones(4))
    assert each[:2].tolist() == [0.75, 0.75]
    assert math.isnan(each[2])
    assert areas.macro(np.ones(4)) == 0.75


def test_a_class_that_is_guessed_and_never_true_counts_in_the_macro_mean():
    assert macro_f1(np.array([0, 0]), np.array([0, 1]), np.ones(2)) == pytest.approx(1 / 3)
