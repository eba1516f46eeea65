from itertools import combinations

import pytest

from engines.marginals.joint import random_model
from understudy.engines.marginals.growing import growths
from understudy.engines.marginals.junction import junction_tree, tree_cells


@pytest.mark.parametrize("seed", range(40))
def test_a_grown_tree_holds_the_pair_in_as_many_cells_as_were_told(seed):
    model = random_model(seed)
    before, found = model.tree.cells(model.sizes), growths(model.tree, model.sizes)
    assert sorted(found) == list(combinations(range(len(model.sizes)), 2))
    for pair, growth in found.items():
        wanted = [*model.tree.cliques, *growth.cliques]
        assert junction_tree(wanted, model.sizes).holds(pair)
        assert tree_cells(wanted, model.sizes) <= before + growth.cells


@pytest.mark.parametrize("seed", range(10))
def test_a_pair_that_a_clique_holds_costs_nothing(seed):
    model = random_model(seed)
    for pair, growth in growths(model.tree, model.sizes).items():
        assert (growth.cells == 0) == model.tree.holds(pair)
