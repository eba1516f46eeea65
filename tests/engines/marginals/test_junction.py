from itertools import combinations

from hypothesis import given, strategies as st

from understudy.engines.marginals.cliques import clique
from understudy.engines.marginals.junction import junction_tree, tree_cells

SIZES = (2, 3, 2, 4, 2, 3, 2)
cliques = st.lists(st.sets(st.integers(0, 6), min_size=1, max_size=3).map(clique), max_size=8)


@given(cliques)
def test_a_tree_holds_every_wanted_clique_and_every_attribute(wanted):
    tree = junction_tree(wanted, SIZES)
    assert all(tree.holds(of) for of in wanted) and all(tree.holds((a,)) for a in range(7))
    assert tree.cells(SIZES) == tree_cells(wanted, SIZES)


@given(cliques)
def test_what_two_cliques_share_lies_on_the_path_between_them(wanted):
    tree = junction_tree(wanted, SIZES)
    for first, second in combinations(range(len(tree.cliques)), 2):
        shared = set(tree.cliques[first]) & set(tree.cliques[second])
        assert all(shared <= set(tree.cliques[place]) for place in path(tree, first, second))


@given(cliques)
def test_parents_come_first_and_separators_are_what_is_shared_with_them(wanted):
    tree = junction_tree(wanted, SIZES)
    for place in range(1, len(tree.cliques)):
        parent = tree.parents[place]
        assert parent < place
        assert tree.separators[place] == clique(set(tree.cliques[place]) & set(tree.cliques[parent]))


def test_a_circle_of_four_is_filled_in_once():
    tree = junction_tree([(0, 1), (1, 2), (2, 3), (0, 3)], (2, 2, 2, 2))
    assert sorted(map(len, tree.cliques)) == [3, 3]


def test_no_attributes_at_all_make_one_empty_clique():
    assert junction_tree([], ()).cliques == ((),)


def path(tree, first, second):
    """Return the places between two cliques, both included."""

    def upwards(place):
        way = [place]
        while way[-1]:
            way.append(tree.parents[way[-1]])
        return way

    one, other = upwards(first), upwards(second)
    meeting = next(place for place in one if place in other)
    return one[: one.index(meeting) + 1] + other[: other.index(meeting)]
