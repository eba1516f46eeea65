from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from understudy.errors import FrameError, ReadError, TooLarge, UnderstudyError
from understudy.table.files import read_arrow, read_parquet, write_arrow, write_parquet

CANARY = "canary-cell-19f3"
ROWS = 12_345
TABLE = pa.table(
    {
        "i": pa.array([1, None, 2**63 - 1], pa.int64()),
        "u": pa.array([1, None, 2**64 - 1], pa.uint64()),
        "f": pa.array([0.1, None, -0.0]),
        "g": pa.array([0.5, None, 1.5], pa.float32()),
        "b": pa.array([True, None, False]),
        "s": pa.array(["a", None, ""]),
        "l": pa.array([CANARY, None, "é"], pa.large_string()),
        "d": pa.array([Decimal("1.50"), None, Decimal("0.01")], pa.decimal128(12, 2)),
        "w": pa.array([Decimal(10) ** 50, None, Decimal(1)], pa.decimal256(60, 2)),
        "day": pa.array([dt.date(2020, 1, 1), None, dt.date(1, 1, 1)]),
        "time": pa.array([dt.time(1, 2, 3, 4), None, dt.time(0)], pa.time64("us")),
        "ns": pa.array([1, None, -1], pa.timestamp("ns")),
        "zone": pa.array([1, None, -1], pa.timestamp("us", "Europe/Berlin")),
        "span": pa.array([1, None, -1], pa.duration("us")),
        "level": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int32()), ["z", "a"], ordered=True),
    }
)
WAYS = {"parquet": (read_parquet, write_parquet), "arrow": (read_arrow, write_arrow)}


def written(path, table, way):
    with path.open("wb") as file:
        WAYS[way][1](table, file)
    return path


@pytest.mark.parametrize("way", WAYS)
def test_every_type_comes_back_as_it_went_in(tmp_path, way):
    after = WAYS[way][0](written(tmp_path / "t", TABLE, way))
    assert after.schema.equals(TABLE.schema)
    assert after.to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize("way", WAYS)
def test_a_table_without_rows_keeps_its_types(tmp_path, way):
    after = WAYS[way][0](written(tmp_path / "t", TABLE.slice(0, 0), way))
    assert after.schema.equals(TABLE.schema)


@pytest.mark.parametrize("way", WAYS)
def test_our_mark_on_the_schema_is_kept(tmp_path, way):
    marked = TABLE.replace_schema_metadata({"understudy": "synthetic"})
    assert WAYS[way][0](written(tmp_path / "t", marked, way)).schema.metadata == {b"understudy": b"synthetic"}


def test_chunks_with_different_dictionaries_go_into_one_arrow_file(tmp_path):
    chunks = [pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]
    path = written(tmp_path / "t", pa.table({"x": pa.chunked_array(chunks)}), "arrow")
    assert read_arrow(path).column("x").to_pylist() == ["a", "b"]


def test_a_stream_and_a_feather_file_are_arrow_files_too(tmp_path):
    stream = tmp_path / "stream.arrow"
    with pa.ipc.new_stream(stream, TABLE.schema) as writer:
        writer.write_table(TABLE)
    assert read_arrow(stream).equals(TABLE)
    feather.write_feather(TABLE, tmp_path / "f.feather")
    assert read_arrow(tmp_path / "f.feather").equals(TABLE)


def varint(number: int) -> bytes:
    number <<= 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def claiming(path, rows):
    """Rewrite a Parquet footer so that it claims `rows` rows."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[-8:-4], "little")
    footer = raw[-8 - size : -8].replace(b"\x16" + varint(ROWS), b"\x16" + varint(rows))
    path.write_bytes(raw[: -8 - size] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return path


@pytest.mark.parametrize("rows", [10**10, 10**12, 10**15, 2**62])
@pytest.mark.parametrize(
    "column", [pa.nulls(ROWS), pa.array(range(ROWS)), pa.array(["a"] * ROWS)], ids=["n", "i", "s"]
)
def test_a_parquet_file_that_claims_too_many_rows_is_refused_before_it_is_read(tmp_path, rows, column):
    path = written(tmp_path / "t.parquet", pa.table({"x": column}), "parquet")
    before = pa.total_allocated_bytes()
    with pytest.raises(TooLarge, match="rows"):
        read_parquet(claiming(path, rows))
    assert pa.total_allocated_bytes() - before < 2**20


@pytest.mark.parametrize("rows", [10**10, 10**15])
@pytest.mark.parametrize(
    "column", [pa.nulls(ROWS), pa.array(range(ROWS)), pa.array(["a"] * ROWS)], ids=["n", "i", "s"]
)
def test_an_arrow_file_that_claims_too_many_rows_is_refused(tmp_path, rows, column):
    path = written(tmp_path / "t.arrow", pa.table({"x": column}), "arrow")
    path.write_bytes(path.read_bytes().replace(ROWS.to_bytes(8, "little"), rows.to_bytes(8, "little")))
    with pytest.raises(ReadError):
        read_arrow(path)


@pytest.mark.parametrize("way", WAYS)
def test_more_bytes_than_the_cap_are_refused(tmp_path, way):
    path = written(tmp_path / "t", pa.table({"x": ["a" * 1000] * 10_000}), way)
    with pytest.raises(TooLarge, match="bytes"):
        WAYS[way][0](path, limit_bytes=1_000_000)


BAD_TYPES = [
    pa.array([[1]]), pa.array([{"a": 1}]), pa.array([b"x"]), pa.array([b"x"], pa.large_binary()),
    pa.array([b"x"], pa.binary(1)), pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.int64(), [1]), pa.array([[1]], pa.list_(pa.int64(), 1))
    ),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("array", BAD_TYPES, ids=lambda array: str(array.type))
def test_a_type_without_a_place_is_refused_by_name(tmp_path, way, array):
    path = written(tmp_path / "t", pa.table({"the column": array}), way)
    with pytest.raises(FrameError, match="'the column'"):
        WAYS[way][0](path)


def test_an_unknown_extension_type_is_refused(tmp_path):
    metadata = {"ARROW:extension:name": "evil.type", "ARROW:extension:metadata": "x"}
    schema = pa.schema([pa.field("the column", pa.int64(), metadata=metadata)])
    path = written(tmp_path / "t", pa.table([pa.array([1])], schema=schema), "arrow")
    with pytest.raises(FrameError, match="'the column'"):
        read_arrow(path)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "content", [b"", b"x", b"PAR1", b"ARROW1", b"a,b\n1,2\n", b"\0" * 100, b"PAR1" * 10, b"FEA1xxxx"]
)
def test_a_file_of_another_kind_is_refused(tmp_path, way, content):
    path = tmp_path / "t"
    path.write_bytes(content)
    with pytest.raises(ReadError):
        WAYS[way][0](path)


@pytest.mark.parametrize("way", WAYS)
def test_a_damaged_file_is_read_or_refused_and_shows_no_cell(tmp_path, way):
    whole = written(tmp_path / "t", TABLE, way).read_bytes()
    path, rng = tmp_path / "damaged", random.Random(7)
    refused = 0
    for trial in range(150):
        cut = rng.randrange(len(whole))
        flipped = whole[:cut] + bytes([whole[cut] ^ (1 << rng.randrange(8))]) + whole[cut + 1 :]
        path.write_bytes(whole[:cut] if trial % 2 else flipped)
        try:
            WAYS[way][0](path)
        except UnderstudyError as error:
            refused += 1
            assert CANARY not in str(error)  # noqa: PT017 - most, but not all, of the damage is noticed
    assert refused >= 75


def test_a_changed_byte_in_the_body_of_a_parquet_page_is_noticed(tmp_path):
    path = written(tmp_path / "t", pa.table({"x": pa.array(range(1_000))}), "parquet")
    whole = path.read_bytes()
    column = pq.ParquetFile(path).metadata.row_group(0).column(0)
    data, end = column.data_page_offset, column.dictionary_page_offset + column.total_compressed_size
    # The checksum covers the body of a page and not its header, which is shorter than 100 bytes here:
    # a changed header can still pass, and can change cells.
    for place in [*range(104, data, 37), *range(data + 100, end, 37)]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ReadError):
            read_parquet(path)


def test_a_file_that_is_gone_is_refused(tmp_path):
    with pytest.raises(ReadError, match="cannot read"):
        read_parquet(tmp_path / "gone")
