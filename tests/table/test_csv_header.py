"""The first record of a CSV file."""

from __future__ import annotations

import pytest

from understudy.errors import CsvError
from understudy.table.csv_header import LONGEST_NAME, Header, read_header


def test_the_header_says_where_the_rows_begin_and_how_lines_end() -> None:
    assert read_header(b"a,b\n1,2\n", ",") == Header(["a", "b"], 4, False)
    assert read_header(b"a,b\r\n1,2\r\n", ",") == Header(["a", "b"], 5, False)
    assert read_header(b"a,b\r1,2\r", ",") == Header(["a", "b"], 4, True)
    assert read_header(b"a,b", ",") == Header(["a", "b"], 3, False)


def test_quoted_names_may_hold_separators_quotes_and_line_ends() -> None:
    assert read_header(b'"a,b","c""d","e\nf"\n', ",").names == ["a,b", 'c"d', "e\nf"]


def test_a_name_is_kept_as_it_is_spelled() -> None:
    assert read_header(" a ,\u00e9,'x'\n".encode(), ",").names == [" a ", "\u00e9", "'x'"]


def test_the_longest_name_counts_characters_and_not_bytes() -> None:
    name = "\u6771" * LONGEST_NAME
    assert read_header(f"{name},b\n".encode(), ",").names == [name, "b"]


@pytest.mark.parametrize(
    ("content", "column"),
    [(b"a,,c\n", 2), (b"a,b,a\n", 3), (b"a;b\n", 1), (b'a,"b\n1,2\n', 2), (b'a,b"\n', 2), (b"x" * 1_001, 1)],
)
def test_a_bad_name_is_refused_by_its_number(content: bytes, column: int) -> None:
    with pytest.raises(CsvError) as caught:
        read_header(content, ",")
    assert (caught.value.line, caught.value.column) == (1, column)


def test_the_advice_names_the_separator_that_was_found() -> None:
    with pytest.raises(CsvError, match=r"pass delimiter='\\t'"):
        read_header(b"a\tb\n", ",")
    with pytest.raises(CsvError, match="pass delimiter=','"):
        read_header(b"a,b\n", ";")


def test_an_unclosed_quote_over_many_lines_is_found_in_time() -> None:
    with pytest.raises(CsvError, match="never closed"):
        read_header(b'a,"b\n' + b"1,2\n" * 1_000_000, ",")
