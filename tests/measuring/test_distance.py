import numpy as np
import pyarrow as pa
import pytest

from understudy.engines.neighbours.search import nearest
from understudy.measuring.distance import as_points
from understudy.table.evidence import Evidence


def evidence_of(real, synthetic, **more):
    tables = {name: pa.table(data) for name, data in {"train": real, "synthetic": synthetic, **more}.items()}
    return Evidence(**tables)


def distance(evidence, row=0, among=None):
    real, synthetic = (as_points(evidence.coded(role), among) for role in ("train", "synthetic"))
    return nearest(synthetic.take(np.array([row])), real.take(np.array([0]))).distances.item()


AGES = [2.0 + place for place in range(11)]  # a range of 10
SEXES = ["a"] * 6 + ["b"] * 5


def test_ranges_10_the_rows_2_a_and_7_b_are_one_and_a_half_apart():
    evidence = evidence_of({"x": AGES, "s": SEXES}, {"x": [7.0], "s": ["b"]})
    assert distance(evidence) == 1.5
    assert distance(evidence, among=["s"]) == 1 and distance(evidence, among=["x"]) == 0.5


def test_the_range_is_that_of_the_training_rows_whatever_the_others_hold():
    other = {"x": [-500.0] * 3, "s": ["a"] * 3}
    for role in ("holdout", "reference"):
        evidence = evidence_of({"x": AGES, "s": SEXES}, {"x": [7.0], "s": ["a"]}, **{role: other})
        assert distance(evidence) == 0.5
    assert distance(evidence_of({"x": AGES, "s": SEXES}, {"x": [7.0, 900.0], "s": ["a", "a"]})) == 0.5


def test_a_value_beyond_the_range_counts_no_more_than_1():
    assert distance(evidence_of({"x": AGES}, {"x": [1e9]})) == 1


def test_missing_cells_are_equal_to_each_other_and_1_from_all_others():
    evidence = evidence_of(
        {"x": [None, *AGES[1:]], "s": [None, *SEXES[1:]]}, {"x": [None, 7.0, None], "s": [None, None, "a"]}
    )
    assert [distance(evidence, row) for row in range(3)] == [0, 1, 1]


def test_a_level_that_no_real_row_has_is_equal_only_to_itself():
    evidence = evidence_of({"s": SEXES, "x": AGES}, {"s": ["new", "newer", "new"], "x": [2.0] * 3})
    synthetic = as_points(evidence.coded("synthetic"))
    ways = nearest(synthetic, synthetic, 3).distances
    assert ways.tolist() == [[0, 0, 1], [0, 1, 1], [0, 0, 1]]
    assert distance(evidence) == 1


def test_booleans_are_levels():
    evidence = evidence_of({"b": [True, False] * 6}, {"b": [False, True]})
    assert [distance(evidence, row) for row in (0, 1)] == [1, 0]


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_in_a_column_without_a_range_any_difference_counts_1_in_any_unit(unit):
    # Constant in the training rows, not in the holdout: a quantity whose range is nothing.
    holdout = {"x": [unit * (3 + place / 7) for place in range(30)]}
    evidence = evidence_of({"x": [3 * unit] * 12}, {"x": [3 * unit, 3.5 * unit]}, holdout=holdout)
    assert evidence.coded("train").column("x").quantity
    assert [distance(evidence, row) for row in (0, 1)] == [0, 1]


def test_the_distance_does_not_depend_on_the_unit():
    rng = np.random.default_rng(0)
    real, synthetic = rng.integers(0, 90, (200, 3)), rng.integers(0, 90, (100, 3))

    def found(scale, shift):
        sides = [
            {name: side[:, j] * scale + shift for j, name in enumerate("xyz")} for side in (real, synthetic)
        ]
        evidence = evidence_of(*sides)
        return nearest(as_points(evidence.coded("synthetic")), as_points(evidence.coded("train")), 4)

    metres, feet = found(1.0, 0.0), found(0.3048, 7.0)
    assert (metres.rows == feet.rows).all() and (metres.distances == feet.distances).all()
