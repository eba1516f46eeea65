"""A witness is the same for the same read and different for any other, and tells nothing without its key."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from understudy.privacy.events import DiscreteGaussian, Gaussian, Selection
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.levels import CommonLevels
from understudy.privacy.mechanisms.medians import MedianScores
from understudy.privacy.mechanisms.selection import ChooseInEach
from understudy.privacy.mechanisms.sums import ClippedSums
from understudy.privacy.stream import Stream
from understudy.privacy.witness import witness_of

RUN = Stream.fresh()
COUNTS = CountTables((Margin(("a",), (2,)),), DiscreteGaussian(3.0))
SEEN = np.array([3, 4, 0])


def witness(mechanism=COUNTS, seen=SEEN, run=RUN, number=0):
    return witness_of(run.child("witness", "counts", number), mechanism, seen)


def test_the_same_read_has_the_same_witness():
    assert witness() == witness(replace(COUNTS), SEEN.copy())


@pytest.mark.parametrize("other", [
    {"seen": np.array([3, 5, 0])}, {"seen": np.array([3, 4])}, {"seen": SEEN.astype(float)},
    {"seen": SEEN.reshape(1, 3)}, {"mechanism": replace(COUNTS, price=DiscreteGaussian(4.0))},
    {"mechanism": replace(COUNTS, tables=(Margin(("b",), (2,)),))}, {"number": 1}, {"run": Stream.fresh()},
])  # fmt: skip
def test_any_other_read_has_another(other):
    assert witness(**other) != witness()


def test_words_are_told_apart_and_so_are_thresholds():
    levels = CommonLevels("town", DiscreteGaussian(3.0), 1e-6)
    seen = np.array([["A", 3], ["B", 4]], dtype=object)
    assert witness(levels, seen) == witness(levels, seen.copy())
    assert witness(levels, seen) != witness(replace(levels, delta=1e-5), seen)
    assert witness(levels, seen) != witness(levels, np.array([["A", 3], ["C", 4]], dtype=object))


def test_a_mechanism_with_arrays_or_functions_has_one():
    edges, cuts = np.array([0.0, 1.0]), np.array([[0.25, 0.5]])
    scores = MedianScores("a", edges, cuts, np.zeros((1, 2), dtype=bool))
    choice = ChooseInEach(scores, Selection(0.1))
    moved = ChooseInEach(replace(scores, cuts=cuts + 0.1), Selection(0.1))
    assert witness(choice) == witness(choice) != witness(moved)
    sums = ClippedSums(lambda columns: columns["a"], ("a",), 1, 1.0, Gaussian(2.0))
    again = ClippedSums(lambda columns: columns["a"], ("a",), 1, 1.0, Gaussian(2.0))
    assert witness(sums) == witness(again) != witness(replace(sums, clip=2.0))
