import numpy as np
import pytest

from understudy.codec.bins import Bins
from understudy.codec.layout import Part
from understudy.codec.levels import Grouped
from understudy.codec.scale import Scale
from understudy.codec.slot import CodeSlot, NumberSlot, Slot
from understudy.missing import MISSING_STEP, is_missing

STEPS = np.array([0, MISSING_STEP, 10])


def written(slot, values, rng=None):
    block = np.zeros((len(values), sum(part.size for part in slot.parts)), dtype=np.float32)
    slot.write(values, block, rng)
    return block


def test_a_slot_must_say_how_it_writes():
    with pytest.raises(TypeError, match="abstract"):
        Slot()


def test_the_flag_stands_behind_the_number_and_brings_missing_back():
    slot = NumberSlot("age", Scale.minmax(0, 10), "indicator", 0.0)
    assert slot.parts == (Part("number", 1), Part("flag", 1))
    block = written(slot, STEPS)
    assert block.tolist() == [[-1, 0], [0, 1], [1, 0]]
    assert slot.gaps
    assert slot.read(block, np.random.default_rng(0)).tolist() == STEPS.tolist()


def test_a_soft_flag_counts_from_one_half():
    slot = NumberSlot("age", Scale.minmax(0.0, 10.0), "indicator", 0.0)
    back = slot.read(np.array([[0.0, 0.4], [0.0, 0.6]]), np.random.default_rng(0))
    assert is_missing(back).tolist() == [False, True]


def test_gaps_at_random_come_at_their_rate():
    slot = NumberSlot("age", Scale.minmax(0.0, 10.0), "at_random", 0.3)
    assert slot.parts == (Part("number", 1),)
    back = slot.read(np.zeros((50_000, 1)), np.random.default_rng(0))
    assert abs(is_missing(back).mean() - 0.3) < 0.01


def test_a_column_that_is_never_missing_has_no_flag():
    slot = NumberSlot("age", Scale.minmax(0, 10), "never", 0.0)
    assert slot.parts == (Part("number", 1),)
    assert not slot.gaps


def test_a_one_hot_has_one_coordinate_for_each_code():
    slot = CodeSlot("sex", Grouped.all(2, can_be_missing=True), onehot=True)
    values = np.array([0, 1, -1], dtype=np.int32)
    assert slot.parts == (Part("levels", 3),)
    block = written(slot, values)
    assert block.tolist() == np.eye(3).tolist()
    assert slot.read(block, np.random.default_rng(0)).tolist() == [0, 1, -1]


def test_the_largest_coordinate_of_a_soft_one_hot_wins():
    slot = CodeSlot("sex", Grouped.all(2, can_be_missing=False), onehot=True)
    assert slot.read(np.array([[0.2, 0.7], [-1.0, -2.0]]), np.random.default_rng(0)).tolist() == [1, 0]


def test_codes_are_written_as_they_are_and_read_by_the_nearest():
    slot = CodeSlot("age", Bins.even(0, 9, 10, can_be_missing=True), onehot=False)
    assert slot.parts == (Part("code", 1, 11),)
    assert slot.gaps
    assert written(slot, np.array([3, MISSING_STEP])).ravel().tolist() == [3, 10]
    back = slot.read(np.array([[2.6], [-4.0], [99.0]]), np.random.default_rng(0))
    assert back.tolist() == [3, 0, MISSING_STEP]


def test_what_stands_where_a_number_is_missing_is_written_anew_and_nothing_else_is():
    slot = NumberSlot("age", Scale.minmax(0.0, 10.0), "indicator", 0.0)
    block = np.array([[7.0, 1.0], [0.5, 0.0], [-9.0, 0.9]], dtype=np.float32)
    slot.refill(block, np.random.default_rng(0))
    assert block[1].tolist() == [0.5, 0.0] and block[[0, 2], 1].tolist() == [1.0, np.float32(0.9)]
    assert (np.abs(block[[0, 2], 0]) <= 1).all()


@pytest.mark.parametrize("slot", [NumberSlot("age", Scale.minmax(0.0, 10.0), "never", 0.0)])
def test_a_column_without_gaps_is_left_as_it_is(slot):
    block = np.array([[7.0]], dtype=np.float32)
    slot.refill(block, np.random.default_rng(0))
    assert block.tolist() == [[7.0]]
