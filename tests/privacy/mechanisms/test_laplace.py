import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.releases import ALPHA, laplace_cdf, noise_of, p_of_noise, proofs, stream
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.laplace import LaplaceCounts

N = 100_000


def wide(scale, cells=N):
    return LaplaceCounts(Margin(("code",), (cells - 1,)), scale)


@pytest.mark.parametrize("scale", [20, 100])
def test_the_noise_is_accepted_at_its_scale_and_refused_at_085_of_it(scale):
    zeros = np.zeros(N, dtype=np.int64)
    law = laplace_cdf(scale)
    assert p_of_noise(noise_of(wide(scale), zeros, seed=1), law, scale) > 1e-3
    assert p_of_noise(noise_of(wide(round(0.85 * scale)), zeros, seed=1), law, scale) < ALPHA
    assert p_of_noise(noise_of(wide(round(scale / 0.85)), zeros, seed=1), law, scale) < ALPHA


@given(st.lists(st.integers(-2, 5), max_size=30), st.integers(-2, 5))
def test_one_row_moves_one_cell_by_one(rows, row):
    mechanism = LaplaceCounts(Margin(("code",), (4,)), 3)
    before, after = (
        mechanism.statistic({"code": np.array(table, dtype=np.int32)}) for table in (rows, [*rows, row])
    )
    assert mechanism.distance(before, after) == mechanism.sensitivity.value == 1


@pytest.mark.parametrize("scale", [1, 2, 10])
def test_the_price_is_the_largest_ratio_of_two_neighbours_and_no_delta(scale):
    law = np.exp(-np.abs(np.arange(-60, 60)) / scale)
    ratio = np.log(law[1:] / law[:-1])
    priced = account((wide(scale, 2).event,)).epsilon(0.0)
    assert np.abs(ratio).max() == pytest.approx(1 / scale, rel=1e-6)
    assert 1 / scale <= priced * (1 + 1e-9)
    assert priced == pytest.approx(1 / scale, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_the_price_covers_the_divergence_of_two_neighbours(epsilon):
    scale = 4
    cdf, k = laplace_cdf(scale), np.arange(-300, 300)
    law = cdf(k) - cdf(k - 1)
    truth = float(np.maximum(law[1:] - math.exp(epsilon) * law[:-1], 0.0).sum())
    assert truth <= account((wide(scale, 2).event,)).delta(epsilon) + 1e-12


@pytest.mark.parametrize("scale", [0, -1, 1.5, True, None, float("nan")])
def test_a_scale_that_is_no_whole_number_above_nought_is_refused(scale):
    with pytest.raises(ParameterError, match="whole number"):
        wide(scale)


def test_none_of_a_million_counts_proves_which_table_it_comes_from():
    released = wide(4, 1_000_000).release(np.zeros(1_000_000, dtype=np.int64), stream(5))
    assert released.dtype == np.int64
    assert proofs(released.astype(np.float64), 1.0) == 0


def test_no_rows_give_noise_in_every_cell():
    mechanism = LaplaceCounts(Margin(("a", "b"), (2, 3)), 5)
    columns = {"a": np.empty(0, dtype=np.int32), "b": np.empty(0, dtype=np.int32)}
    assert mechanism.release(mechanism.statistic(columns), stream(1)).shape == (3, 4)
