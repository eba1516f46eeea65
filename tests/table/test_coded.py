import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.table.coded import CodedColumn, CodedTable

AGE = CodedColumn("age", quantity=True, low=0.0, high=4.0)
SEX = CodedColumn("sex", levels=3, known=2)
TABLE = CodedTable(
    (AGE, SEX),
    {"age": np.array([0.0, 1.0, 2.0, np.nan, 4.0]), "sex": np.array([0, 1, 2, -1, 0], dtype=np.int32)},
)


def test_a_table_of_other_columns_than_its_domain_is_refused():
    with pytest.raises(ParameterError, match="different columns"):
        CodedTable((AGE,), {"sex": np.zeros(1, dtype=np.int32)})


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ParameterError, match="different lengths"):
        CodedTable((AGE, SEX), {"age": np.zeros(2), "sex": np.zeros(1, dtype=np.int32)})


def test_quantities_and_categories_are_told_apart():
    assert TABLE.quantities == (AGE,) and TABLE.categories == (SEX,)
    assert list(TABLE.pairs()) == [(AGE, SEX)]
    assert TABLE.column("sex") is SEX


def test_a_column_that_is_not_there_is_refused_by_name():
    with pytest.raises(ParameterError, match="there is no column 'height'"):
        TABLE.column("height")


@pytest.mark.parametrize(
    ("low", "high", "span"), [(0.0, 4.0, 4.0), (2.0, 2.0, 1.0), (np.nan, np.nan, 1.0), (-1e308, 1e308, 1.0)]
)
def test_a_span_is_the_training_range_or_1(low, high, span):
    assert CodedColumn("x", quantity=True, low=low, high=high).span == span


def test_rows_are_taken_in_the_given_order():
    assert TABLE.take(np.array([4, 0]))["age"].tolist() == [4.0, 0.0]


def test_drawing_takes_no_row_twice_and_keeps_the_order():
    drawn = TABLE.draw(3, np.random.default_rng(0))
    places = [TABLE["sex"].tolist().index(code) for code in drawn["sex"] if code != 0]
    assert len(drawn) == 3 and places == sorted(set(places))
    assert TABLE.draw(5, np.random.default_rng(0)) is TABLE
    assert TABLE.draw(99, np.random.default_rng(0)) is TABLE


def test_redrawing_gives_any_number_of_rows():
    assert len(TABLE.redraw(50, np.random.default_rng(0))) == 50
    assert set(TABLE.redraw(50, np.random.default_rng(0))["sex"]) <= {-1, 0, 1, 2}


@pytest.mark.parametrize("first", [0, 2, 5])
def test_a_split_shares_no_row_and_loses_none(first):
    one, other = TABLE.split(first, np.random.default_rng(1))
    assert (len(one), len(other)) == (first, 5 - first)
    both = np.concatenate([one["age"], other["age"]])
    assert sorted(both[~np.isnan(both)]) == [0.0, 1.0, 2.0, 4.0]


def test_joined_tables_hold_the_rows_of_both():
    assert TABLE.joined(TABLE)["sex"].tolist() == [0, 1, 2, -1, 0] * 2


def test_taking_rows_leaves_the_table_as_it_was():
    TABLE.take(np.array([0]))["age"][0] = 99.0
    assert TABLE["age"][0] == 0.0
