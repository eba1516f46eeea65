"""What each text column is, decided on all of its cells."""

from __future__ import annotations

import io
import random

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from understudy.table.csv_types import BOOLEAN, DECIMALS, POINT, TIME, WHOLE, type_column
from understudy.table.csv_write import write_csv


def column(*cells: str | None) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(cells, pa.string())])


TYPES = {
    "int64": [["1", "-2", "0"], ["9223372036854775807"], ["1", None], ["1", ""]],
    "decimal128(38, 0)": [["9223372036854775808", "1"], [str(2**64), None, "-5"]],
    "decimal256(76, 0)": [["1" * 39], ["1", "2" * 76]],
    "double": [["1.5", "2"], ["1", "2.5"], ["1e5"], ["12.50", "1.00"], ["-0", "1"], [".5"], ["0.1", ""]],
    "decimal128(38, 2)": [["12345678901234567890.12", "0.01"]],
    "bool": [["true", "false"], ["True", "False", None], ["FALSE"], ["false", ""]],
    "date32[day]": [["2024-02-29", "1999-12-31"], ["2024-01-01", None, ""]],
    "timestamp[s]": [["2024-02-29 10:30:00"], ["2024-02-29T10:30", None]],
    "timestamp[s, tz=UTC]": [["2024-02-29T10:30:00Z"]],
    "time32[s]": [["10:30", "23:59"]],
    "string": [
        ["00501", "1"], ["1", "00501"], ["+1"], ["1", "x"], ["x"], ["1" * 77], ["true", "False"], ["true",
        "yes"],
        ["TRUE", "1"], ["2024-02-30"], ["2024-01-01", "2024-1-2"], ["10:30", "10:30:00"], ["1", "1-2"],
        ["1", "NA"],
        ["1e999", "1.5"], ["nan", "1.5"], ["1.5", "nan"], ["inf"], ["1,5"], ["2024-01-01",
        "2024-01-01 10:00"],
        [""], [None], ["", None], [" 1"], ["1", " "], ["1", "1.5", "12345678901234567890.123"],
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "cells"), [(kind, cells) for kind, lists in TYPES.items() for cells in lists]
)
def test_the_type_of_a_column(kind: str, cells: list[str | None]) -> None:
    field, typed = type_column(column(*cells))
    assert str(field.type) == kind == str(typed.type)
    assert len(typed) == len(cells)
    if kind == "string":
        assert typed.to_pylist() == cells


@pytest.mark.parametrize("late", ["x", "007", "", "1.5", "9" * 20, "2024-01-01", "nan", "-0"])
def test_one_late_cell_decides_for_the_whole_column(late: str) -> None:
    cells = pa.chunked_array([pa.array(["1"] * 1_000) for _ in range(5)] + [pa.array([late])])
    field, typed = type_column(cells)
    assert (field.type == pa.int64()) is (late == "")
    assert len(typed) == 5_001


def test_spellings_are_kept_beside_the_column() -> None:
    assert type_column(column("12.50", "1.00"))[0].metadata == {DECIMALS: b"2"}
    assert type_column(column("TRUE"))[0].metadata == {BOOLEAN: b"TRUE"}
    assert type_column(column("2024-01-01T10:30Z"))[0].metadata == {TIME: b"YYYY-MM-DDTHH:MMZ"}
    assert type_column(column("1", "2.5"))[0].metadata is None
    assert type_column(column("2.25", "1.0"))[0].metadata == {WHOLE: POINT}
    assert type_column(column("2.25", "1.0", "1"))[0].metadata is None


def test_declared_blanks_are_missing_in_numbers_and_text_in_text() -> None:
    assert type_column(column("1", "NA", ""), ("", "NA"))[1].to_pylist() == [1, None, None]
    assert type_column(column("x", "NA", ""), ("", "NA"))[1].to_pylist() == ["x", "NA", ""]


ATOMS = st.one_of(
    st.integers(-(10**25), 10**25).map(str),
    st.floats().map(repr),
    st.decimals(-(10**6), 10**6, places=2).map(str),
    st.dates().map(str),
    st.datetimes().map(str),
    st.times().map(str),
    st.sampled_from(["true", "false", "True", "TRUE", "NA", "", "-0", "007", "1e5", "10:30", ".5", "5."]),
    st.text(st.sampled_from("0123456789.-+eE:T Z"), max_size=9),
)


@settings(max_examples=600)
@given(st.lists(ATOMS, min_size=1, max_size=4))
def test_writing_a_typed_column_gives_its_text_or_its_number_back(cells: list[str]) -> None:
    field, typed = type_column(column(*cells))
    file = io.BytesIO()
    write_csv(pa.table([typed], schema=pa.schema([field.with_name("c")])), file, raw=True)
    shown = file.getvalue().decode().split("\n")[1:-1]
    if pa.types.is_floating(field.type) and DECIMALS not in (field.metadata or {}):
        pairs = [(a, b) for a, b in zip(shown, cells, strict=True) if b]
        assert [float(a) for a, _ in pairs] == [float(b) for _, b in pairs]
        assert [a.startswith("-") for a, _ in pairs] == [b.startswith("-") for _, b in pairs]
    elif pa.types.is_string(field.type):
        assert typed.to_pylist() == cells
    else:
        assert shown == cells


def test_a_hundred_thousand_negative_numbers_are_untouched() -> None:
    rng = random.Random(1)
    cells = [f"-{rng.randrange(10**9)}.{rng.randrange(100):02d}" for _ in range(100_000)]
    field, typed = type_column(column(*cells))
    file = io.BytesIO()
    write_csv(pa.table([typed], schema=pa.schema([field.with_name("c")])), file)
    assert file.getvalue().decode().split("\n")[1:-1] == cells
