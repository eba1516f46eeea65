import math

import numpy as np
import pytest

from understudy.measuring.affinity import grade, printed_loss, relative_loss, rmse, support_f1


def test_an_f1_of_0_8_after_real_and_0_6_after_synthetic_rows_is_a_loss_of_a_quarter():
    assert relative_loss(0.8, 0.6, regression=False) == pytest.approx(0.25)


def test_an_rmse_of_1_5_after_1_is_a_loss_of_a_half_and_minus_a_half_as_equation_9_is_printed():
    assert relative_loss(1.0, 1.5, regression=True) == 0.5
    assert printed_loss(1.0, 1.5) == -0.5


def test_a_loss_relative_to_nothing_is_undefined():
    assert math.isnan(relative_loss(0.0, 0.5, regression=True))
    assert math.isnan(relative_loss(0.0, 0.5, regression=False))


def test_the_weighted_f1_is_that_of_scikit_learn():
    from sklearn.metrics import f1_score

    rng = np.random.default_rng(0)
    for classes in (2, 5):
        truth, guess = rng.integers(classes, size=200), rng.integers(classes + 2, size=200)
        weights = rng.integers(0, 4, size=200).astype(float)
        theirs = f1_score(truth, guess, average="weighted", sample_weight=weights, zero_division=0)
        assert support_f1(truth, guess, weights) == pytest.approx(theirs)


def test_a_weight_is_as_good_as_a_copy():
    rng = np.random.default_rng(0)
    truth, guess, times = rng.normal(size=50), rng.normal(size=50), rng.integers(1, 4, size=50)
    copies = rmse(np.repeat(truth, times), np.repeat(guess, times), np.ones(times.sum()))
    assert rmse(truth, guess, times.astype(float)) == pytest.approx(copies)


def test_numbers_are_graded_by_their_error_and_classes_by_f1():
    truth, guess = np.array([0, 1]), np.array([0, 0])
    assert grade(truth, guess, np.ones(2), regression=True) == pytest.approx(math.sqrt(0.5))
    assert grade(truth, guess, np.ones(2), regression=False) == pytest.approx(1 / 3)
