import random

from hypothesis import given, strategies as st

from understudy.federated.merged_order import merged_order

LEVELS = st.lists(st.text(max_size=3), min_size=1, max_size=8, unique=True)


@given(LEVELS, st.data())
def test_lists_that_keep_one_order_are_merged_into_one_that_all_agree_with(levels, data):
    parts = st.sets(st.sampled_from(levels), max_size=len(levels))
    lists = [[each for each in levels if each in data.draw(parts)] for _ in range(3)]
    own = {value: at for at, value in enumerate(sorted(levels))}
    found = merged_order(lists, own)
    assert found is not None and sorted(found) == sorted(levels)
    assert all(list(each) == sorted(each, key=found.index) for each in lists)
    random.Random(0).shuffle(lists)
    assert merged_order(lists, own) == found


@given(LEVELS)
def test_a_list_of_all_is_the_order_and_without_lists_it_is_their_own(levels):
    own = {value: at for at, value in enumerate(sorted(levels))}
    assert merged_order([levels], own) == tuple(levels)
    assert merged_order([], own) == tuple(sorted(levels))


def test_lists_that_disagree_have_no_order():
    own = {"a": 0, "b": 1, "c": 2}
    assert merged_order([("a", "b"), ("b", "c"), ("c", "a")], own) is None
