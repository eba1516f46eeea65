import pyarrow as pa
import pytest

from understudy import synth
from understudy.errors import ParameterError, SchemaError, TooFewRows
from understudy.synth.half import Half
from understudy.synth.histogram import Histogram
from understudy.table.schema import Column, Schema
from understudy.table.table import Table
from understudy.testing.tables import people


def fit(table, schema=None, recipe=None):
    return (recipe or Histogram()).fit(table, schema=schema, progress=False)


def test_looking_up_the_schema_and_opening_the_vault_are_two_infinite_entries():
    entries = fit(people(60)).certificate.entries
    assert [entry.phase for entry in entries] == ["schema", "train"]
    assert all(entry.infinite for entry in entries)


def test_a_schema_that_leaves_nothing_open_is_not_looked_up():
    declared = Schema.infer(Table(people(60))).declare()
    assert [entry.phase for entry in fit(people(60), declared).certificate.entries] == ["train"]


def test_the_entry_names_the_columns_that_were_looked_at_and_no_others():
    declared = Schema.infer(Table(people(60))).declare()
    columns = tuple(
        Column(name="age", kind="numerical", type=c.type, resolution=c.resolution) if c.name == "age" else c
        for c in declared.columns
    )
    entry = fit(people(60), Schema(columns=columns)).certificate.entries[0]
    assert entry.columns == ("age",)


def test_a_resolution_that_is_looked_up_counts_as_looking():
    table = pa.table({"paid": [number / 4 for number in range(60)]})
    declared = Schema.infer(Table(table)).declare()
    bare = declared.columns[0].model_copy(update={"resolution": None})
    assert fit(table, Schema(columns=(bare,))).certificate.entries[0].phase == "schema"


def test_too_few_rows_are_refused_with_both_numbers():
    fewest = Half.fewest_rows
    with pytest.raises(TooFewRows, match=f"at least {fewest} rows; got {fewest - 1}"):
        fit(people(60).slice(0, fewest - 1), recipe=Half())


def test_free_text_and_other_schemas_are_refused():
    with pytest.raises(SchemaError, match="free text"):
        fit(pa.table({"memo": ["a"]}), Schema(columns=(Column(name="memo", kind="text"),)))
    with pytest.raises(ParameterError, match=r"us\.Schema"):
        fit(people(60), {"columns": []})


@pytest.mark.parametrize("method", ["histogram", "ctgan", "adsgan", "nflow", "tabddpm"])
def test_that_all_cells_are_missing_is_read_off_the_rows(method):
    """One row that holds a number would have made another model."""
    empty = pa.table({name: pa.array([None] * 20, pa.float64()) for name in "ab"})
    certificate = synth.get(method)().fit(empty, progress=False).certificate
    assert certificate.status == "none" and not certificate.sound
    assert certificate.entries[0].columns == ("a", "b")
