import math
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from privacy.releases import ALPHA, noise_of, p_of_noise, rounded_cdf
from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.events import Gaussian
from understudy.privacy.mechanisms.counts import Margin
from understudy.privacy.mechanisms.dependences import GRID, Dependences

PAIR = Margin(("a", "b"), (1, 2))
CELLS = list(product(range(2), range(3)))
EXPECTED = (np.array([[0.3, 1.7, 2.0], [1 / 3, 0.0, 5.1]]),)


def columns_of(rows):
    codes = np.array(rows, dtype=np.int32).reshape(-1, 2)
    return {"a": codes[:, 0], "b": codes[:, 1]}


def moved(mechanism):
    """Return how far the score moves at most over all tables of up to 5 rows and all their neighbours."""
    score = {
        rows: int(mechanism.statistic(columns_of(rows))[0])
        for many in range(7)
        for rows in combinations_with_replacement(CELLS, many)
    }
    return max(
        abs(score[tuple(sorted((*rows, row)))] - score[rows])
        for rows in score
        if len(rows) < 6
        for row in CELLS
    )


def test_one_row_moves_a_score_by_one_where_the_expectation_is_public():
    mechanism = Dependences((PAIR,), Gaussian(3.0), EXPECTED)
    assert moved(mechanism) == 1 / GRID == mechanism.sensitivity.value


def test_one_row_moves_a_score_by_less_than_four_where_it_is_not():
    mechanism = Dependences((PAIR,), Gaussian(3.0))
    assert 1 / GRID < moved(mechanism) < 4 / GRID < mechanism.sensitivity.value


def test_four_is_come_near_to_by_large_tables():
    # Nearly every cell holds a little more than independence says, and the row's two values are new.
    size, each = 30, 20
    codes = [pair for pair in product(range(size), range(size)) if pair[0] != pair[1] for _ in range(each)]
    table = Margin(("a", "b"), (size, size))
    mechanism = Dependences((table,), Gaussian(3.0))
    before, after = (mechanism.statistic(columns_of(rows)) for rows in (codes, [*codes, (size, size)]))
    assert 3.8 / GRID < after[0] - before[0] <= mechanism.sensitivity.value


def test_scores_of_several_pairs_move_together():
    mechanism = Dependences((PAIR,) * 3, Gaussian(3.0, 3), EXPECTED * 3)
    assert mechanism.sensitivity.value == math.sqrt(3) / GRID
    rows = [(0, 1), (1, 2)]
    before, after = (mechanism.statistic(columns_of(table)) for table in (rows, [*rows, (1, 2)]))
    assert mechanism.distance(before, after) <= mechanism.sensitivity.value


@pytest.mark.parametrize("expected", [None, EXPECTED * 50_000], ids=["own", "public"])
def test_the_noise_is_accepted_at_its_scale_and_refused_at_085_of_it(expected):
    zeros, many = np.zeros(50_000, dtype=np.int64), 50_000
    for factor, accepted in ((1.0, True), (0.85, False), (1 / 0.85, False)):
        mechanism = Dependences((PAIR,) * many, Gaussian(0.7 * factor, many), expected)
        steps = 0.7 * mechanism.moved_by
        p = p_of_noise(noise_of(mechanism, zeros, seed=2, unit=GRID), rounded_cdf(steps), steps)
        assert (p > 1e-3) if accepted else (p < ALPHA)


def test_independent_columns_score_nought_and_equal_ones_score_high():
    rows = [(a, b) for a, b in product(range(2), range(3)) for _ in range(10)]
    mechanism = Dependences((PAIR,), Gaussian(3.0))
    assert mechanism.statistic(columns_of(rows))[0] == 0
    same = columns_of([(a, a) for a in (0, 1) for _ in range(30)])
    assert mechanism.statistic(same)[0] * GRID == pytest.approx(60)


def test_no_rows_score_nought():
    assert Dependences((PAIR,), Gaussian(3.0)).statistic(columns_of([])).tolist() == [0]


def test_the_price_agrees_with_dp_accounting():
    from dp_accounting.pld import privacy_loss_distribution as pld

    event = Dependences((PAIR,) * 4, Gaussian(9.0, 4)).event
    theirs = pld.from_gaussian_mechanism(9.0).self_compose(4).get_epsilon_for_delta(1e-6)
    assert account((event,)).epsilon(1e-6) == pytest.approx(theirs, rel=1e-3)


def test_scores_that_are_not_paid_for_and_missing_expectations_are_refused():
    with pytest.raises(ParameterError, match="2 scores at the price of 1"):
        Dependences((PAIR,) * 2, Gaussian(3.0))
    with pytest.raises(ParameterError, match="one expectation"):
        Dependences((PAIR,) * 2, Gaussian(3.0, 2), EXPECTED)
