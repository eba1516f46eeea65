from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.arrow_plain import NULL, conform, plain, plain_column, refuse_type

CANARY = "canary-5d1e"


def one(array) -> pa.Table:
    return pa.table({"x": array})


def test_layouts_of_one_meaning_become_one():
    views = plain(one(pa.array(["a", None], pa.string_view())))
    assert views.schema.field("x").type == pa.large_string()
    assert plain(one(pa.array(np.array([1.5], np.float16)))).schema.field("x").type == pa.float32()
    assert plain(one(pa.nulls(2))).schema.field("x").type == pa.string()
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"])
    assert plain(one(runs)).column("x").to_pylist() == ["a", "a", "b"]


def test_nan_is_missing_and_infinity_is_not():
    column = plain(one(pa.array([float("nan"), float("inf"), -0.0, None]))).column("x")
    assert column.to_pylist() == [None, float("inf"), -0.0, None]


def test_a_date_in_milliseconds_becomes_a_day():
    days = pa.array([dt.date(1969, 12, 31), None, dt.date(2020, 2, 29)], pa.date64())
    assert plain(one(days)).column("x").to_pylist() == [dt.date(1969, 12, 31), None, dt.date(2020, 2, 29)]


def test_a_date_with_a_part_of_a_day_is_refused():
    broken = pa.Array.from_buffers(pa.date64(), 1, [None, pa.array([86_400_001]).buffers()[1]])
    with pytest.raises(FrameError, match="'x'"):
        plain(one(broken))


def test_a_dictionary_keeps_its_levels_and_their_order():
    array = pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), ["z", "a", "m"], ordered=True)
    column = plain(one(array)).column("x")
    assert column.type == pa.dictionary(pa.int32(), pa.string(), ordered=True)
    assert column.chunk(0).dictionary.to_pylist() == ["z", "a", "m"]
    assert column.to_pylist() == ["a", None, "z"]


def test_chunks_with_different_dictionaries_get_one():
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    column = plain(one(pa.chunked_array(chunks))).column("x")
    assert column.to_pylist() == ["a", "b", "c", "a"]
    assert column.chunk(0).dictionary.equals(column.chunk(1).dictionary)


@pytest.mark.parametrize("levels", [["a", None], ["a", "a"]])
def test_levels_that_are_missing_or_stand_twice_are_listed_anew(levels):
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), levels, ordered=True)
    column = plain(one(array)).column("x")
    assert column.to_pylist() == ["a", levels[1], "a"]
    assert column.chunk(0).dictionary.to_pylist() == ["a"]
    assert column.type.ordered


def test_an_empty_dictionary_column_without_chunks_survives():
    column = plain(one(pa.chunked_array([], pa.dictionary(pa.int8(), pa.string())))).column("x")
    assert column.type == pa.dictionary(pa.int32(), pa.string())
    assert len(column) == 0


def test_metadata_of_other_programs_is_dropped_and_ours_is_kept():
    field = pa.field("x", pa.int64(), metadata={"levels": CANARY, "understudy.decimals": "2"})
    table = pa.table(
        [pa.array([1])], schema=pa.schema([field], metadata={"pandas": CANARY, "understudy": "s"})
    )
    schema = plain(table).schema
    assert schema.metadata == {b"understudy": b"s"}
    assert schema.field("x").metadata == {b"understudy.decimals": b"2"}


NESTED = [
    pa.array([[1]]), pa.array([{"a": 1}]), pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    pa.array([b"x"]), pa.array([b"x"], pa.large_binary()), pa.array([b"x"], pa.binary(1)),
    pa.array([b"x"], pa.binary_view()), pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    pa.array([[1]], pa.list_(pa.int64(), 1)), pa.array([b"x"]).dictionary_encode(),
    pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]),
    pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.int64(), [1]), pa.array([[1]], pa.list_(pa.int64(), 1))
    ),
]  # fmt: skip


@pytest.mark.parametrize("array", NESTED, ids=lambda array: str(array.type))
def test_a_type_without_a_place_in_a_table_is_refused_by_name(array):
    with pytest.raises(FrameError, match="'x'"):
        plain(one(array))
    with pytest.raises(FrameError, match="'x'"):
        refuse_type("x", array.type)


def test_an_extension_type_that_nobody_registered_is_refused():
    field = pa.field(
        "x", pa.int64(), metadata={"ARROW:extension:name": "evil", "ARROW:extension:metadata": ""}
    )
    with pytest.raises(FrameError, match="extension type"):
        plain(pa.table([pa.array([1])], schema=pa.schema([field])))


def test_a_table_without_columns_is_refused():
    with pytest.raises(FrameError, match="no columns"):
        plain(pa.table({}))


def test_conform_refuses_what_would_change_and_never_shows_a_value():
    with pytest.raises(FrameError) as caught:
        conform("x", pa.chunked_array([[CANARY]]), pa.int64())
    assert CANARY not in str(caught.value)
    with pytest.raises(FrameError):
        conform("x", pa.chunked_array([[300]]), pa.uint8())
    with pytest.raises(FrameError):
        conform("x", pa.chunked_array([[1.5]]), pa.int64())


def test_conform_encodes_text_as_a_dictionary_and_back():
    kind = pa.dictionary(pa.int8(), pa.large_string(), True)
    column = conform("x", pa.chunked_array([["a", None, "b"]]), kind)
    assert column.type == kind
    assert conform("x", column, pa.string()).to_pylist() == ["a", None, "b"]


def test_conform_widens_the_index_when_the_levels_do_not_fit():
    column = conform(
        "x", pa.chunked_array([[str(n) for n in range(300)]]), pa.dictionary(pa.int8(), pa.string())
    )
    assert column.type.index_type == pa.int32()
    assert column.to_pylist()[299] == "299"


def test_an_all_missing_column_conforms_to_null():
    assert conform("x", pa.chunked_array([[None]], pa.string()), pa.null()).type == pa.null()
    assert conform("x", pa.chunked_array([["a"]], pa.string()), pa.null()).to_pylist() == ["a"]


def test_a_column_on_its_own_is_made_plain_too():
    assert plain_column("x", pa.chunked_array([[float("nan")]])).null_count == 1


def test_a_note_that_a_column_holds_nothing_is_not_believed_of_one_that_has_a_type_since():
    noted = plain(one(pa.nulls(2)))
    assert noted.schema.field("x").metadata == NULL
    both = pa.concat_tables([noted, pa.table({"x": ["a"]})], promote_options="default")
    assert plain(both).schema.field("x").metadata is None


def test_dictionaries_of_nothing_are_noted_and_come_back():
    kind = pa.dictionary(pa.int32(), pa.null())
    table = plain(one(pa.nulls(2, kind)))
    assert table.schema.field("x").metadata == NULL
    assert conform("x", table.column("x"), kind).type == kind
