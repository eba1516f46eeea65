import numpy as np
import pytest

from engines.marginals.joint import joint_of, marginal_of, random_model
from understudy.engines.marginals.beliefs import marginals_of


@pytest.mark.parametrize("seed", range(40))
def test_marginals_are_those_of_the_whole_table(seed):
    model = random_model(seed)
    joint = joint_of(model)
    for of, table in zip(model.tree.cliques, model.marginals, strict=True):
        assert np.allclose(table, marginal_of(joint, of))


def test_a_value_that_is_ruled_out_has_no_mass_anywhere():
    models = map(random_model, range(100))
    model = next(m for m in models if len(m.tree.cliques) > 1 and min(p.size for p in m.potentials) > 1)
    potentials = [p.copy() for p in model.potentials]
    potentials[0][(0,) * potentials[0].ndim] = -np.inf
    found = marginals_of(model.tree, potentials, 5.0)
    assert found[0][(0,) * potentials[0].ndim] == 0
    assert all(np.isclose(table.sum(), 5.0) and np.isfinite(table).all() for table in found)
