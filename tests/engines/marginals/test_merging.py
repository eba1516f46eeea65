import numpy as np
from hypothesis import given, strategies as st

from understudy.engines.marginals.merging import merge_levels, merge_neighbours

counts = st.lists(st.floats(0, 100), min_size=1, max_size=40).map(np.array)


@given(counts, st.floats(0, 50))
def test_levels_with_enough_rows_stand_alone_and_the_others_together(found, least):
    places = merge_levels(found, least)
    assert sorted(set(places.tolist())) == list(range(places.max() + 1))
    small = found < least
    if small.sum() >= 2:
        assert len(set(places[small].tolist())) == 1
        assert len(set(places[~small].tolist())) == (~small).sum()
    else:
        assert len(set(places.tolist())) == len(found)


@given(counts, st.floats(0, 50), st.integers(1, 12))
def test_neighbours_are_merged_in_order_and_hold_enough(found, least, most):
    places = merge_neighbours(found, least, most)
    assert places[0] == 0 and set(np.diff(places).tolist()) <= {0, 1}
    sums = np.bincount(places, weights=found)
    assert len(sums) == 1 or (sums >= least - 1e-9).all()


def test_a_heavy_value_is_not_blurred_by_its_neighbours():
    assert merge_neighbours(np.array([20.0, 500.0, 20.0]), least=10.0, most=3).tolist() == [0, 1, 2]
