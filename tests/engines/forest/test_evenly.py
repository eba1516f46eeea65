"""Numbers are uniform one by one, and even together."""

import numpy as np
from scipy.stats import kstest

from understudy.engines.forest.evenly import BLOCK, evenly


def test_each_number_is_uniform():
    rng = np.random.default_rng(0)
    for place in (0, 40):  # in a whole block, and in one that is cut off
        assert kstest([evenly(45, rng)[place] for _ in range(3_000)], "uniform").pvalue > 1e-6


def test_every_block_has_a_number_in_each_part():
    parts = np.floor(evenly(10 * BLOCK, np.random.default_rng(1)) * BLOCK).reshape(10, BLOCK)
    assert (np.sort(parts, axis=1) == np.arange(BLOCK)).all()


def test_two_calls_have_nothing_to_do_with_each_other():
    rng = np.random.default_rng(2)
    assert abs(np.corrcoef(evenly(20_000, rng), evenly(20_000, rng))[0, 1]) < 0.03


def test_no_rows_need_no_numbers():
    assert evenly(0, np.random.default_rng(0)).shape == (0,)
