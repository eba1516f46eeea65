"""Groups keep the names of the schema's order, whatever order is computed in."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from measuring.people import independent, people
from understudy.measuring.group_trials import Groups, GroupTrial
from understudy.measuring.task import Task
from understudy.table.evidence import Evidence


def evidence(synthetic=None, target="rich", train=None):
    return Evidence(
        train=people(300, 1) if train is None else train,
        synthetic=people(300, 3) if synthetic is None else synthetic,
        holdout=people(200, 2),
        target=target,
    )


def trial(found, by="job", most=20, seed=0):
    rng = np.random.default_rng(seed)
    task = Task.of(found, rng)
    groups = Groups.of(found, task.train.column(by), most)
    return GroupTrial.of(task, groups, 10, 0, rng), task


def test_groups_are_the_largest_first_named_by_the_schemas_codes():
    found = evidence()
    column = found.coded("train").column("job")
    counts = np.bincount(found.coded("train")["job"], minlength=3)
    groups = Groups.of(found, column, 2)
    assert groups.labels == tuple(f"job={code}" for code in np.argsort(-counts)[:2])
    assert groups.codes == (0, 1)
    assert groups.left_out == 1


def test_shares_and_members_are_those_of_the_named_level():
    found, task = trial(evidence())
    names = evidence().coded("train")["job"]
    for place, label in enumerate(found.groups.labels):
        code = int(label.removeprefix("job="))
        assert found.shares[0][place] == pytest.approx((names == code).mean())
        assert found.inside[place].sum() == (evidence().coded("holdout")["job"] == code).sum()
    assert len(task.test) == found.inside.shape[1]


def test_missing_cells_are_a_group():
    holes = people(300, 1).set_column(1, "job", pa.array([None, "clerk", "nurse"] * 100))
    groups = Groups.of(evidence(train=holes), evidence(train=holes).coded("train").column("job"), 9)
    assert "job=missing" in groups.labels
    assert groups.codes[groups.labels.index("job=missing")] == -1


def test_the_same_rows_are_alike_in_every_group_and_unrelated_columns_are_not():
    same, _ = trial(evidence(synthetic=people(300, 1).slice(0)))
    assert same.fidelity.tolist() == [1.0, 1.0, 1.0]
    mixed, _ = trial(evidence(synthetic=independent(people(300, 1))))
    assert (mixed.fidelity < 0.95).all()


def test_fidelity_is_1_minus_the_mean_total_variation_of_the_other_columns():
    table = pa.table({"g": ["a"] * 20, "b": ["u", "v"] * 10, "y": ["n", "p"] * 10})
    other = pa.table({"g": ["a"] * 20, "b": ["u", "v", "v", "v"] * 5, "y": ["n", "p"] * 10})
    found = Evidence(train=table, synthetic=other, holdout=table.slice(0, 10))
    assert trial(found, by="g")[0].fidelity.tolist() == [pytest.approx(1 - 0.25 / 2)]


def test_a_group_that_the_synthetic_table_lacks_has_no_fidelity():
    jobs = ["clerk", "farmer"] * 150
    found, _ = trial(evidence(synthetic=people(300, 3).set_column(1, "job", pa.array(jobs))))
    nurse = int(np.argmin(found.shares[1]))
    assert math.isnan(found.fidelity[nurse])
    assert np.isfinite(np.delete(found.fidelity, nurse)).all()


def test_grades_are_those_of_the_rows_of_a_group_and_none_of_a_small_one():
    found, _ = trial(evidence())
    whole = np.ones(200)
    for place, rows in enumerate(found.inside):
        expected = (found.synthetic[rows] == found.truth[rows]).mean()
        assert found.grades("synthetic", whole, 1)[place] == pytest.approx(expected)
    smallest = int(found.inside.sum(axis=1).min())
    assert np.isnan(found.grades("real", whole, smallest + 1)).sum() >= 1


def test_quantities_are_graded_between_0_and_1():
    found, _ = trial(evidence(target="pay"))
    grades = found.grades("real", np.ones(len(found.truth)), 1)
    assert ((grades >= 0) & (grades <= 1)).all()
    assert grades.max() > 0.1
