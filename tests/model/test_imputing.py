"""Cells that are there stay, cells that are not are filled, and what cannot be filled is refused in words."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import understudy as us
from model.toy_generator import ToyRecipe
from understudy.errors import InputError, ParameterError, SchemaError
from understudy.model.sampler import IMPUTING
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.tables import half_missing, hostile_tables, people


def fitted(table, schema=None):
    return ToyRecipe().fit(table, schema=schema, progress=False)


def holed(table, rate=0.3, seed=0, but=()):
    """Return the table with cells of every column made missing."""
    rng = np.random.default_rng(seed)
    columns = {
        name: column
        if name in but
        else pa.array(column.to_pylist(), column.type, mask=rng.random(len(column)) < rate)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


@pytest.mark.parametrize("table", [people(), half_missing()], ids=["people", "half missing"])
def test_every_hole_of_a_modelled_column_is_filled_and_no_cell_is_changed(table):
    model, given = fitted(table), holed(table)
    filled = model.impute(given)
    assert filled.schema == given.schema
    for name in given.column_names:
        before, after = given[name].to_pylist(), filled[name].to_pylist()
        assert all(b == a for b, a in zip(before, after, strict=True) if b is not None)
        if model.schema.column(name).kind in {"id", "all_missing"}:
            assert before == after
        else:
            assert filled[name].null_count == 0


def test_what_is_filled_in_lies_in_the_schema():
    model = fitted(people())
    filled = model.impute(holed(people(), 0.6))
    assert set(filled["sex"].to_pylist()) == set(people()["sex"].to_pylist())
    ages = people()["age"].to_pylist()
    assert min(ages) <= min(filled["age"].to_pylist()) <= max(filled["age"].to_pylist()) <= max(ages)
    assert set(filled["country"].to_pylist()) == {"Utopia"}


def test_a_seed_fixes_what_is_filled_in():
    model, given = fitted(people()), holed(people())
    assert model.impute(given, seed=4).equals(model.impute(given, seed=4))
    assert not model.impute(given, seed=4).equals(model.impute(given, seed=5))
    with pytest.raises(ParameterError, match="seed"):
        model.impute(given, seed=-1)


def test_whole_rows_and_no_rows_come_back_as_they_are():
    whole = pa.table({"x": np.arange(50.0), "w": ["a", "b"] * 25})
    model = fitted(whole)
    assert model.impute(whole).equals(whole)
    assert model.impute(whole.slice(0, 0)).num_rows == 0
    only = hostile_tables()["only_ids"]
    assert fitted(only).impute(only).equals(only)


def test_a_pandas_frame_comes_back_with_its_types_and_its_index():
    frame = pd.DataFrame(
        {
            "n": pd.array([1, 2, 3, 4] * 10, dtype="Int64"),
            "x": np.arange(40.0),
            "w": pd.Categorical(["a", "b", "b", "c"] * 10, categories=["c", "b", "a"], ordered=True),
        }
    )
    model = fitted(frame)
    given = frame.copy()
    given.loc[::3] = None
    given = given.iloc[::-1]
    filled = model.impute(given)
    assert isinstance(filled, pd.DataFrame)
    assert filled.dtypes.equals(frame.dtypes)
    assert filled.index.equals(given.index)
    assert not filled.isna().any().any()
    there = ~given["x"].isna()
    assert filled[there].equals(given[there])


def test_polars_frames_tables_and_files_come_back_as_what_they_are(tmp_path):
    frame = pl.DataFrame({"n": [1, 2, None, 4] * 10, "w": ["a", None, "b", "a"] * 10})
    model = fitted(frame)
    assert isinstance(model.impute(frame), pl.DataFrame)
    assert model.impute(frame).null_count().sum_horizontal().item() == 0
    frame.write_parquet(tmp_path / "t.parquet")
    for given in (us.read(frame.to_arrow()).to_arrow(), Table(frame.to_arrow()), tmp_path / "t.parquet"):
        filled = model.impute(given)
        assert isinstance(filled, pa.Table if isinstance(given, pa.Table) else Table)


def test_a_model_of_whole_rows_fills_rows_with_holes():
    whole = pa.table(
        {"x": np.arange(60.0), "n": np.arange(60) % 7, "w": pa.array(["a", "b", "c"] * 20)},
        schema=pa.schema(
            [pa.field(n, t, False) for n, t in [("x", "double"), ("n", "int64"), ("w", "string")]]
        ),
    )
    filled = fitted(whole).impute(holed(whole, 0.5))
    assert all(column.null_count == 0 for column in filled.columns)


def test_levels_that_a_dictionary_lacks_are_added_behind_its_own():
    model = fitted(pa.table({"w": ["a", "b", "c"] * 30, "x": np.arange(90.0)}))
    indices = pa.array([0, None, 1] * 30, pa.int8())
    words = pa.DictionaryArray.from_arrays(indices, pa.array(["c", "a"]))
    parts = pa.chunked_array([words, pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]))])
    filled = model.impute(pa.table({"w": parts, "x": np.arange(180.0) / 2.1}))["w"]
    assert filled.type == words.type and filled.null_count == 0
    assert set(filled.to_pylist()) == {"a", "b", "c"}
    assert filled.chunk(0).dictionary.to_pylist()[:2] == ["c", "a"]


def test_a_column_without_any_cell_takes_the_type_of_the_schema():
    model = fitted(pa.table({"w": ["a", "b"] * 20, "n": np.arange(40) % 9}))
    filled = model.impute(pa.table({"w": pa.nulls(5), "n": pa.array([1, 2, 3, None, None], pa.float64())}))
    assert filled["w"].type == pa.string() and filled["w"].null_count == 0
    assert filled["n"].type == pa.float64() and filled["n"].to_pylist()[:3] == [1.0, 2.0, 3.0]


def test_nan_counts_as_missing():
    model = fitted(pa.table({"x": np.arange(40.0), "n": np.arange(40) % 9}))
    filled = model.impute(pa.table({"x": [1.5, np.nan, None], "n": [1, None, 3]}))
    assert filled["x"].to_pylist()[0] == 1.5
    assert np.isfinite(filled["x"].to_numpy()).all()


def test_filled_rows_keep_the_rules_where_given_cells_let_them():
    rng = np.random.default_rng(0)
    low = rng.integers(0, 50, 300)
    table = pa.table({"low": low, "high": low + rng.integers(0, 50, 300)})
    schema = Schema.infer(Table(table)).model_copy(update={"rules": ("low <= high",)})
    model = fitted(table, Schema.from_json(schema.to_json()))
    given = holed(table, 0.5, but=("low",))
    filled = model.impute(given).to_pydict()
    assert all(low <= high for low, high in zip(filled["low"], filled["high"], strict=True))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"w": ["z"]}, "not among its levels"),
        ({"n": [1_000], "w": ["z"]}, "not among its levels"),
        ({"n": ["many"]}, "does not fit"),
        ({"more": [1]}, "does not name"),
        ({"w": None}, "lacks"),
    ],
)
def test_what_the_schema_does_not_know_is_refused(change, words):
    model = fitted(pa.table({"w": ["a", "b"] * 200, "n": np.arange(400) % 90}))
    cells = {"w": ["a"], "n": [None]} | change
    with pytest.raises(SchemaError, match=words) as refused:
        model.impute(pa.table({name: pa.array(cell) for name, cell in cells.items() if cell is not None}))
    assert "1000" not in str(refused.value) and "many" not in str(refused.value)


def test_a_type_without_room_is_named():
    model = fitted(pa.table({"n": np.arange(400) // 2 * 9, "x": np.arange(400.0)}))
    with pytest.raises(InputError, match=r"column 'n' of type int8 .*int64"):
        model.impute(pa.table({"n": pa.array([1, None, None, None], pa.int8()), "x": [1.0, 2.0, 3.0, 4.0]}))


def test_a_method_that_fills_no_cells_names_those_that_do():
    model = us.synth.get("histogram")().fit(people(), progress=False)
    with pytest.raises(InputError, match=IMPUTING[0]):
        model.impute(people())


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match="expected a table"):
        fitted(people()).impute([1, 2])


def test_cells_beyond_what_was_learned_stay_and_their_rows_are_filled():
    model = fitted(pa.table({"n": [1.0, 2.0, 3.0] * 20, "word": ["a", "b", "a"] * 20}))
    filled = model.impute(pa.table({"n": [3.0 + 1e-9, -1e9, None], "word": [None, None, "a"]}))
    assert filled["n"].to_pylist()[:2] == [3.0 + 1e-9, -1e9] and filled["n"].null_count == 0
    assert filled["word"].null_count == 0


def test_a_level_that_no_budget_told_stays_and_its_row_is_filled():
    rare = pa.table({"n": [float(n % 9) for n in range(600)], "word": ["rare", *["a", "b"] * 299, "a"]})
    budget = us.Budget(epsilon=1.0, delta=1e-6)
    model = us.synth.get("nflow").small().fit(rare, budget=budget, progress=False)
    assert "rare" not in model.schema.column("word").levels.values
    filled = model.impute(rare.set_column(0, "n", pa.nulls(600, pa.float64())), seed=0)
    assert filled["word"].equals(rare["word"]) and filled["n"].null_count == 0
