"""What goes in comes out, byte by byte; what is not ours is refused and never interpreted."""

import numpy as np
import pytest
from flwr.app import Array, ArrayRecord, ConfigRecord, RecordDict

from understudy.errors import InputError
from understudy.federated.flower_records import opened, packed
from understudy.federated.message import Message

MESSAGE = Message("train", {"round": 3}, {"weight": np.arange(5, dtype=np.float32)})


def test_a_message_comes_back_as_it_was():
    found = opened(packed(MESSAGE))
    assert found.digest() == MESSAGE.digest()


def test_a_large_message_is_cut_in_pieces_and_put_together():
    large = Message("train", {}, {"weight": np.arange(3_000_000, dtype=np.float32)})
    records = packed(large)
    array = records.array_records["understudy"]["understudy"]
    assert len(array.slice_array()) == 3
    assert opened(records).digest() == large.digest()


def test_more_bytes_than_are_taken_are_refused_before_they_are_read():
    with pytest.raises(InputError, match="at most 10 bytes"):
        opened(packed(MESSAGE), most=10)


@pytest.mark.parametrize(
    "records",
    [
        RecordDict(),
        RecordDict({"understudy": ConfigRecord({"a": 1})}),
        RecordDict({"other": ArrayRecord({"understudy": Array(np.zeros(3))})}),
        RecordDict({"understudy": ArrayRecord({"other": Array(np.zeros(3))})}),
        RecordDict({"understudy": ArrayRecord({"understudy": Array(np.zeros(3))})}),
        RecordDict({**packed(MESSAGE), "more": ConfigRecord({"a": 1})}),
        RecordDict({
            "understudy": ArrayRecord({
                "understudy": Array(dtype="uint8", shape=(3,), stype="understudy.safetensors", data=b"abc")
            })
        }),
    ],
)  # fmt: skip
def test_records_of_somebody_else_are_refused(records):
    with pytest.raises(InputError, match="message"):
        opened(records)
