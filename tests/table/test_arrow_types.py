from __future__ import annotations

import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.arrow_types import from_text, to_text

TYPES = [
    pa.null(), pa.bool_(), pa.int8(), pa.int64(), pa.uint8(), pa.uint64(), pa.float16(), pa.float32(),
    pa.float64(), pa.string(), pa.large_string(), pa.string_view(), pa.date32(), pa.date64(), pa.time32("s"),
    pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ms"),
    pa.timestamp("ns"),
    pa.timestamp("us", "UTC"), pa.timestamp("us", "Europe/Berlin"), pa.timestamp("ns", "+02:00"),
    pa.duration("s"), pa.duration("ns"), pa.decimal128(38, 0), pa.decimal128(10, 2), pa.decimal128(5, -2),
    pa.decimal256(76, 10), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.uint32(), pa.int64(),
    True),
    pa.dictionary(pa.int32(), pa.timestamp("us", "UTC")), pa.dictionary(pa.int32(), pa.decimal128(10, 2)),
    pa.run_end_encoded(pa.int32(), pa.string()),
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_the_text_of_a_type_reads_back_as_the_same_type(kind):
    assert from_text(to_text(kind)) == kind


@pytest.mark.parametrize(
    "text",
    ["", "int", "object", "int64 ", "list<item: int64>", "binary", "decimal128(0, 0)", "decimal128(99, 2)",
     "timestamp[min]", "dictionary<values=list<item: int64>, indices=int8, ordered=0>", "__import__('os')",
     "decimal128(99999999999999999999, 2)"],
)  # fmt: skip
def test_the_name_of_no_type_is_refused(text):
    with pytest.raises(FrameError, match="Arrow type"):
        from_text(text)
