from itertools import combinations

import numpy as np
import pytest

from engines.marginals.joint import joint_of, marginal_of, random_model
from understudy.engines.marginals.pairs import all_pairs


@pytest.mark.parametrize("seed", range(60))
def test_every_pair_is_that_of_the_whole_table(seed):
    model = random_model(seed)
    joint, found = joint_of(model), all_pairs(model)
    assert sorted(found) == list(combinations(range(len(model.sizes)), 2))
    for pair, table in found.items():
        assert np.allclose(table, marginal_of(joint, pair))
