from decimal import Decimal

import pyarrow as pa
import pytest

from understudy.errors import SchemaError
from understudy.table.agreement import agreed_type, gather


def gathered(*columns):
    return gather([pa.table({"a": column}) for column in columns], ["a"]).column("a")


def test_equal_types_stay():
    assert gathered(pa.array([1], pa.int8()), pa.array([2], pa.int8())).type == pa.int8()


@pytest.mark.parametrize(
    ("one", "other", "agreed"),
    [
        (pa.int8(), pa.int64(), pa.int64()),
        (pa.uint8(), pa.int16(), pa.int64()),
        (pa.uint64(), pa.int64(), pa.float64()),
        (pa.int64(), pa.float64(), pa.float64()),
        (pa.bool_(), pa.int64(), pa.int64()),
        (pa.decimal128(10, 2), pa.int64(), pa.float64()),
        (pa.string(), pa.large_string(), pa.large_string()),
        (pa.string(), pa.int64(), pa.large_string()),
        (pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ns")),
        (pa.date32(), pa.timestamp("ms"), pa.timestamp("ms")),
        (pa.timestamp("s", "Europe/Berlin"), pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.time32("s"), pa.time64("us"), pa.time64("us")),
        (pa.duration("s"), pa.duration("ms"), pa.duration("ms")),
    ],
    ids=str,
)
def test_types_that_mean_the_same_agree_in_either_order(one, other, agreed):
    assert agreed_type("a", [one, other]) == agreed_type("a", [other, one]) == agreed


@pytest.mark.parametrize("other", [pa.int64(), pa.bool_(), pa.time32("s"), pa.duration("s")], ids=str)
def test_moments_and_what_is_no_moment_never_agree(other):
    with pytest.raises(SchemaError, match=r"column 'a' is of type .* and .* in the real tables"):
        agreed_type("a", [pa.timestamp("s"), other])


def test_a_column_without_any_value_has_no_say():
    whole = gathered(pa.array([1, 2]), pa.nulls(2, pa.string()))
    assert whole.type == pa.int64() and whole.null_count == 2


def test_columns_without_any_value_in_all_tables_stay_so():
    assert gathered(pa.nulls(2, pa.string()), pa.nulls(1, pa.string())).null_count == 3


def test_levels_as_a_dictionary_and_as_text_are_one_dictionary():
    whole = gathered(pa.array(["x", "y"]).dictionary_encode(), pa.array(["z", "y"]))
    assert pa.types.is_dictionary(whole.type)
    assert whole.to_pylist() == ["x", "y", "z", "y"]


def test_numbers_and_text_become_text():
    assert gathered(pa.array([1, 2]), pa.array(["2", "?"])).to_pylist() == ["1", "2", "2", "?"]


def test_a_decimal_and_a_float_agree_in_value():
    assert gathered(pa.array([Decimal("1.50")]), pa.array([1.5])).to_pylist() == [1.5, 1.5]


def test_cells_that_the_agreed_type_cannot_hold_are_refused_without_being_told():
    far = pa.array([2**62], pa.int64()).view(pa.timestamp("s"))
    with pytest.raises(SchemaError, match="do not fit timestamp") as caught:
        gathered(far, pa.array([1], pa.int64()).view(pa.timestamp("ns")))
    assert str(2**62) not in str(caught.value)


def test_only_the_named_columns_are_gathered():
    table = pa.table({"a": [1], "b": [2]})
    assert gather([table, table], ["b"]).schema.names == ["b"]


def test_huge_whole_numbers_beside_fractions_are_rounded():
    assert gathered(pa.array([2**60 + 1]), pa.array([0.5])).to_pylist() == [2.0**60, 0.5]
