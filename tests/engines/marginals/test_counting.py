import numpy as np
from hypothesis import given, strategies as st

from understudy.engines.marginals.counting import count

SIZES = (2, 3, 4)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)), max_size=30))
def test_every_row_is_counted_once_in_its_cell(rows):
    codes = [np.array([row[place] for row in rows], dtype=np.int32) for place in range(3)]
    wanted = np.zeros(SIZES)
    for row in rows:
        wanted[row] += 1
    assert np.array_equal(count(codes, (0, 1, 2), SIZES), wanted)
    assert np.array_equal(count(codes, (0, 2), SIZES), wanted.sum(axis=1))
