"""Reading CSV strictly: right, or a typed error with its line, and never a silent change."""

from __future__ import annotations

import csv
import gzip
import io
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from table.bad_csv import CANARY, CASES, Case
from understudy.errors import CsvError, ReadError, TooLarge, UnderstudyError
from understudy.table import csv_read
from understudy.table.csv_read import check_delimiter, read_csv
from understudy.table.csv_write import write_csv


@pytest.fixture
def reading(tmp_path: Path) -> Any:
    def read(content: bytes, **options: Any) -> pa.Table:
        path = tmp_path / "table.csv"
        path.write_bytes(content)
        return read_csv(path, **options)

    return read


def test_the_collection_is_large_and_its_names_are_distinct() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(
        {case.content + repr(case.options).encode() for case in CASES}
    )
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", [c for c in CASES if c.error], ids=lambda c: c.name)
def test_a_broken_file_is_refused_with_its_line_and_without_its_cells(case: Case, reading: Any) -> None:
    with pytest.raises(UnderstudyError) as caught:
        reading(case.content, **case.options)
    assert type(caught.value) is case.error
    if case.line is not None:
        assert getattr(caught.value, "line", None) == case.line
    if case.column is not None:
        assert getattr(caught.value, "column", None) == case.column
    assert caught.value.exit_code == 2
    chain: BaseException | None = caught.value
    while chain is not None and not chain.__suppress_context__:
        assert CANARY not in str(chain)
        chain = chain.__context__
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("case", [c for c in CASES if not c.error], ids=lambda c: c.name)
def test_an_odd_file_gives_exactly_its_cells(case: Case, reading: Any) -> None:
    assert reading(case.content, **case.options).to_pydict() == case.cells


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
SPECIAL = st.text(st.sampled_from(list("\",;\r\n\t 'ab1.-=")), max_size=6)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """Rows of text in one width, the first a header of distinct non-blank names."""
    width = draw(st.integers(1, 5))
    rows = draw(st.lists(st.lists(TEXTS | SPECIAL, min_size=width, max_size=width), max_size=6))
    return [[f"c{i}{'x' * i}" for i in range(width)], *rows]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=tables(),
    end=st.sampled_from(["\n", "\r\n"]),
    every=st.booleans(),
    delimiter=st.sampled_from(",;\t|"),
)
@example(rows=[["c0"], [""]], end="\n", every=True, delimiter=",")
def test_well_formed_files_read_as_the_standard_library_reads_them(
    rows: list[list[str]], end: str, every: bool, delimiter: str, reading: Any
) -> None:
    file = io.StringIO(newline="")
    # With a bare LF the standard writer leaves CR unquoted, which no strict reader can accept.
    every = every or (end == "\n" and any("\r" in cell for row in rows for cell in row))
    csv.writer(file, lineterminator=end, quoting=1 if every else 0, delimiter=delimiter).writerows(rows)
    table = reading(file.getvalue().encode(), delimiter=delimiter)
    assert table.num_rows == len(rows) - 1
    shown = _as_text(table, delimiter)
    oracle = list(csv.reader(io.StringIO(file.getvalue(), newline=""), delimiter=delimiter))
    assert [_plain(row) for row in shown] == [_plain(row) for row in oracle]


def _as_text(table: pa.Table, delimiter: str) -> list[list[str]]:
    file = io.BytesIO()
    write_csv(table, file, raw=True, delimiter=delimiter)
    return list(csv.reader(io.StringIO(file.getvalue().decode(), newline=""), delimiter=delimiter))


def _plain(row: list[str]) -> list[Any]:
    # A float may be spelled in another way; the number must be the same.
    return [float(cell) if _is_float(cell) else cell for cell in row or [""]]


def _is_float(cell: str) -> bool:
    return (
        any(c in cell for c in ".eE")
        and cell.isascii()
        and cell.strip("0123456789.-eE") == ""
        and _parses(cell)
    )


def _parses(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tables(), raw=st.booleans())
def test_read_write_read_keeps_every_cell(rows: list[list[str]], raw: bool, reading: Any) -> None:
    table = pa.table(
        {name: pa.array([row[i] for row in rows[1:]], pa.string()) for i, name in enumerate(rows[0])}
    )
    file = io.BytesIO()
    write_csv(table, file, raw=raw)
    again = reading(file.getvalue(), guarded=not raw)
    file = io.BytesIO()
    write_csv(again, file, raw=raw)
    assert reading(file.getvalue(), guarded=not raw).equals(again)
    for before, after in zip(table.columns, again.columns, strict=True):
        if pa.types.is_string(after.type):
            assert after.to_pylist() == before.to_pylist()


def test_unquoted_empty_is_missing_and_quoted_empty_is_empty_text(reading: Any) -> None:
    table = reading(b'text,number\na,1\n,\n"",""\n')
    assert table.to_pydict() == {"text": ["a", None, ""], "number": [1, None, None]}


_WORDS = """
NA N/A n/a NaN nan NAN None none NONE null NULL Null nil - -- ? . # #N/A #N/A! #DIV/0! inf -inf Inf INF
infinity 1e999 -1e999 TRUE true True yes no Y N 00501 007 +1 +1.5 1-2 1/2 1,5 0x1F 1_000 1e5x 1e e5 1.2.3
--1 -0 12:60 24:00 2020-02-30 2020-13-01 2020-1-1 01/02/2020 99:99 10% $5 1'000 ٣ ½ ∞
"""
TOKENS = _WORDS.split()


@pytest.mark.parametrize("position", ["first", "middle", "last", "alone"])
def test_words_that_other_readers_swallow_stay_as_they_are(position: str, reading: Any) -> None:
    assert len(TOKENS) >= 60
    for token in TOKENS:
        rows = {
            "first": [token, "x", "y"],
            "middle": ["x", token, "y"],
            "last": ["x", "y", token],
            "alone": [token],
        }
        table = reading("\n".join(["c", *(f'"{cell}"' for cell in rows[position])]).encode())
        values = table.column("c").to_pylist()
        if position != "alone":
            assert values == rows[position], token
        elif not isinstance(values[0], str):
            assert (token, values[0]) in [("true", True), ("True", True), ("TRUE", True), ("-0", 0.0)]


def test_declared_spellings_are_missing_where_they_stand_unquoted(reading: Any) -> None:
    table = reading(b'a,b\nNA,NA\n1,x\n"NA","NA"\n-,-\n', missing=["NA", "-"])
    assert table.to_pydict() == {"a": [None, 1, None, None], "b": [None, "x", "NA", None]}


def test_a_column_that_is_empty_throughout_is_missing_text(reading: Any) -> None:
    table = reading(b"a,b\n1,\n2,\n")
    assert table.schema.field("b").type == pa.string()
    assert table.column("b").null_count == 2


def test_gzip_is_recognised_by_its_bytes_and_may_have_several_members(reading: Any) -> None:
    content = gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n")
    assert reading(content).to_pydict() == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize("cut", [1, 4, 8, 12, 20])
def test_a_cut_gzip_file_is_refused(cut: int, reading: Any) -> None:
    with pytest.raises(ReadError, match="cut short or damaged"):
        reading(gzip.compress(f"a,b\n1,{CANARY}\n".encode())[:-cut])


@pytest.mark.parametrize("fill", [b"1,2\n", b"a", b'"', b",", b"\n"])
def test_a_gzip_bomb_stops_at_the_cap(fill: bytes, reading: Any) -> None:
    content = gzip.compress(b"a,b\n" + fill * (2**26 // len(fill)))
    with pytest.raises(TooLarge):
        reading(content, limit_bytes=2**20)


def test_a_hundred_thousand_columns_are_read_in_time(reading: Any) -> None:
    width = 100_000
    names, row = ",".join(f"c{i}" for i in range(width)), ",".join(str(i) for i in range(width))
    start = time.perf_counter()
    table = reading(f"{names}\n{row}\n".encode())
    assert table.num_columns == width and table.column(width - 1).to_pylist() == [width - 1]
    assert time.perf_counter() - start < 60


def test_a_long_field_is_read_whole(reading: Any) -> None:
    text = "x,\n" * 5_000_000
    assert reading(f'a,b\n1,"{text}"\n'.encode()).column("b").to_pylist() == [text]


def test_what_is_not_a_readable_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.csv", tmp_path / ("n" * 300), Path("/dev/null")):
        with pytest.raises(ReadError):
            read_csv(path)


def test_a_delimiter_that_cannot_be_part_of_a_cell_is_accepted() -> None:
    for delimiter in ",;\t| ~^#!":
        check_delimiter(delimiter)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=60)
    | st.lists(
        st.sampled_from([b"a,b\n", b'"', b",", b"\n", b"\r", b"\0", b"\xff\xfe", b"1", b"\x1f\x8b"]),
        max_size=12,
    ).map(b"".join)
)
def test_any_bytes_at_all_give_a_table_or_a_typed_error(content: bytes, reading: Any) -> None:
    try:
        table = reading(content)
    except ReadError:
        return
    table.validate(full=True)


@pytest.mark.parametrize("at_once", [1, 8, 40, 2**29])
def test_reading_in_groups_of_columns_gives_the_same_table(
    at_once: int, reading: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_read, "TEXT_AT_ONCE", at_once)
    table = reading(b"a,b,c,d,e\n1,x,2020-01-01,1.50,true\n,y,,2.25,false\n")
    assert table.column_names == ["a", "b", "c", "d", "e"]
    assert [str(kind) for kind in table.schema.types] == ["int64", "string", "date32[day]", "double", "bool"]
    assert table.column("d").to_pylist() == [1.5, 2.25]


def test_blocks_of_the_parser_do_not_show(reading: Any) -> None:
    rows = [f'{i},"line {i}\nof ""text""",{i / 7!r}' for i in range(300_000)]
    table = reading(("a,b,c\n" + "\r\n".join(rows)).encode())
    assert table.column("b").num_chunks > 1
    assert table.column("a").to_pylist() == list(range(300_000))
    assert table.column("b")[299_999].as_py() == 'line 299999\nof "text"'
    assert table.column("c").to_pylist() == [i / 7 for i in range(300_000)]


def test_a_fault_names_the_file_it_is_in(reading: Any) -> None:
    with pytest.raises(CsvError, match=r"table\.csv': line 2 has 1 field where the header has 2"):
        reading(b"a,b\n1\n")


def test_real_tables_are_written_as_they_were_read(datasets: Path) -> None:
    for name in ("abalone", "faults", "insurance", "loan", "phishing", "robot", "bean", "housing", "cardio"):
        path, file = datasets / f"{name}.csv.gz", io.BytesIO()
        write_csv(read_csv(path), file)
        assert file.getvalue() == gzip.decompress(path.read_bytes()), name


@pytest.mark.parametrize("marks", [1, 2])
def test_a_byte_order_mark_in_the_first_cell_is_part_of_the_cell(reading: Any, marks: int) -> None:
    mark = "\ufeff" * marks
    table = reading(f"name,x\n{mark}Ann,1\n{mark}Bob,2\n".encode())
    assert table.to_pydict() == {"name": [f"{mark}Ann", f"{mark}Bob"], "x": [1, 2]}


def test_a_byte_order_mark_at_the_start_of_the_file_is_not(reading: Any) -> None:
    assert reading("\ufeffname\n\ufeffAnn\n".encode()).to_pydict() == {"name": ["\ufeffAnn"]}


@pytest.mark.parametrize("cells", [["9223372036854775808", "0.5"], ["0.5", "9223372036854775808"]])
def test_a_long_whole_number_beside_a_decimal_is_written_back_as_it_was(reading: Any, cells: Any) -> None:
    content = "\n".join(["a", *cells, ""]).encode()
    out = io.BytesIO()
    write_csv(reading(content), out)
    assert out.getvalue() == content


@pytest.mark.parametrize("cell", ["0000-01-01", "0000-12-31 10:00:00", "0001-01-01T00:00:00+02:00"])
def test_a_time_in_a_year_that_no_calendar_has_is_text(reading: Any, cell: str) -> None:
    assert reading(f"a\n{cell}\n".encode())["a"].to_pylist() == [cell]
