"""Text that a schema says is times."""

import pandas as pd
import pyarrow as pa
import pytest

import understudy as us
from understudy.table.public import by_type
from understudy.table.said import as_said
from understudy.table.schema import Column, Schema
from understudy.table.table import Table

SPOILED = ["2019-05-24", "2019-02-30", "2100-02-29", "2020-02-29", "soon", "", None, "0000-01-01"]
BUDGET = us.Budget(epsilon=1.0, delta=1e-6)


def _read(cells, *, openly, **said):
    table, schema = as_said(
        us.read(pa.table({"at": cells})), Schema(columns=(Column(name="at", **said),)), openly=openly
    )
    return table.to_arrow().column("at"), schema.column("at")


@pytest.mark.parametrize("openly", [True, False])
def test_text_that_is_said_to_be_dates_is_read_as_dates(openly):
    cells, column = _read(["2019-05-24", "2020-02-29"], openly=openly, kind="date")
    assert cells.type == pa.date32()
    assert (column.type, column.form) == ("date32[day]", {"text": "string"})


def test_within_a_budget_each_cell_is_read_by_itself_and_what_is_no_date_is_missing():
    cells, _ = _read(SPOILED, openly=False, kind="date")
    assert [str(cell) for cell in cells.to_pylist() if cell] == ["2019-05-24", "2020-02-29"]
    assert len(cells) == len(SPOILED)


def test_where_rows_may_be_looked_at_a_column_with_other_cells_is_refused_with_what_to_do():
    schema = Schema.from_json('{"columns": [{"name": "at", "kind": "date"}]}')
    with pytest.raises(us.UnderstudyError, match="cannot be date; change its kind, convert it, or mend"):
        us.synth.get("histogram")().fit(pa.table({"at": SPOILED}), schema=schema, progress=False)


@pytest.mark.parametrize(
    ("picture", "good", "bad"),
    [
        ("YYYY-MM-DDTHH:MMZ", "2020-02-29T23:59Z", "2020-02-30T23:59Z"),
        ("YYYY-MM-DD HH:MM:SS", "2020-01-05 03:10:00", "2020-01-05 24:00:00"),
        ("YYYY-MM-DD HH:MM:SS.fffffffff", "2020-01-05 03:10:00.123456789", "2262-12-31 00:00:00.000000000"),
        ("YYYY-MM-DD HH:MM:SS+02:00", "2020-01-05 03:10:00+02:00", "0001-01-01 00:00:00+02:00"),
    ],
)
def test_within_a_budget_moments_are_read_as_their_form_says(picture, good, bad):
    cells, column = _read([good, bad], openly=False, kind="datetime", form={"time": picture})
    assert cells.is_valid().to_pylist() == [True, False]
    assert column.form == {"time": picture, "text": "string"}


def test_within_a_budget_moments_without_a_form_are_refused_by_their_type():
    table = pa.table({"at": ["2020-01-05 03:10:00"] * 30})
    schema = Schema.from_json('{"columns": [{"name": "at", "kind": "datetime"}]}')
    with pytest.raises(us.UnderstudyError, match='Within a budget say which: "form"'):
        us.synth.get("histogram")().fit(table, schema=schema, budget=BUDGET, progress=False)


def test_within_a_budget_no_cell_makes_dates_of_a_column_of_text():
    assert by_type(Table(pa.table({"at": ["2019-05-24"] * 5}))).column("at").kind == "categorical"


def test_within_a_budget_dates_as_text_come_back_as_text_in_spite_of_a_cell_that_is_none():
    frame = pd.DataFrame({"at": pd.date_range("2015-01-01", periods=300).strftime("%Y-%m-%d")})
    frame.loc[7, "at"] = "unknown"
    schema = Schema.from_json('{"columns": [{"name": "at", "kind": "date"}]}')
    fake = us.synth.get("histogram")().fit(frame, schema=schema, budget=BUDGET, progress=False).sample(20)
    assert fake.dtypes.equals(frame.dtypes)
    pd.to_datetime(fake["at"].dropna(), format="%Y-%m-%d")


def test_a_schema_without_text_that_is_times_is_given_back_as_it_is():
    table, schema = Table(pa.table({"a": [1]})), Schema(columns=(Column(name="a", kind="numerical"),))
    assert as_said(table, schema, openly=False) == (table, schema)


def test_the_condition_under_which_rows_were_picked_stays_with_them():
    table = Table(pa.table({"at": ["2019-05-24"]}), condition="picked by hand")
    read, _ = as_said(table, Schema(columns=(Column(name="at", kind="date"),)), openly=False)
    assert read.condition == "picked by hand"
