from dataclasses import replace

import numpy as np
import pytest

from measuring.lessons import lesson
from understudy.errors import MissingExtra
from understudy.measuring.evaluators import EVALUATORS
from understudy.measuring.learner import learn
from understudy.measuring.search import start

BY_NAME = {each.name: each for each in EVALUATORS}


def guess(name, learned, tried, seed=0, **change):
    evaluator = BY_NAME[name]
    if evaluator.missing:
        pytest.skip(evaluator.missing)
    params = {**start(evaluator.space(regression=learned.regression)), **change}
    return learn(evaluator, params, learned, seed).guess(tried)


QUICK = [name for name in BY_NAME if name not in {"catboost", "ft_transformer"}]


@pytest.mark.parametrize("name", QUICK)
def test_every_evaluator_learns_classes_by_their_codes(name):
    right = guess(name, lesson(600), lesson(300, seed=1)) == lesson(300, seed=1).labels
    assert right.mean() > 0.85


@pytest.mark.parametrize("name", QUICK)
def test_every_evaluator_learns_numbers(name):
    tried = lesson(300, seed=1, regression=True)
    error = guess(name, lesson(600, regression=True), tried) - tried.labels
    assert np.sqrt(np.mean(error**2)) < 0.6 * tried.labels.std()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["catboost", "ft_transformer"])
@pytest.mark.parametrize("regression", [False, True])
def test_the_slow_evaluators_learn_too(name, regression):
    learned, tried = (lesson(rows, seed, regression) for rows, seed in ((600, 0), (300, 1)))
    found = guess(name, learned, tried)
    if regression:
        assert np.sqrt(np.mean((found - tried.labels) ** 2)) < 0.4 * tried.labels.std()
    else:
        assert (found == tried.labels).mean() > 0.9


def test_the_transformer_reads_cells_and_answers_in_codes():
    found = guess("ft_transformer", lesson(24), lesson(20), width=8, blocks=1)
    assert set(found.tolist()) <= {0, 5}


@pytest.mark.parametrize("name", ["forest", "mlp", "xgboost"])
def test_the_seed_decides_what_is_learned(name):
    learned = lesson(120)
    one, same = (guess(name, learned, lesson(50, seed=1), seed=4) for _ in range(2))
    assert np.array_equal(one, same)


@pytest.mark.parametrize("name", list(BY_NAME))
def test_from_rows_that_are_all_alike_the_most_frequent_class_is_learned(name):
    alike = lesson(1).take(np.zeros(9, np.int64))
    alike = replace(alike, labels=np.array([2, 2, 2, 2, 2, 7, 7, 7, 7], dtype=np.int32))
    assert guess(name, alike, lesson(4)).tolist() == [2, 2, 2, 2]


def test_from_one_class_that_class_is_learned():
    single = replace(lesson(30), labels=np.full(30, 6, dtype=np.int32))
    assert set(guess("linear", single, lesson(10)).tolist()) == {6}


def test_an_evaluator_whose_package_is_absent_gives_the_line_that_installs_it():
    absent = replace(BY_NAME["xgboost"], package="no_such_package_here")
    assert "pip install 'understudy[evaluate]'" in absent.missing
    with pytest.raises(MissingExtra, match="understudy\\[evaluate\\]"):
        learn(absent, {}, lesson(10), 0)
