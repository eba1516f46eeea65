import inspect
from dataclasses import replace

import numpy as np

from measuring.lessons import lesson
from understudy.measuring import tuning
from understudy.measuring.evaluators import EVALUATORS
from understudy.measuring.search import OneOf, start
from understudy.measuring.tuning import tune

TREE = next(each for each in EVALUATORS if each.name == "tree")
LINEAR = next(each for each in EVALUATORS if each.name == "linear")


def test_nothing_but_real_training_rows_can_be_given():
    assert list(inspect.signature(tune).parameters) == ["evaluator", "real", "trials", "rng"]


def test_one_trial_or_a_handful_of_rows_gives_the_starting_point():
    begin = start(TREE.space(regression=False))
    assert tune(TREE, lesson(300), 1, np.random.default_rng(0)) == begin
    assert tune(TREE, lesson(5), 20, np.random.default_rng(0)) == begin


def test_the_seed_decides_what_is_tried(monkeypatch):
    later = iter(range(100))
    monkeypatch.setattr(tuning, "_grade", lambda *_: next(later))  # the last is the best
    one, same, other = (tune(TREE, lesson(50), 3, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same and one != other


def test_rows_that_are_learned_are_never_those_that_judge(monkeypatch):
    seen = []

    def watched(_evaluator, _params, learned, judged, _seed):
        seen.append((learned.matrix[:, 0], judged.matrix[:, 0]))
        return 0.0

    monkeypatch.setattr(tuning, "_grade", watched)
    whole = lesson(100)
    tune(TREE, whole, 3, np.random.default_rng(0))
    for learned, judged in seen:
        assert len(judged) == 20 and not set(learned) & set(judged)
        assert set(learned) | set(judged) == set(whole.matrix[:, 0])


def test_the_best_of_the_tried_parameters_is_taken_for_scores_and_for_errors(monkeypatch):
    for regression in (False, True):
        grades = iter([0.5, 0.9, 0.1])
        tried = []

        def graded(_evaluator, params, *_, grades=grades, tried=tried):
            tried.append(params)
            return next(grades)

        monkeypatch.setattr(tuning, "_grade", graded)
        best = tune(LINEAR, lesson(50, regression=regression), 3, np.random.default_rng(0))
        assert best == tried[2 if regression else 1]


def test_the_depth_that_the_rows_call_for_is_found():
    shallow_first = replace(TREE, numbers={"max_depth": OneOf((1, 12))})
    assert tune(shallow_first, lesson(300, regression=True), 6, np.random.default_rng(0)) == {"max_depth": 12}
