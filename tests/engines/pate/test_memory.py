"""What was told is kept, the newest last, and drawn evenly."""

import pytest
import torch

from understudy.engines.pate.memory import Memory, Notes
from understudy.errors import ParameterError


def notes(*shares):
    told = torch.tensor(shares)
    return Notes(told[:, None].expand(-1, 2), told.long(), told)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_all_that_was_told_is_recalled_and_nothing_else():
    memory = Memory(10, 2)
    memory.note(notes(1.0, 2.0))
    memory.note(notes(3.0))
    found = memory.recall(200, seeded())
    assert set(found.shares.tolist()) == {1.0, 2.0, 3.0}
    assert torch.equal(found.rows[:, 1], found.shares) and torch.equal(found.places, found.shares.long())


def test_the_oldest_make_room():
    memory = Memory(3, 2)
    for share in range(5):
        memory.note(notes(float(share)))
    assert set(memory.recall(200, seeded()).shares.tolist()) == {2.0, 3.0, 4.0}


def test_notes_are_part_of_the_state():
    memory, again = Memory(3, 2), Memory(3, 2)
    memory.note(notes(5.0))
    again.load_state_dict(memory.state_dict())
    assert again.recall(4, seeded()).shares.tolist() == [5.0] * 4


def test_no_room_at_all_is_refused():
    with pytest.raises(ParameterError, match="Memory"):
        Memory(0, 2)


def test_of_more_notes_than_there_is_room_for_the_last_are_kept():
    memory = Memory(3, 2)
    memory.note(notes(*map(float, range(8))))
    memory.note(notes(8.0))
    assert sorted(memory.shares.tolist()) == [6, 7, 8] and int(memory.told) == 9
