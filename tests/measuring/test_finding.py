"""What a measure found is plain data that cannot be changed."""

from dataclasses import FrozenInstanceError

import pytest

from understudy.measuring.finding import Finding, Score


def test_a_finding_needs_neither_parts_nor_notes():
    found = Finding(Score(0.5), 0.4, 0.6, 0.1, 10)
    assert (found.score.parts, found.notes, found.per_record) == ({}, (), None)


def test_two_scores_do_not_share_their_parts():
    assert Score(1.0).parts is not Score(1.0).parts


def test_a_finding_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Finding(Score(0.5), 0.4, 0.6, 0.1, 10).low = 0.0
