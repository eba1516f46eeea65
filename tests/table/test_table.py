"""A table: names that can be addressed, rows that cannot be changed, and a way out to every frame."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from understudy.errors import FrameError
from understudy.table.table import Table, refuse_bad_names


def test_a_table_knows_its_names_and_its_length():
    table = Table(pa.table({"age": [31, None], "sex": ["F", "M"]}))
    assert (len(table), table.names) == (2, ["age", "sex"])
    assert repr(table) == "Table(2 rows x 2 columns)"
    assert table.frame is None


def test_the_text_of_a_table_shows_no_cell():
    assert "secret" not in repr(Table(pa.table({"a": ["secret"]})))


@pytest.mark.parametrize(("names", "message"), [
    (["a", "a"], "columns 1 and 2 have the same name"),
    (["a", ""], "column 2 has no name"),
    (["   ", "b"], "column 1 has no name"),
    (["a", "\t\n"], "column 2 has no name"),
])  # fmt: skip
def test_names_that_cannot_be_addressed_are_refused_by_their_place(names, message):
    with pytest.raises(FrameError, match=message):
        Table(pa.table([[1], [2]], names=names))


@pytest.mark.parametrize("thing", [None, 5, "people.csv", {"a": [1]}, pd.DataFrame({"a": [1]})], ids=type)
def test_anything_but_an_arrow_table_is_refused_with_the_way_in(thing):
    with pytest.raises(FrameError, match=r"expected an Arrow table; .* try us\.read"):
        Table(thing)


def test_rows_go_out_as_arrow_pandas_and_polars():
    arrow = pa.table({"n": pa.array([2**60 + 1, None]), "s": ["x", "y"]})
    table = Table(arrow)
    assert table.to_arrow() is arrow
    assert pa.table(table).equals(arrow)
    assert table.to_pandas()["n"][0] == 2**60 + 1
    polars = pytest.importorskip("polars")
    assert isinstance(table.to_polars(), polars.DataFrame)
    assert table.to_polars()["n"].to_list() == [2**60 + 1, None]


def test_a_table_can_be_written_and_read_again(tmp_path):
    table = Table(pa.table({"n": [1, 2], "s": ["=1+1", "y"]}))
    path = table.write(tmp_path / "t.csv", raw_csv=True)
    assert us.read(path).to_arrow().column("s").to_pylist() == ["=1+1", "y"]
    guarded = table.write(tmp_path / "g.csv")
    assert us.read(guarded).to_arrow().column("s").to_pylist() == ["'=1+1", "y"]


def test_nothing_can_be_hung_on_a_table():
    with pytest.raises(AttributeError):
        Table(pa.table({"a": [1]})).extra = 1


def test_a_hundred_thousand_names_are_checked_quickly():
    names = [f"c{i}" for i in range(100_000)]
    refuse_bad_names(names)
    with pytest.raises(FrameError, match="columns 1 and 100001"):
        refuse_bad_names([*names, "c0"])
