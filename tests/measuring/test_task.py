"""A task is fit for every table, or says what it lacks."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import people
from understudy.errors import ParameterError, TooFewRows
from understudy.measuring.task import Task, target_of
from understudy.table.evidence import Evidence

REAL = {"x": [0.5, 1.5, 2.5, 3.5] * 10, "a": ["u", "v", None, "v"] * 10, "y": ["n", "p", "p", None] * 10}


def evidence(train=None, synthetic=None, **more):
    train = pa.table(REAL) if train is None else train
    synthetic = pa.table(REAL).slice(0, 12) if synthetic is None else synthetic
    return Evidence(train=train, synthetic=synthetic, **more)


def task(seed=0, **settings):
    found = settings.pop("evidence", None) or evidence(holdout=pa.table(REAL).slice(0, 20))
    return Task.of(found, np.random.default_rng(seed), **settings)


def test_rows_without_a_target_are_left_out_of_every_table():
    found = task()
    assert (len(found.train), len(found.test), len(found.synthetic)) == (30, 15, 9)
    for table in (found.train, found.test, found.synthetic):
        assert (found.labels(table) >= 0).all()


def test_the_target_is_no_feature_in_any_form():
    found = task(target="a")
    assert all(not label.startswith("a") for label in found.encoder.labels)
    assert found.features(found.test).shape == (len(found.test), len(found.encoder.labels))


def test_the_last_column_is_the_target_unless_one_is_named_and_then_a_note_says_so():
    assert task().target.name == "y"
    assert task().notes[0] == "target: the last column, 'y'"
    assert task(target="x").notes == ()
    assert task(evidence=evidence(holdout=pa.table(REAL).slice(0, 20), target="a")).notes == ()
    assert task(evidence=evidence(target="a")).target.name == "a"


@pytest.mark.parametrize("name", ["z", "X", " x", "y missing"])
def test_a_target_that_is_no_column_is_refused_by_name(name):
    with pytest.raises(ParameterError, match=r"^task: target must be a column that can be judged; got "):
        task(target=name)


def test_a_column_of_ids_cannot_be_the_target():
    ids = pa.table({"id": [f"p{n:05}" for n in range(60)], "x": np.arange(60) % 7, "y": ["a", "b"] * 30})
    with pytest.raises(ParameterError, match="target must be a column that can be judged"):
        task(evidence=evidence(train=ids, synthetic=ids.slice(0, 30)), target="id")


@pytest.mark.parametrize("role", ["train", "test", "synthetic"])
def test_a_table_without_two_known_targets_is_named(role):
    none = pa.table(REAL | {"y": pa.array([None] * 39 + ["p"])})
    tables = {"train": pa.table(REAL), "holdout": pa.table(REAL).slice(0, 20), "synthetic": pa.table(REAL)}
    tables[{"test": "holdout"}.get(role, role)] = none
    with pytest.raises(TooFewRows, match=f"the {role} table has fewer than 2 rows with a known 'y'"):
        task(evidence=Evidence(**tables))


def test_too_few_rows_never_show_a_cell():
    table = pa.table({"x": [1.5, 2.5], "y": ["Ottilie", "Ottilie"]})
    with pytest.raises(TooFewRows) as caught:
        task(evidence=evidence(train=table, synthetic=table))
    assert "Ottilie" not in str(caught.value)


def test_features_are_in_the_terms_of_the_real_rows_whatever_table_is_encoded():
    far = pa.table(REAL | {"x": [1_000.0] * 40})
    found = task(evidence=evidence(synthetic=far, holdout=pa.table(REAL).slice(0, 20)))
    place = found.encoder.labels.index("x")
    assert abs(found.features(found.train)[:, place].mean()) < 1e-12
    assert found.features(found.synthetic)[:, place].min() > 100


def test_normal_scores_rise_with_the_target_and_end_where_the_real_rows_end():
    found = Task.of(
        Evidence(train=people(300, 1), synthetic=people(200, 2), holdout=people(100, 3), target="pay"),
        np.random.default_rng(0),
    )
    labels, scores = found.labels(found.test), found.normal_labels(found.test)
    order = np.argsort(labels)
    assert (np.diff(scores[order]) >= 0).all()
    assert np.abs(found.normal_labels(found.train)).max() < 5.3
    assert found.is_regression
    assert abs(np.median(scores)) < 0.5


def test_the_null_learns_from_real_rows_that_are_tried_against_real_rows_of_its_other_half():
    found = Task.of(
        Evidence(train=people(200, 1), synthetic=people(500, 2), holdout=people(100, 3), target="rich"),
        np.random.default_rng(0),
    )
    null = found.of_real(np.random.default_rng(1))
    assert (len(null.train), len(null.synthetic)) == (100, 100)
    assert not set(null.train["age"]) & set(null.synthetic["age"])
    assert set(null.synthetic["age"]) < set(found.train["age"])
    assert null.encoder is found.encoder
    assert null.notes[-1] == "the null compares 100 with 100 real rows"


def test_the_reference_is_as_large_as_what_is_judged_if_the_real_table_is():
    small = task()
    assert len(small.reference(np.random.default_rng(0))) == len(small.synthetic) == 9
    large = Task.of(
        Evidence(train=people(50, 1), synthetic=people(90, 2), holdout=people(40, 3), target="rich"),
        np.random.default_rng(0),
    )
    assert len(large.reference(np.random.default_rng(0))) == 50


def test_the_same_seed_draws_the_same_rows_in_whatever_order_they_came():
    train, other = people(200, 1), people(150, 2)
    turned = train.take(np.random.default_rng(9).permutation(200))
    tables = [
        task(evidence=Evidence(train=each, synthetic=other, target="rich"), rows=40)
        for each in (train, turned)
    ]
    for role in ("train", "test", "synthetic"):
        one, two = (getattr(each, role) for each in tables)
        assert all(np.array_equal(one[name], two[name], equal_nan=name == "pay") for name in one.arrays)


def test_a_level_that_only_the_synthetic_table_has_is_a_target_behind_the_known_ones():
    strange = pa.table(REAL | {"y": ["new", "n"] * 20})
    found = task(evidence=evidence(synthetic=strange, holdout=pa.table(REAL).slice(0, 20)))
    assert found.labels(found.synthetic).max() == found.target.known == 2


def test_a_task_of_one_column_has_no_features():
    table = pa.table({"y": ["a", "b"] * 10})
    found = task(evidence=evidence(train=table, synthetic=table))
    assert found.features(found.test).shape == (5, 0)


def test_the_target_of_some_evidence_is_found_by_name():
    column = target_of(evidence(), "x")
    assert column.quantity
    assert not math.isnan(column.low)
    assert target_of(evidence(), "").name == "y"
