"""The scanner against a slow reader of the same rules, with block borders everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from understudy.errors import CsvError, TooLarge
from understudy.table import csv_scan
from understudy.table.csv_read import read_csv
from understudy.table.csv_scan import Part, Structure, scan, separators


def slow_scan(data: bytes, fields: int, lone_cr: bool) -> tuple[int, bool] | str:  # noqa: C901 (one loop is the plainest oracle)
    """Read byte by byte; return (records, line ends in quotes), or "fault" and its first place."""
    end_byte, wrong_byte = (13, 10) if lone_cr else (10, 13)
    inside, start_of_field, after_quote, found, records, quoted = False, True, False, 1, 0, False
    place = 0
    while place < len(data):
        byte = data[place]
        if inside:
            quoted |= byte in (10, 13)
            if byte == 34 and data[place + 1 : place + 2] == b'"':
                place += 1
            elif byte == 34:
                inside, after_quote = False, True
        elif byte == 34:
            if not start_of_field:
                return "fault"
            inside, start_of_field = True, False
        elif byte == 44:
            found, start_of_field, after_quote = found + 1, True, False
        elif byte == end_byte or (not lone_cr and data[place : place + 2] == b"\r\n"):
            place += 0 if byte == end_byte else 1
            if found != fields:
                return "fault"
            records, found, start_of_field, after_quote = records + 1, 1, True, False
        elif byte == wrong_byte or after_quote:
            return "fault"
        else:
            start_of_field = False
        place += 1
    finished = bool(data) and data[-1] == end_byte and start_of_field and found == 1
    if inside or (data and not finished and found != fields):
        return "fault"
    return records + (0 if finished or not data else 1), quoted


@settings(max_examples=1_500)
@given(
    pieces=st.lists(
        st.sampled_from([b'"', b",", b"\n", b"\r\n", b"\r", b"x", b'""', b"1,2\n", b'"a\nb",']), max_size=14
    ),
    fields=st.integers(1, 3),
    lone_cr=st.booleans(),
    block=st.integers(1, 9),
)
def test_the_scanner_agrees_with_a_slow_reader_at_every_block_size(
    pieces: list[bytes], fields: int, lone_cr: bool, block: int
) -> None:
    data = b"".join(pieces)
    expected = slow_scan(data, fields, lone_cr)
    whole = csv_scan.BLOCK
    csv_scan.BLOCK = block
    try:
        found = scan(Part(data, 0, len(data), fields=fields, lone_cr=lone_cr))
    except CsvError:
        assert expected == "fault"
    else:
        assert (found.records, found.quoted_line_ends) == expected
    finally:
        csv_scan.BLOCK = whole


@pytest.mark.parametrize("block", [1, 2, 3, 5, 8, 2**20])
def test_the_line_of_a_fault_does_not_depend_on_the_blocks(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_scan, "BLOCK", block)
    data = b'1,2\n"a\n\nb",4\n5,6,7\n'
    with pytest.raises(CsvError) as caught:
        scan(Part(data, 0, len(data), fields=2))
    assert caught.value.line == 5
    assert str(caught.value) == "CSV: line 5 has 3 fields where the header has 2; correct that line."


def test_an_unclosed_quote_is_named_where_it_opens() -> None:
    data = b'1,2\n3,"4\n5,6\n7,8\n'
    with pytest.raises(
        CsvError, match=r"line 2, column 2: a quote opens here .* \(noticed on line 4\)"
    ) as caught:
        scan(Part(data, 0, len(data), fields=2))
    assert (caught.value.line, caught.value.column) == (2, 2)


def test_the_longest_record_is_counted_with_its_line_end() -> None:
    data = b'1\n22222\n"3\n3"\n'
    assert scan(Part(data, 0, len(data), fields=1)) == Structure(3, 6, True)


def test_a_record_over_the_cap_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_scan, "LONGEST_RECORD", 10)
    data = b"1,2\n1,22222222222\n"
    with pytest.raises(TooLarge, match="line 2"):
        scan(Part(data, 0, len(data), fields=2))


def test_an_empty_part_has_no_records() -> None:
    assert scan(Part(b"", 0, 0, fields=2)).records == 0


def test_separators_inside_quotes_do_not_count() -> None:
    assert np.array_equal(separators(b'a,"b,""c",d', ord(",")), [1, 9])


def test_one_field_is_said_in_the_singular(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(CsvError, match="line 3 has 1 field where the header has 2"):
        read_csv(tmp_path / "a.csv")
