"""Lessons that tests of evaluators and of their tuning share."""

import numpy as np

from understudy.measuring.lesson import Lesson


def lesson(rows, seed=0, regression=False):
    """Two numbers and a category; the label follows from the first number and the category."""
    rng = np.random.default_rng(seed)
    numbers, codes = rng.normal(size=(rows, 2)), rng.integers(3, size=rows)
    truth = numbers[:, 0] + (codes == 1)
    labels = truth if regression else (truth > 0.4).astype(np.int32) * 5
    matrix = np.column_stack([numbers, *(codes == code for code in range(3))])
    return Lesson(matrix, np.column_stack([numbers, codes]), 2, (3,), labels, regression)
