import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from understudy.codec.listed import Listed, few_values
from understudy.missing import MISSING_STEP, is_missing

STEPS = st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=30)
FLOATS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30)


@given(STEPS | FLOATS)
@example([-(2**62), 2**62])
@example([-1.7e308, 1.7e308])
def test_listed_values_and_missing_entries_come_back(values):
    array = np.array(values)
    coder = Listed(np.unique(array), can_be_missing=True)
    gone = np.array([MISSING_STEP]) if array.dtype.kind == "i" else np.array([np.nan])
    entries = np.concatenate([array, gone])
    codes = coder.encode(entries)
    back = coder.decode(codes, np.random.default_rng(0))
    assert coder.count == len(set(values)) + 1
    assert back.dtype == entries.dtype == coder.dtype
    assert back[:-1].tolist() == array.tolist()
    assert is_missing(back).tolist() == [False] * len(values) + [True]


@given(FLOATS, st.floats(-1e300, 1e300))
def test_an_entry_that_is_not_listed_is_taken_for_the_nearest(values, entry):
    listed = np.unique(np.array(values))
    code = Listed(listed, can_be_missing=False).encode(np.array([entry]))[0]
    with np.errstate(over="ignore"):
        away = np.abs(listed / 2 - entry / 2)
    assert away[code] <= away.min() * (1 + 1e-12)


@pytest.mark.parametrize(
    ("present", "most", "shared", "expected"),
    [
        ([1, 1, 2, 2], 2, 2, [1, 2]),
        ([1, 1, 2, 2], 1, 2, None),
        ([1, 1, 2, 2], 2, 3, None),
        ([1, 2, 3], 9, 1, [1, 2, 3]),
        ([], 9, 1, None),
        ([1, 1], 0, 1, None),
        ([0] * 96 + [1, 2, 3, 4], 9, 20, None),  # four rows would be told as they are
        ([0] * 90 + [1] * 5 + [2] * 4 + [3], 9, 20, [0, 1, 2, 3]),
    ],
)
def test_values_are_listed_where_they_are_few_and_shared(present, most, shared, expected):
    found = few_values(np.array(present), most, shared)
    assert (None if found is None else found.tolist()) == expected
