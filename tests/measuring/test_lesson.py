import numpy as np
import pyarrow as pa
import pytest

from understudy.measuring.lesson import Lesson
from understudy.measuring.task import Task
from understudy.table.evidence import Evidence


def task(target):
    real = pa.table(
        {
            "age": [float(i) for i in range(1, 41)],
            "sex": ["F", "M", None, "F"] * 10,
            "pay": [None, *(float(i % 7) for i in range(39))],
        }
    )
    synthetic = pa.table({"age": [5.0, 1e9], "sex": ["X", "F"], "pay": [1.0, None]})
    evidence = Evidence(train=real, holdout=real.slice(0, 20), synthetic=synthetic, target=target)
    return Task.of(evidence, np.random.default_rng(0), scaling="normal")


def test_cells_are_scaled_numbers_first_and_then_codes():
    found = task("sex")
    lesson = Lesson.of(found, found.synthetic)
    assert lesson.quantities == 2 and lesson.levels == ()
    numbers = Lesson.of(found, found.train).cells
    assert np.abs(np.nanmean(numbers, axis=0)).max() < 0.3


def test_a_missing_number_is_nan_and_a_missing_or_unknown_level_keeps_its_code():
    found = task("age")
    lesson = Lesson.of(found, found.train)
    assert lesson.quantities == 1 and lesson.levels == (2,)
    assert np.isnan(lesson.cells[:, 0]).sum() == 1
    assert set(lesson.cells[:, 1].tolist()) == {-1.0, 0.0, 1.0}
    assert Lesson.of(found, found.synthetic).cells[:, 1].max() == 2.0


def test_a_quantity_to_predict_is_given_as_normal_scores_of_the_training_rows():
    found = task("age")
    lesson = Lesson.of(found, found.train)
    assert lesson.regression and lesson.labels.mean() == pytest.approx(0, abs=0.05)
    assert Lesson.of(found, found.synthetic).labels.max() == pytest.approx(lesson.labels.max())


def test_rows_are_taken_from_features_and_labels_alike():
    found = task("age")
    lesson = Lesson.of(found, found.train)
    few = lesson.take(np.array([3, 1]))
    assert len(few) == 2
    assert np.array_equal(few.matrix, lesson.matrix[[3, 1]]) and np.array_equal(
        few.labels, lesson.labels[[3, 1]]
    )
