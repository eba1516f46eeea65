"""Models learn from every table, and what is drawn again is only tried, never learned."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier
from threadpoolctl import threadpool_info

from understudy.measuring.trials import learn_classes, learn_numbers, one_thread, resampled, undefined

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))


def test_codes_that_are_not_0_to_k_come_back_as_they_were():
    labels = np.where(X[:, 0] > 0, 7, 3).astype(np.int32)
    learned = learn_classes(LogisticRegression(), X, labels)
    assert set(learned.guess(X)) == {3, 7}
    assert (learned.guess(X) == labels).mean() > 0.95


def test_the_chance_of_a_class_never_met_is_0_and_the_others_keep_their_place():
    labels = np.where(X[:, 0] > 0, 7, 3).astype(np.int32)
    chances = learn_classes(LogisticRegression(), X, labels).chances(X, np.array([7, 5, 3]))
    assert chances.shape == (200, 3)
    assert (chances[:, 1] == 0).all()
    assert np.allclose(chances.sum(axis=1), 1)
    assert chances[X[:, 0] > 1, 0].min() > 0.5


def test_one_class_is_always_guessed():
    learned = learn_classes(LogisticRegression(), X, np.full(200, 4))
    assert set(learned.guess(X)) == {4}
    assert learned.chances(X, np.array([4, 1])).tolist() == [[1.0, 0.0]] * 200


def test_without_features_the_most_frequent_class_is_guessed_and_chances_are_shares():
    empty = np.empty((4, 0))
    learned = learn_classes(LogisticRegression(), empty, np.array([2, 2, 2, 9]))
    assert learned.guess(empty).tolist() == [2, 2, 2, 2]
    assert learned.chances(empty, np.array([9])).ravel().tolist() == [0.25] * 4


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1e6, -3e6), (1e-6, 5.0)])
def test_the_unit_of_a_quantity_does_not_matter(scale, shift):
    values = 2 * X[:, 0] + 0.1 * X[:, 1]
    plain = learn_numbers(Ridge(), X, values).guess(X)
    other = learn_numbers(Ridge(), X, values * scale + shift).guess(X)
    np.testing.assert_allclose((other - shift) / scale, plain, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("values", [np.full(5, 2.5), np.array([1.0, 2.5, 9.0])])
def test_a_constant_or_a_table_without_features_is_guessed_by_its_median(values):
    features = np.zeros((len(values), 1 if values[0] == values[-1] else 0))
    assert learn_numbers(Ridge(), features, values).guess(features).tolist() == [2.5] * len(values)


def test_values_as_large_as_floats_are_learned_without_a_warning():
    values = np.where(X[:, 0] > 0, 4e307, -4e307)
    assert np.isfinite(learn_numbers(Ridge(), X * 1e300, values).guess(X * 1e300)).all()


def test_the_deviation_of_a_mean_is_found_by_drawing_rows_again():
    values = RNG.normal(size=400)
    draws = resampled(lambda w: float(w @ values / w.sum()), 400, 400, np.random.default_rng(1))
    assert np.std(draws) == pytest.approx(values.std() / 20, rel=0.15)
    assert np.mean(draws) == pytest.approx(values.mean(), abs=0.01)


def test_each_draw_has_as_many_rows_as_there_are():
    totals = resampled(lambda w: float(w.sum()), 30, 10, np.random.default_rng(0))
    assert totals == [30.0] * 10


def test_what_cannot_be_found_says_why():
    found = undefined("nothing is there", 7, ("beside it",))
    assert math.isnan(found.score.value)
    assert math.isnan(found.low)
    assert (found.n, found.notes) == (7, ("undefined: nothing is there", "beside it"))


def test_learning_keeps_to_one_thread_and_gives_the_others_back():
    before = [library["num_threads"] for library in threadpool_info()]
    with one_thread():
        assert {library["num_threads"] for library in threadpool_info()} <= {1}
    assert [library["num_threads"] for library in threadpool_info()] == before


def test_slow_convergence_is_silent_and_every_other_warning_is_heard():
    labels = (X[:, 0] > 0).astype(int)
    assert set(learn_classes(MLPClassifier(max_iter=2), X, labels).guess(X)) <= {0, 1}
    with pytest.raises(UserWarning, match="heard"), one_thread():
        warnings.warn("heard", UserWarning, stacklevel=1)
    with one_thread():
        warnings.warn("not heard", ConvergenceWarning, stacklevel=1)
