import math

import numpy as np

from testing.planted import Planted, caught
from understudy.testing import missing


def test_filled_holes_are_caught_with_both_rates():
    message = caught(missing.missing_rates_are_kept, Planted(flaw="fills_the_holes"))
    assert "missing in 0% of the rows" in message


def test_a_single_hole_is_caught_where_there_was_none():
    check = missing.columns_without_missing_values_stay_without
    assert "is never missing" in caught(check, Planted(flaw="punches_holes"))


def test_the_tolerance_is_hoeffdings_and_holds_for_a_fair_coin():
    bound = missing._hoeffding(1_000, 0.01)
    assert math.isclose(bound, math.sqrt(math.log(200) / 2_000))
    means = np.random.default_rng(0).binomial(1_000, 0.5, 20_000) / 1_000
    assert (abs(means - 0.5) > bound).mean() < 0.01
