"""Messages as Flower's records: one array of bytes, which Flower cuts in pieces and never interprets."""

from __future__ import annotations

from flwr.app import Array, ArrayRecord, RecordDict

from understudy.errors import InputError
from understudy.federated.message import MOST_BYTES, Message

__all__ = ["opened", "packed"]

_PLACE = "understudy"
_FORM = "understudy.safetensors"  # no form that Flower knows: it would have numpy read what came


def packed(message: Message) -> RecordDict:
    """Return the records that carry a message.

    >>> opened(packed(Message("close", {"terms": "0"}))).kind
    'close'
    """
    content = message.to_bytes()
    array = Array(dtype="uint8", shape=(len(content),), stype=_FORM, data=content)
    return RecordDict({_PLACE: ArrayRecord({_PLACE: array})})


def opened(records: RecordDict, most: int = MOST_BYTES) -> Message:
    """Return the message that records carry, or refuse them."""
    arrays = records.array_records
    if set(records) != {_PLACE} or set(arrays.get(_PLACE, ())) != {_PLACE}:
        raise InputError("message: these records are not a message of understudy.")
    array = arrays[_PLACE][_PLACE]
    if array.stype != _FORM:
        raise InputError("message: these records are not a message of understudy.")
    return Message.from_bytes(array.data, most)
