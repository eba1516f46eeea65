"""Families that join one by one: the best tree for one parent, and nothing to fill in for more."""

import itertools

import numpy as np
import pytest

from understudy.engines.marginals.cliques import cells
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.junction import junction_tree
from understudy.engines.marginals.network import Family
from understudy.engines.marginals.structure import (
    ByInformation,
    Limits,
    candidates,
    grow,
    information,
    useful_cells,
)

SIZES = (3, 2, 4, 3, 2)


def codes(seed=0, n=4_000):
    rng = np.random.default_rng(seed)
    found = [rng.integers(0, SIZES[0], n)]
    for size in SIZES[1:]:
        before = found[int(rng.integers(len(found)))]
        found.append(np.where(rng.random(n) < rng.uniform(0.2, 0.8), before % size, rng.integers(0, size, n)))
    return found


def at_random(seed):
    rng = np.random.default_rng(seed)
    return lambda families: int(rng.integers(len(families)))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("root", [0, 3])
def test_one_parent_by_information_gives_the_best_of_all_trees(seed, root):
    data, rng = codes(seed), np.random.default_rng(0)
    network = grow(SIZES, root, Limits(1, 1e9), ByInformation(data, SIZES), rng)
    worth = {pair: information(count(data, pair, SIZES), 0) for pair in itertools.combinations(range(5), 2)}
    trees = (t for t in itertools.combinations(worth, 4) if len(junction_tree(t, SIZES).cliques) == 4)
    joined = (t for t in trees if _ties_all(t))
    best = max(sum(worth[pair] for pair in tree) for tree in joined)
    assert sum(worth[each.of] for each in network.families[1:]) == pytest.approx(best)


def _ties_all(tree):
    reached = {0}
    for _ in range(5):
        reached |= {a for pair in tree if reached & set(pair) for a in pair}
    return len(reached) == 5


@pytest.mark.parametrize("parents", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_families_are_the_cliques_of_their_junction_tree(parents, seed):
    network = grow(SIZES, 1, Limits(parents, 40.0), at_random(seed), np.random.default_rng(0))
    families = [set(each.of) for each in network.families]
    assert sorted(each.child for each in network.families) == list(range(5))
    assert all(len(each.parents) <= parents for each in network.families)
    assert all(cells(each.of, SIZES) <= 40 for each in network.families)
    for of in junction_tree([each.of for each in network.families], SIZES).cliques:
        assert set(of) in families


def test_only_parents_to_which_none_can_be_added_are_maximal():
    known = [Family(0), Family(1, (0,)), Family(2, (0, 1))]
    every = candidates(known, (2, 2, 9, 2), Limits(2, 20.0))
    assert {each.parents for each in every} == {(), (0,), (1,), (2,), (0, 1)}
    largest = candidates(known, (2, 2, 9, 2), Limits(2, 20.0, maximal=True))
    assert {each.parents for each in largest} == {(2,), (0, 1)}


def test_parents_come_from_one_family_in_each_part_that_is_not_tied_to_another():
    apart = candidates([Family(0), Family(1), Family(2)], (2,) * 4, Limits(2, 99.0, maximal=True))
    assert [each.parents for each in apart] == [(0, 1), (0, 2), (1, 2)]
    tied = candidates([Family(0), Family(1, (0,)), Family(2, (1,))], (2,) * 4, Limits(2, 99.0, maximal=True))
    assert [each.parents for each in tied] == [(0, 1), (1, 2)]
    # 0 and 2 are tied through 1: taking both would leave a circle, also where their family is not near.
    near = [Family(0), Family(2, (1,))]
    some = candidates([Family(0), Family(1, (0,)), Family(2, (1,))], (2,) * 4, Limits(2, 99.0), near)
    assert (0, 2) not in {each.parents for each in some}


def test_a_child_for_which_no_parent_fits_stands_alone():
    assert candidates([Family(0)], (5, 5), Limits(2, 10.0, maximal=True)) == [Family(1)]
    assert candidates([Family(0)], (5, 50), Limits(2, 10.0, maximal=True)) == [Family(1)]


def test_a_round_looks_at_no_more_candidates_than_allowed():
    looked = []
    sizes = (2,) * 30
    grow(sizes, 0, Limits(2, 1e9, most=25), lambda f: looked.append(len(f)) or 0, np.random.default_rng(0))
    assert len(looked) == 29 and max(looked) == 25


def test_information_of_independent_columns_is_nought_and_of_a_copy_its_entropy():
    assert information(np.outer([2.0, 6.0], [1.0, 3.0]), 0) == pytest.approx(0.0, abs=1e-9)
    shares = np.array([0.2, 0.3, 0.5])
    assert information(np.diag(100 * shares), 1) == pytest.approx(-100 * shares @ np.log(shares))
    assert information(np.zeros((2, 3)), 0) == 0.0


def test_parents_that_tell_nothing_are_not_worth_their_parameters():
    rng = np.random.default_rng(0)
    score = ByInformation([rng.integers(0, size, 5_000) for size in SIZES], SIZES).score
    assert score(Family(0)) == 0.0 > score(Family(0, (1,))) > score(Family(0, (1, 2)))


def test_two_parents_that_only_together_tell_the_child_are_found():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 2, 3_000), rng.integers(0, 2, 3_000)
    by = ByInformation([first, second, first ^ second], (2, 2, 2))
    found = [Family(2, of) for of in ((), (0,), (1,), (0, 1))]
    assert found[by(found)].parents == (0, 1)


def test_more_noise_or_more_care_leaves_fewer_useful_cells():
    assert useful_cells(1_000.0, 1.0, 4.0) == 250.0
    assert useful_cells(1_000.0, 2.0, 4.0) == useful_cells(1_000.0, 1.0, 8.0) == 125.0
