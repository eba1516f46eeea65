import numpy as np
import pyarrow as pa
import pytest

from known_tables import drawn
from understudy.measuring.relations import Relations, quantity_matrix
from understudy.table.evidence import Evidence


def relations(table):
    return Relations.of(Evidence(train=table, synthetic=table).coded("train"))


def test_every_two_columns_have_their_association():
    found = relations(drawn(500, 0, holes=0.1))
    assert found.quantities.shape == (1,) and found.levels.shape == (2, 1) and found.mixed.shape == (4,)
    assert len(found.all) == 7 and not np.isnan(found.all).any()


def test_the_two_directions_of_a_pair_of_levels_stand_above_each_other():
    found = relations(pa.table({"fine": list("abcd"), "coarse": list("xxyy")}))
    assert sorted(found.levels.ravel()) == pytest.approx([0.5, 1.0])


def test_a_constant_column_is_associated_with_nothing():
    table = pa.table({"a": list("xyxy"), "b": list("zzzz"), "c": [1.5, 2.5, 3.5, 4.0]})
    found = relations(table)
    assert np.isnan(found.levels).all()
    assert np.isnan(found.mixed).sum() == 1


def test_a_table_without_quantities_or_without_levels_has_none_of_theirs():
    table = drawn(50, 0)
    levels = relations(table.select(["place", "own"]))
    assert (len(levels.quantities), len(levels.mixed)) == (0, 0)
    numbers = relations(table.select(["age", "income"]))
    assert (numbers.levels.size, len(numbers.mixed)) == (0, 0)
    coded = Evidence(train=table, synthetic=table).coded("train")
    assert quantity_matrix(coded).shape == (50, 2)
