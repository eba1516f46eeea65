"""Text that was meant as numbers, and text that was not."""

import pyarrow as pa
import pytest

from understudy.table.number_like import number_like


@pytest.mark.parametrize(
    "cells",
    [
        ["27,9", "3,14", "0,5"],
        ["1,234", "12,345,678.50", "7"],
        ["1.234.567,89", "1 234", "1\u202f234"],
        ["12", "13.5", "NA", None, ""],
        [" 5", "-6 ", "unknown"],
        ["12 %", "$4.50", "3 \u20ac"],
        ["1.5e3", "\u22122", "?"],
    ],
)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_numbers_in_other_spellings_are_seen(cells, kind):
    assert number_like(pa.table({"x": pa.array(cells, kind)})) == ["x"]


@pytest.mark.parametrize(
    "cells",
    [
        ["007", "8", "9"],
        ["+41791234567", "+41791234568"],
        ["2024-05-31", "31.5.2024", "10:30"],
        ["536222222222222222222", "536222222222222222223"],
        ["a1", "b2", "3"],
        [None, None],
        ["", ""],
        [],
    ],
)
def test_codes_dates_and_words_are_no_numbers(cells):
    assert number_like(pa.table({"x": pa.array(cells, pa.string())})) == []


def test_ids_by_name_and_columns_of_other_types_are_left_aside():
    words = ["1", "2", "C3"]
    table = pa.table({"invoice_no": words, "n": [1, 2, 3], "level": pa.array(words).dictionary_encode()})
    assert number_like(table) == []
