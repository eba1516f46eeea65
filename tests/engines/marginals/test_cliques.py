import numpy as np
from hypothesis import given, strategies as st

from understudy.engines.marginals.cliques import cells, clique, lined_up, log_sum, shape_of, summed

attributes = st.sets(st.integers(0, 4), min_size=1, max_size=4)
SIZES = (2, 3, 1, 4, 2)


@given(attributes, st.data(), st.integers(0, 99))
def test_marginals_are_those_of_the_broadcast_array(whole, data, seed):
    part = clique(data.draw(st.sets(st.sampled_from(sorted(whole)))))
    of = clique(whole)
    values = np.random.default_rng(seed).random(shape_of(of, SIZES))
    marginal = summed(values, of, part)
    assert marginal.shape == shape_of(part, SIZES) and np.isclose(marginal.sum(), values.sum())
    assert np.allclose(np.exp(log_sum(np.log(values), of, part)), marginal)
    again = np.broadcast_to(lined_up(marginal, part, of), shape_of(of, SIZES))
    assert np.allclose(summed(again, of, part), marginal * cells(of, SIZES) / cells(part, SIZES))


def test_cells_that_are_ruled_out_stay_ruled_out():
    logs = np.array([[0.0, np.log(3.0)], [-np.inf, -np.inf]])
    found = log_sum(logs, (0, 1), (0,))
    assert np.isclose(found[0], np.log(4.0)) and found[1] == -np.inf


def test_huge_logarithms_do_not_overflow():
    assert np.isclose(log_sum(np.array([1e4, 1e4]), (0,), ()), 1e4 + np.log(2))
