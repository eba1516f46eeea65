"""What a schema declares is read cell by cell: no cell decides how another one is read."""

from datetime import date, datetime, time

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import understudy as us
from understudy.table.by_cell import read_by_cell
from understudy.table.public import by_type
from understudy.table.schema import Column, Schema

BUDGET = us.Budget(epsilon=1.0, delta=1e-6)
TOLD = {
    "int64": Column(name="x", kind="numerical", type="int64"),
    "double": Column(name="x", kind="numerical", type="double"),
    "decimal": Column(name="x", kind="numerical", type="decimal128(9, 2)"),
    "bool": Column(name="x", kind="boolean", type="bool"),
    "string": Column(name="x", kind="categorical", type="string"),
    "date": Column(name="x", kind="date", type="date32[day]"),
    "moment": Column(name="x", kind="datetime", type="timestamp[s]"),
    "clock": Column(name="x", kind="time", type="time32[s]", form={"time": "HH:MM"}),
    "seconds": Column(name="x", kind="time", type="time32[s]"),
}
SPELLED = st.one_of(
    st.none(),
    st.text(max_size=6),
    st.integers().map(str),
    st.floats().map(str),
    st.from_regex(r"[+-]?0{0,3}[0-9]{1,40}(\\.[0-9]{0,9})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.dates().map(str),
    st.datetimes().map(str),
    st.times().map(str),
    st.sampled_from(
        ["true", "FALSE", "yes", "n/a", " 7 ", "1e999", "-1e400", "nan", "inf", "2024-02-30", "24:00:00"]
    ),
)


def read(told, *cells):
    return read_by_cell(TOLD[told], pa.chunked_array([cells], pa.string()))[1]


@pytest.mark.parametrize("told", TOLD)
@given(cells=st.lists(SPELLED, max_size=6), other=SPELLED)
def test_a_cell_is_read_alike_whatever_the_others_are(told, cells, other):
    alone, beside = read(told, *cells), read(told, *cells, other)
    assert alone.type == beside.type
    assert alone.combine_chunks().equals(beside.slice(0, len(cells)).combine_chunks())


@pytest.mark.parametrize(
    ("told", "cell", "value"),
    [
        ("int64", "007", 7), ("int64", "+7", 7), ("int64", " 7 ", 7), ("int64", "7.6", 8),
        ("int64", "1e3", 1000), ("int64", "9" * 18, int("9" * 18)), ("int64", "9" * 40, 2**63 - 1024),
        ("int64", "-1e99", -(2**63 - 1024)), ("int64", "1e999", None), ("int64", "seven", None),
        ("int64", "", None), ("int64", "0x7", None),
        ("double", ".5", 0.5), ("double", "5.", 5.0), ("double", "-1e-3", -0.001), ("double", "nan", None),
        ("double", "1,5", None), ("double", "inf", None), ("decimal", "1.25", 1.25), ("bool", "TRUE", True),
        ("bool", "false", False), ("bool", "1", None), ("string", "007", "007"), ("string", "", ""),
        ("date", "2024-02-29", date(2024, 2, 29)), ("date", "2023-02-29", None), ("date", "1/2/2024", None),
        ("moment", "2024-02-29 10:00:00", datetime(2024, 2, 29, 10)),
        ("moment", "2024-02-29T10:00:00", datetime(2024, 2, 29, 10)),
        ("moment", "2024-02-29T10:00:00.5", None),
        ("clock", "10:05", time(10, 5)), ("clock", "10:05:00", None),
        ("seconds", "10:05:00", time(10, 5)), ("seconds", "24:00:00", None),
    ],
)  # fmt: skip
def test_cells_are_read_as_they_are_meant(told, cell, value):
    assert read(told, cell).to_pylist() == [value]


@pytest.mark.parametrize(
    "told", [Column(name="x", kind="numerical"), Column(name="x", kind="time", type="time32[ms]")]
)
def test_what_the_schema_does_not_say_is_left_to_the_reader(told):
    assert read_by_cell(told, pa.chunked_array([["10:00:00"]])) is None


ROWS = [
    f"{20 + i % 50},{i * 0.5:.1f},{'yes' if i % 2 else 'no'},{i % 3}.50,2024-01-{1 + i % 28:02d}"
    for i in range(200)
]
SCHEMA = Schema.from_json(
    """{"columns": [
    {"name": "age", "kind": "numerical", "type": "int64", "resolution": 1.0,
     "bounds": {"low": 0, "high": 100}},
    {"name": "paid", "kind": "numerical", "type": "double", "resolution": 0.1,
     "bounds": {"low": 0.0, "high": 200.0}},
    {"name": "ok", "kind": "categorical", "type": "string", "levels": {"values": ["yes", "no"]}},
    {"name": "rate", "kind": "categorical", "type": "string", "levels": {"values": ["0.50", "1.50", "2.50"]}},
    {"name": "day", "kind": "date", "type": "date32[day]",
     "bounds": {"low": "2024-01-01", "high": "2024-12-31"}}
    ]}"""
)
ODD = [
    "n/a,1.0,yes,0.50,2024-01-01", "30.5,1.0,yes,0.50,2024-01-01", "030,1e3,yes,0.50,2024-01-01",
    "30,1.234567,yes,0.50,2024-01-01", "30,1.0,7,0.50,2024-01-01", "30,1.0,yes,0.5,2024-01-01",
    "30,1.0,yes,half,2024-01-01", "30,1.0,yes,0.50,1/2/2024", '"30",1.0,"yes",0.50,2024-01-01',
    "99999999999999999999,1.0,yes,0.50,2024-01-01", ",,,,",
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_row_of_a_file_changes_no_other_and_nothing_that_is_public(tmp_path, odd):
    tables = []
    for name, rows in (("plain", ROWS), ("odd", [*ROWS, odd])):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["age,paid,ok,rate,day", *rows]) + "\n")
        tables.append(us.read(path, schema=SCHEMA))
    plain, beside = (table.to_arrow() for table in tables)
    assert plain.schema.equals(beside.schema, check_metadata=True)
    assert plain.equals(beside.slice(0, len(ROWS)))
    assert by_type(tables[0], SCHEMA) == by_type(tables[1], SCHEMA)


def test_a_private_fit_of_a_path_reads_it_by_its_schema_and_others_look_at_all_cells(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("\n".join(["age,paid,ok,rate,day", *ROWS, ODD[0]]) + "\n")
    drawn = (
        us.synth.get("histogram")().fit(path, schema=SCHEMA, budget=BUDGET, progress=False).sample_table(50)
    )
    assert drawn.to_arrow().schema.field("age").type == pa.int64()
    with pytest.raises(us.UnderstudyError, match="does not fit the schema"):
        us.synth.get("histogram")().fit(path, schema=SCHEMA, progress=False)


def test_decimals_of_what_is_drawn_follow_from_the_declared_step(tmp_path):
    path = tmp_path / "paid.csv"
    path.write_text("age,paid,ok,rate,day\n" + "\n".join([*ROWS, ODD[3]]) + "\n")
    model = us.synth.get("histogram")().fit(path, schema=SCHEMA, budget=BUDGET, progress=False)
    model.sample_table(50, seed=0).write(tmp_path / "drawn.csv")
    cells = [line.split(",")[1] for line in (tmp_path / "drawn.csv").read_text().splitlines()[1:]]
    assert all(len(cell.partition(".")[2]) == 1 for cell in cells if cell)
