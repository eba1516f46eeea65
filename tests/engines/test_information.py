import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from understudy.engines.information import coupled_u, entropy, jensen_shannon, joint_entropies


def u(first, second):
    return float(joint_entropies([np.array(first), np.array(second)], [9, 9]).theil_u()[0, 1])


def information(first, second, **settings):
    joint = joint_entropies([first, second], [int(first.max()) + 1, int(second.max()) + 1])
    return float(joint.normalised_information(**settings)[0, 1])


def test_theils_u_of_a_a_b_b_given_0_0_0_1_is_0_311278():
    assert u([0, 0, 1, 1], [0, 0, 0, 1]) == pytest.approx(0.311278, abs=1e-6)


def test_theils_u_of_an_independent_binary_pair_is_0_and_of_an_identical_one_is_1():
    assert u([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0, abs=1e-12)
    assert u([0, 0, 1, 1], [1, 1, 0, 0]) == pytest.approx(1)


def test_theils_u_has_a_direction():
    fine, coarse = [0, 1, 2, 3], [0, 0, 1, 1]
    assert u(coarse, fine) == pytest.approx(1)
    assert u(fine, coarse) == pytest.approx(0.5)


def test_nothing_is_explained_of_a_constant_column():
    assert np.isnan(u([0, 0, 0], [0, 1, 2]))
    assert u([0, 1, 2], [0, 0, 0]) == pytest.approx(0)


def test_js_distance_of_even_and_uneven_halves_is_0_220896_in_base_2():
    found = jensen_shannon(np.array([2, 2]), np.array([1, 3])) ** 0.5
    assert found == pytest.approx(0.220896, abs=1e-6)
    assert found * np.log(2) ** 0.5 == pytest.approx(0.183908, abs=1e-6)


def test_js_agrees_with_scipy():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, other = rng.integers(0, 9, size=(2, 7)) + np.eye(7, dtype=int)[:2]
        assert jensen_shannon(one, other) ** 0.5 == pytest.approx(jensenshannon(one, other, 2), abs=1e-7)


def test_js_distance_of_disjoint_columns_is_not_shrunk_by_added_ones():
    # synthcity adds 1 to frequencies that sum to 1 and gets 0.2380 (natural logarithm) for this.
    assert jensen_shannon(np.array([5, 0]), np.array([0, 8])) == 1.0


def test_swapped_frequencies_are_seen():
    # synthcity's inverse KL compares values in the order of their frequency and gets 0 for this.
    assert jensen_shannon(np.array([70, 30]), np.array([30, 70])) > 0.1
    assert coupled_u(np.array([70, 30]), np.array([30, 70])) < 0.25


def test_the_coupling_of_frequencies_is_that_of_rows_that_agree_where_they_can():
    p, q = np.array([5, 3, 2]), np.array([2, 3, 5])
    rows = [(0, 0)] * 2 + [(1, 1)] * 3 + [(2, 2)] * 2 + [(0, 2)] * 3
    assert coupled_u(p, q) == pytest.approx(u([a for a, _ in rows], [b for _, b in rows]))
    assert coupled_u(p, 10 * p) == pytest.approx(1)
    assert coupled_u(p, np.array([9, 0, 0])) == pytest.approx(0, abs=1e-12)
    assert np.isnan(coupled_u(np.array([4, 0]), np.array([2, 2])))


def test_entropy_of_nothing_is_0():
    assert entropy(np.array([0, 0])) == 0.0
    assert entropy(np.array([0, 5])) == 0.0


def test_correction_takes_away_the_association_that_few_rows_seem_to_have():
    found = []
    for seed in range(30):
        one, other = np.random.default_rng(seed).integers(8, size=(2, 300))
        found.append((information(one, other), information(one, other, corrected=False)))
    corrected, plain = np.mean(found, axis=0)
    assert plain > 0.03
    assert corrected < plain / 5


def test_normalised_information_of_a_column_with_itself_is_1_and_with_a_constant_undefined():
    cells = np.random.default_rng(0).integers(5, size=100)
    assert information(cells, cells) == pytest.approx(1, abs=0.05)
    assert information(cells, cells, corrected=False) == pytest.approx(1)
    assert np.isnan(information(cells, np.zeros(100, dtype=np.int64)))


def test_no_column_at_all_has_no_entropies():
    assert joint_entropies([], []).theil_u().shape == (0, 0)
