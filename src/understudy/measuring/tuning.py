"""Tuning: the parameters of an evaluator are chosen on real training rows alone, and then frozen.

The real training rows are split; parameters are tried on one part and graded on the other. Neither test rows
nor synthetic rows are at hand here. The search is random (Bergstra and Bengio 2012): trials are independent
draws from the space after the starting point, so the same seed gives the same parameters on every machine.
"""

from __future__ import annotations

import numpy as np

from understudy.measuring.affinity import grade
from understudy.measuring.learner import Evaluator, learn
from understudy.measuring.lesson import Lesson
from understudy.measuring.search import Params, draw, start

__all__ = ["tune"]

_VALIDATION = 0.2  # paper 004: a fifth of the training rows
_FEWEST = 10  # rows; fewer cannot tell parameters apart


def tune(evaluator: Evaluator, real: Lesson, trials: int, rng: np.random.Generator) -> Params:
    """Return the best of so many parameters, the first being the starting point; one trial needs no fit."""
    space = evaluator.space(regression=real.regression)
    if trials < 2 or len(real) < _FEWEST:
        return start(space)
    seed = int(rng.integers(2**31 - 1))
    order = rng.permutation(len(real))
    cut = int(len(real) * _VALIDATION)
    learned, judged = real.take(order[cut:]), real.take(order[:cut])
    tried = [start(space), *(draw(space, rng) for _ in range(trials - 1))]
    grades = [_grade(evaluator, params, learned, judged, seed) for params in tried]
    return tried[int(np.argmin(grades) if real.regression else np.argmax(grades))]


def _grade(evaluator: Evaluator, params: Params, learned: Lesson, judged: Lesson, seed: int) -> float:
    guess = learn(evaluator, params, learned, seed).guess(judged)
    return grade(judged.labels, guess, np.ones(len(judged)), regression=judged.regression)
