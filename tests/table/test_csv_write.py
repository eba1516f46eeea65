"""Writing CSV that reads back cell by cell."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from understudy.errors import FrameError, InputError, ParameterError
from understudy.table import csv_write
from understudy.table.csv_read import read_csv
from understudy.table.csv_write import write_csv


def written(table: pa.Table, **options: Any) -> bytes:
    file = io.BytesIO()
    write_csv(table, file, **options)
    return file.getvalue()


def test_quotes_stand_only_where_they_are_needed() -> None:
    cells = ["x", "", None, "a,b", 'a"b', "a\nb", "a\rb", "a;b", " a ", "'"]
    shown = written(pa.table({"a": cells, "b": list(range(10))}))
    assert shown == b'a,b\nx,0\n"",1\n,2\n"a,b",3\n"a""b",4\n"a\nb",5\n"a\rb",6\na;b,7\n a ,8\n\',9\n'


def test_one_column_keeps_missing_and_empty_apart(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", None, "", None]})
    assert written(table) == b'a\nx\n\n""\n\n'
    (tmp_path / "t.csv").write_bytes(written(table))
    assert read_csv(tmp_path / "t.csv").equals(table)


def test_a_table_without_rows_is_its_header() -> None:
    assert written(pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})) == b"a,b\n"


def test_text_is_guarded_and_numbers_are_not() -> None:
    table = pa.table({"=t": ["=1", "-5", "'=1", "'s"], "-n": [-1, -2, -3, -4], "f": [-0.5, 1.5, None, 2.5]})
    assert written(table) == b"'=t,'-n,f\n'=1,-1,-0.5\n'-5,-2,1.5\n''=1,-3,\n's,-4,2.5\n"
    assert written(table, raw=True) == b"=t,-n,f\n=1,-1,-0.5\n-5,-2,1.5\n'=1,-3,\n's,-4,2.5\n"


def test_guarded_text_in_a_dictionary_is_guarded_too() -> None:
    assert written(pa.table({"a": pa.array(["=1", "x", None]).dictionary_encode()})) == b"a\n'=1\nx\n\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_every_delimiter_reads_back(delimiter: str, tmp_path: Path) -> None:
    moments = pa.array([0, None, 86_399], pa.timestamp("s"))
    table = pa.table({"a b;c,d\te|f": ["x y", "a;b,c\td|e", None], "t": moments, "n": [1, 2, None]})
    (tmp_path / "t.csv").write_bytes(written(table, delimiter=delimiter))
    assert read_csv(tmp_path / "t.csv", delimiter=delimiter).equals(table)


NAMES = [
    "a;b",
    "a\tb",
    "a|b",
    "\ufeffa",
    'a"b',
    "a\nb",
    " a",
    "=a",
    "'=a",
    "a,b",
    "PAR1",
    "🙂",
    "\u202ea",
    "-",
    "1",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alone", [True, False])
def test_every_name_reads_back(name: str, alone: bool, tmp_path: Path) -> None:
    table = pa.table({name: ["x", "y"]} if alone else {name: ["x", "y"], "other": [1, 2]})
    for raw in (True, False):
        (tmp_path / "t.csv").write_bytes(written(table, raw=raw))
        assert read_csv(tmp_path / "t.csv", guarded=not raw).equals(table)


def test_batches_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"a": [f"x{i}," for i in range(1_000)], "f": [i / 3 for i in range(1_000)]})
    whole = written(table)
    monkeypatch.setattr(csv_write, "BATCH", 100)
    assert written(table) == whole
    assert written(pa.concat_tables([table.slice(0, 7), table.slice(7)])) == whole


def test_the_standard_library_reads_what_is_written() -> None:
    table = pa.table({"a": ['x"y', "a\r\nb", ",", "z"], "b": [1.5, None, -0.0, 2.0]})
    rows = list(csv.reader(io.StringIO(written(table).decode(), newline="")))
    assert rows == [["a", "b"], ['x"y', "1.5"], ["a\r\nb", ""], [",", "-0"], ["z", "2"]]


def test_what_cannot_be_written_is_refused_before_a_byte_is() -> None:
    bad: list[tuple[pa.Table, type[Exception]]] = [
        (pa.table({}), InputError),
        (pa.table({"a": [[1]]}), InputError),
        (pa.table({"a": [b"x"]}), InputError),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), FrameError),
        (pa.table({" ": [1]}), FrameError),
        (pa.table({"a\0": [1]}), InputError),
    ]
    for table, error in bad:
        file = io.BytesIO()
        with pytest.raises(error):
            write_csv(table, file)
        assert file.getvalue() == b""
    with pytest.raises(ParameterError):
        written(pa.table({"a": [1]}), delimiter="ab")


def test_a_nul_in_a_cell_is_refused_by_its_column() -> None:
    with pytest.raises(InputError, match="column 'a' holds a NUL") as caught:
        written(pa.table({"a": ["secret\0"]}))
    assert "secret" not in str(caught.value)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6) | st.none()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(CELLS | st.sampled_from(["", "=1", "'", "'=", '"', "\n", ","]), max_size=8),
    alone=st.booleans(),
)
def test_text_of_any_kind_reads_back(cells: list[str | None], alone: bool, tmp_path: Path) -> None:
    # A word that no type takes keeps the column text.
    columns = {"a": pa.array(["word", *cells], pa.string())}
    table = pa.table(columns if alone else {**columns, "n": pa.array(range(len(cells) + 1))})
    (tmp_path / "t.csv").write_bytes(written(table))
    assert read_csv(tmp_path / "t.csv", guarded=True).equals(table)
