import json

import numpy as np
import pytest

from understudy.codec.bins import Bins
from understudy.codec.levels import Grouped
from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.scale import Scale
from understudy.codec.slot import CodeSlot, NumberSlot
from understudy.codec.state import pack, unpack

VALUES = np.random.default_rng(0).normal(size=300)
SLOTS = [
    NumberSlot("x", Scale.minmax(-(2**62) + 1, 2**62 - 1), "never", 0.0),
    NumberSlot("x", Scale.standard(VALUES), "indicator", 0.0),
    NumberSlot("x", Quantile.fit(VALUES, 50, normal=False), "at_random", 0.125),
    NumberSlot("x", Modes.fit(VALUES, 4, np.random.default_rng(0)), "indicator", 0.0),
    CodeSlot("x", Bins.quantile(VALUES, 7, can_be_missing=True), onehot=True),
    CodeSlot("x", Grouped.all(7, can_be_missing=False), onehot=False),
]


def identifier(slot):
    return type(slot.encoder).__name__


@pytest.mark.parametrize("slot", SLOTS, ids=identifier)
def test_a_slot_comes_back_from_arrays_and_json(slot):
    tensors, facts = pack(slot)
    assert all(isinstance(tensor, np.ndarray) for tensor in tensors.values())
    again = unpack(tensors, json.loads(json.dumps(facts)))
    assert again.parts == slot.parts
    assert again.encoder.dtype == slot.encoder.dtype
    assert again.gaps == slot.gaps
    block = np.random.default_rng(1).normal(size=(99, sum(part.size for part in slot.parts)))
    read, reread = (each.read(block, np.random.default_rng(2)) for each in (slot, again))
    assert np.array_equal(read, reread, equal_nan=read.dtype.kind == "f")


@pytest.mark.parametrize("slot", SLOTS, ids=identifier)
def test_an_incomplete_or_unknown_slot_is_a_value_error(slot):
    tensors, facts = pack(slot)
    with pytest.raises(ValueError, match="does not know"):
        unpack(tensors, {**facts, "encoder": "other"})
    with pytest.raises(ValueError, match="does not know"):
        unpack({**tensors, "extra": np.zeros(1)}, facts)
    with pytest.raises(ValueError, match="does not know"):
        unpack({}, {**facts, "settings": {}})
