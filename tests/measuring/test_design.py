"""A design has a column for what a statistician would name, and no value of a cell in its labels."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from measuring.people import people, with_other_names
from understudy.measuring.design import Design
from understudy.table.evidence import Evidence

REAL = {"x": [1.0, 2.0, None, 5.0] * 25, "a": ["u"] * 60 + ["v"] * 38 + ["w", None], "y": ["n", "p"] * 50}
STRANGE = REAL | {"a": ["new"] * 100}


def coded(synthetic=STRANGE):
    evidence = Evidence(train=pa.table(REAL), synthetic=pa.table(synthetic), target="y")
    return evidence.coded("train"), evidence.coded("synthetic")


def column(design, matrix, label):
    return matrix[:, design.labels.index(label)]


def test_levels_stand_against_the_most_frequent_and_rare_ones_together():
    real, _ = coded()
    design = Design.fit(real, "y", rare=0.05)
    assert design.labels == ("a=1", "a rest", "a missing", "x", "x missing")
    matrix = design.matrix(real)
    assert column(design, matrix, "a=1").sum() == 38
    assert column(design, matrix, "a rest").sum() == 1
    assert column(design, matrix, "a missing").sum() == 1


def test_levels_that_no_real_row_has_are_among_the_rest():
    real, synthetic = coded()
    design = Design.fit(real, "y", rare=0.0)
    assert column(design, design.matrix(synthetic), "a rest").tolist() == [1.0] * 100


def test_a_missing_quantity_stands_at_the_median_and_is_marked():
    real, _ = coded()
    design = Design.fit(real, "y", rare=0.0)
    matrix = design.matrix(real)
    holes = column(design, matrix, "x missing") == 1
    assert holes.sum() == 25
    assert set(column(design, matrix, "x")[holes]) == {column(design, matrix, "x")[1]}


def test_quantities_are_in_deviations_of_the_real_rows():
    real, _ = coded()
    values = np.array([1.0, 2.0, 5.0])
    found = column(design := Design.fit(real, "y", 0.0), design.matrix(real), "x")
    np.testing.assert_allclose(found[[0, 1, 3]], (values - values.mean()) / values.std())


def test_a_response_of_levels_is_the_most_frequent_one_against_all_others():
    real, synthetic = coded()
    design = Design.fit(real, "a", rare=0.0)
    assert design.response(real).sum() == 60
    assert design.response(synthetic).sum() == 0


def test_a_response_of_numbers_is_in_deviations_too():
    table = Evidence(train=people(80, 1), synthetic=people(80, 2), target="age").coded("train")
    response = Design.fit(table, "age", 0.0).response(table)
    np.testing.assert_allclose([response.mean(), response.std()], [0, 1], atol=1e-9)


def test_the_target_is_no_term():
    real, _ = coded()
    assert not any(label.startswith("a") for label in Design.fit(real, "a", 0.0).labels)


def test_labels_hold_codes_and_terms_do_not_hang_on_what_levels_are_called():
    plain, other = (
        Evidence(train=change(people(200, 1)), synthetic=change(people(100, 2)), target="rich").coded("train")
        for change in (lambda table: table, with_other_names)
    )
    one, two = (Design.fit(table, "rich", 0.01) for table in (plain, other))
    np.testing.assert_allclose(one.matrix(plain), two.matrix(other))
    assert not any(name in label for label in one.labels for name in ("clerk", "farmer", "nurse"))


def test_a_table_of_the_target_alone_has_an_empty_design():
    table = Evidence(train=pa.table({"y": ["a", "b"]}), synthetic=pa.table({"y": ["a"]})).coded("train")
    assert Design.fit(table, "y", 0.0).matrix(table).shape == (2, 0)
