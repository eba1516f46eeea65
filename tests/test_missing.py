"""One idea of a missing value for codes, steps and floats."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.missing import MISSING_STEP, is_missing, missing_like


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
def test_the_missing_entry_of_an_array_is_missing_and_no_other_is(kind):
    values = np.array([0, 1, 2], dtype=kind)
    assert not is_missing(values).any()
    values[1] = missing_like(values)
    assert is_missing(values).tolist() == [False, True, False]


def test_the_missing_step_is_the_least_of_all_whole_numbers_of_64_bits():
    assert np.iinfo(np.int64).min == MISSING_STEP
    assert not is_missing(np.array([MISSING_STEP + 1, -1]))[0]


def test_nothing_is_missing_in_no_rows():
    assert is_missing(np.array([], dtype=np.int64)).tolist() == []
