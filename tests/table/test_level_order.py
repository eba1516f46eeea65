import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.table.arrow_plain import plain
from understudy.table.level_order import in_order_of_types
from understudy.table.public import by_type
from understudy.table.read import read
from understudy.table.schema import Levels


def ordered(values, codes=(0,), is_ordered=True):
    codes = [-1 if code is None else code for code in codes]
    return read(pd.DataFrame({"x": pd.Categorical.from_codes(codes, values, ordered=is_ordered)}))


def ordered_in_arrow(values, codes=(0,)):
    cells = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values), ordered=True)
    return pa.table({"x": cells})


def placed(table, told, source="bought"):
    bare = by_type(table)
    column = bare.column("x").model_copy(update={"levels": Levels(values=told, source=source)})
    found = in_order_of_types(bare.model_copy(update={"columns": (column,)}), table).column("x").levels
    assert found.source == source
    return found.values


@pytest.mark.parametrize(
    ("values", "told", "expected"),
    [
        (["low", "mid", "high"], ("high", "low", "mid"), ("low", "mid", "high")),
        (["low", "mid", "high"], ("high", "low"), ("low", "high")),
        ([900, 3, 7], (3, 7, 900), (900, 3, 7)),
        ([2.5, 0.0], (0.0, 2.5), (2.5, 0.0)),
        (
            [dt.date(2020, 1, 1), dt.date(1999, 1, 1)],
            ("1999-01-01", "2020-01-01"),
            ("2020-01-01", "1999-01-01"),
        ),
    ],
    ids=str,
)
def test_levels_that_were_told_have_the_order_of_their_type(values, told, expected):
    assert placed(ordered(values), told) == expected


def test_which_categories_rows_hold_changes_no_order():
    values, told = ["low", "mid", "high"], ("high", "low", "mid")
    found = {placed(ordered(values, codes), told) for codes in ([0], [2, 1, 0], [2, 2], [None], [])}
    assert found == {("low", "mid", "high")}


def test_a_level_that_is_no_category_comes_last():
    assert placed(ordered(["b", "a"]), ("a", "b", "other")) == ("b", "a", "other")


def test_levels_of_types_without_an_order_stay_as_they_are():
    assert placed(ordered(["b", "a"], is_ordered=False), ("a", "b")) == ("a", "b")


def test_levels_that_somebody_declared_stay_as_they_are():
    assert placed(ordered(["b", "a"]), ("a", "b"), "declared") == ("a", "b")


def test_an_enum_of_polars_has_its_order_and_a_categorical_has_none():
    told = ("high", "low", "mid")
    enum = pl.DataFrame({"x": pl.Series(["mid"], dtype=pl.Enum(["low", "mid", "high"]))})
    assert placed(read(enum), told) == ("low", "mid", "high")
    assert placed(read(pl.DataFrame({"x": pl.Series(["low"], dtype=pl.Categorical)})), told) == told


def test_lists_that_lie_beside_the_rows_change_no_order(tmp_path):
    """Of Arrow and of files: there one row may decide what is listed first."""
    told = ("high", "low", "mid")
    one, all_three = ordered_in_arrow(["high"]), ordered_in_arrow(["low", "mid", "high"], [0, 1, 2])
    as_they_come = tmp_path / "plain.parquet"
    pq.write_table(pa.concat_tables([one, all_three]), as_they_come, use_dictionary=False)
    as_arrow_in_pandas = all_three.to_pandas(types_mapper=pd.ArrowDtype)
    for source in (all_three, pa.concat_tables([one, all_three]), as_they_come, as_arrow_in_pandas):
        assert placed(read(source), told) == told


def test_a_category_that_is_listed_twice_leaves_the_order_to_the_list_and_not_to_the_rows():
    from_rows = [ordered_in_arrow(["low", "mid", "low", "high"], codes) for codes in ([3, 1, 0], [2, 1, 3])]
    lists = [plain(table).column("x").chunk(0).dictionary.to_pylist() for table in from_rows]
    assert lists == [["low", "mid", "high"]] * 2
