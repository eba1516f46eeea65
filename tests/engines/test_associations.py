import numpy as np
import pytest
from scipy import stats

from understudy.engines.associations import correlation_ratio, pearson, spearman


def with_holes(rows=200, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns))
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    return matrix


def pairwise(matrix, coefficient):
    size = matrix.shape[1]
    found = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            both = ~np.isnan(matrix[:, i]) & ~np.isnan(matrix[:, j])
            found[i, j] = coefficient(matrix[both, i], matrix[both, j]).statistic
    return found


def test_pearson_of_all_pairs_is_that_of_each_pair_over_the_rows_that_have_both():
    matrix = with_holes()
    assert pearson(matrix) == pytest.approx(pairwise(matrix, stats.pearsonr), abs=1e-12)


def test_spearman_of_all_pairs_is_that_of_each_pair_over_the_rows_that_have_both():
    matrix = np.round(with_holes(seed=1), 1)
    assert spearman(matrix) == pytest.approx(pairwise(matrix, stats.spearmanr), abs=1e-12)
    whole = np.nan_to_num(matrix)
    assert spearman(whole) == pytest.approx(pairwise(whole, stats.spearmanr), abs=1e-12)


def test_a_missing_entry_is_not_the_number_0():
    # dython's default puts 0.0 for it: a perfect line then has a correlation of -0.12.
    line = np.column_stack([np.arange(100.0, 110.0), np.arange(200.0, 210.0)])
    line[3, 0] = line[7, 1] = np.nan
    assert pearson(line)[0, 1] == pytest.approx(1)
    level, values = np.array([0, 0, 1, 1]), np.array([[100.0], [100.0], [200.0], [np.nan]])
    assert correlation_ratio([level], [2], values)[0, 0] == pytest.approx(1)  # 0.0 for the hole: 0


def test_units_do_not_change_a_correlation():
    matrix = with_holes(seed=2)
    far = matrix * [1e-9, 1e12, 3, 1] + [0, 1e14, -1e6, 1e3]
    assert pearson(far) == pytest.approx(pearson(matrix), abs=1e-3)
    assert pearson(4 * matrix) == pytest.approx(pearson(matrix), abs=1e-12)


def test_a_constant_column_has_no_correlation():
    matrix = np.column_stack([np.arange(5.0), np.full(5, 0.1), [1, 1, 1, 1, np.nan]])
    found = pearson(matrix)
    assert np.isnan(found[0, 1:]).all() and np.isnan(found[1]).all()


def test_a_column_that_is_constant_where_its_partner_is_there_has_none_with_it():
    matrix = np.array([[0.1, np.nan], [0.7, 1.0], [0.7, 2.0], [0.7, 3.0]])
    assert np.isnan(pearson(matrix)[0, 1])


def test_rows_too_few_for_a_correlation_are_undefined_and_nothing_is_warned_of():
    assert np.isnan(pearson(np.array([[1.0, 2.0]]))).all()
    assert np.isnan(pearson(np.full((4, 2), np.nan))).all()
    assert np.isnan(spearman(np.full((4, 2), np.nan))).all()
    assert pearson(np.empty((4, 0))).shape == (0, 0)


def test_numbers_near_the_largest_are_correlated_without_overflow():
    huge = np.finfo(np.float64).max / 4
    found = pearson(np.array([[-huge, 1.0], [0.0, 2.0], [huge, 3.0]]))
    assert found[0, 1] == pytest.approx(1)


def test_eta_of_a_a_b_b_and_1_3_5_7_is_0_894427():
    eta = correlation_ratio([np.array([0, 0, 1, 1])], [2], np.array([[1.0], [3.0], [5.0], [7.0]]))
    assert eta[0, 0] == pytest.approx(0.894427, abs=1e-6)


def test_eta_agrees_with_sums_of_squares_over_the_rows_that_have_the_quantity():
    rng = np.random.default_rng(3)
    matrix, columns = with_holes(), [rng.integers(3, size=200), rng.integers(5, size=200)]
    found = correlation_ratio(columns, [4, 5], matrix)  # the first has a level that does not occur
    for i, cells in enumerate(columns):
        for j in range(matrix.shape[1]):
            values, kept = matrix[:, j], ~np.isnan(matrix[:, j])
            groups = [values[kept & (cells == level)] for level in range(5)]
            mean = values[kept].mean()
            between = sum(len(group) * (group.mean() - mean) ** 2 for group in groups if len(group))
            square = between / ((values[kept] - mean) ** 2).sum()
            assert found[i, j] == pytest.approx(square**0.5)


def test_eta_is_undefined_for_a_constant_quantity_or_a_single_level():
    cells, values = np.array([0, 1, 1]), np.column_stack([[4.0, 4.0, 4.0], [np.nan, 1.0, 2.0]])
    assert np.isnan(correlation_ratio([cells], [2], values)).all()
    assert correlation_ratio([], [], values).shape == (0, 2)
