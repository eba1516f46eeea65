"""The density of one column: shares that sum to 1, kernels beside scipy's, missing cells."""

import numpy as np
import pytest
from scipy import stats

from understudy.measuring.column_density import log_density, log_shares


def test_shares_of_all_levels_and_of_missing_cells_sum_to_1():
    shares = np.exp(log_shares(np.arange(-1, 4), np.array([0, 0, 1, -1, 2]), levels=4))
    assert shares.sum() == pytest.approx(1.0)
    assert shares.argmax() == 1
    assert shares.min() > 0


def test_a_quantity_has_the_kernel_density_times_the_share_that_is_there():
    known, asked = np.array([0.0, 1.0, 4.0, np.nan]), np.array([0.5, np.nan])
    found = log_density(asked, known, "scott")
    there = 3.5 / 5
    assert found[0] == pytest.approx(stats.gaussian_kde(known[:3]).logpdf(0.5)[0] + np.log(there))
    assert found[1] == pytest.approx(np.log(1 - there))


@pytest.mark.parametrize("known", [np.array([np.nan, np.nan]), np.array([2.0]), np.array([2.0, 2.0])])
def test_columns_of_no_value_and_of_one_have_densities_too(known):
    assert np.isfinite(log_density(np.array([1.0, 2.0, np.nan]), known, "silverman")).all()
