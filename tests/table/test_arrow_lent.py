"""Bytes lent to Arrow are back when the parser has answered."""

import pyarrow as pa
import pyarrow.csv
import pytest

from understudy.table import arrow_lent
from understudy.table.arrow_lent import parse_lent

TRIES = 3_000  # without waiting, a few in a hundred are still held: none of these would pass


def parse(data, kind=None):
    return parse_lent(
        data,
        read=pa.csv.ReadOptions(column_names=["a", "b"], block_size=2**22),
        parse=pa.csv.ParseOptions(),
        convert=pa.csv.ConvertOptions(column_types={"a": kind or pa.int64()}),
    )


def held(data):
    try:
        data.append(0)  # a bytearray that somebody reads cannot grow
    except BufferError:
        return True
    return False


def test_no_thread_holds_the_bytes_afterwards():
    assert not any(held(data) for data in (bytearray(b"1,2\n3,4\n") for _ in range(TRIES)) if parse(data))


def test_the_bytes_are_back_after_a_failure_too():
    data = bytearray(b"1,2\nx,4\n")
    with pytest.raises(pa.ArrowInvalid):
        parse(data)
    assert not held(data)


def test_a_part_of_a_larger_whole_is_parsed_without_a_copy():
    whole = bytearray(b"header\n1,2\n3,4\nrest")
    assert parse(memoryview(whole)[7:-4]).to_pylist() == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert not held(whole)


def test_waiting_has_an_end(monkeypatch):
    monkeypatch.setattr(arrow_lent, "WAIT", 0.01)
    view = memoryview(b"1,2\n")
    reader = pa.py_buffer(view)  # somebody who never lets go
    arrow_lent._take_back(view)
    assert reader.to_pybytes() == bytes(view)
