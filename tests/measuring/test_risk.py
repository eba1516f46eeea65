"""The risk of a guessing attack: known answers, and what is cut when."""

import math

import numpy as np
import pytest

from understudy.measuring.risk import (
    Rate,
    Risk,
    Runs,
    Tries,
    control_rate,
    pooled,
    rate_of,
    relative,
    risk_of,
)


@pytest.mark.parametrize(
    ("hits", "guesses", "centre", "reach"),
    [
        (0, 500, 0.003812, 0.003812),
        (50, 500, 0.103050, 0.026372),
        (100, 500, 0.202287, 0.035002),
        (850, 1000, 0.848661, 0.022129),
        (500, 500, 1 - 0.003812, 0.003812),
    ],
)
def test_rates_are_wilsons(hits, guesses, centre, reach):
    assert rate_of(Tries(hits, guesses)) == pytest.approx((centre, reach), abs=1e-6)


def test_the_risk_of_two_rates_is_what_the_paper_says():
    assert relative(Rate(0.9, 0.0), Rate(0.8, 0.0)).raw == pytest.approx(0.5)
    found = relative(Rate(0.9, 0.02), Rate(0.85, 0.02))
    assert found.raw == pytest.approx(1 / 3)
    assert found.high - found.raw == pytest.approx(0.160, abs=5e-4)


def test_the_risk_of_counts_has_the_known_interval():
    runs = Runs(Tries(100, 500), Tries(0, 500), Tries(50, 500))
    assert risk_of(runs) == pytest.approx((0.110639, 0.063665, 0.157613), abs=1e-6)


def test_the_propagation_is_right_for_a_ratio():
    # Rates drawn with small errors: the spread of R is the one that is told.
    rng = np.random.default_rng(0)
    main, control = 0.6 + 0.01 * rng.standard_normal(200_000), 0.3 + 0.02 * rng.standard_normal(200_000)
    spread = np.std((main - control) / (1 - control))
    told = relative(Rate(0.6, 0.01), Rate(0.3, 0.02))
    assert told.high - told.raw == pytest.approx(spread, rel=0.02)


def test_an_interval_without_risk_covers_nothing_as_often_as_it_says():
    rng = np.random.default_rng(1)
    draws = rng.binomial(500, 0.3, (2_000, 2)).tolist()
    found = [risk_of(Runs(Tries(a, 500), Tries(0, 500), Tries(b, 500))) for a, b in draws]
    assert 0.93 < np.mean([risk.low <= 0 <= risk.high for risk in found]) < 0.97


def test_a_perfect_attack_and_a_hopeless_one():
    assert risk_of(Runs(Tries(500, 500), Tries(0, 500), Tries(0, 500))).raw > 0.99
    # Even a control that is always right leaves a finite risk.
    assert math.isfinite(risk_of(Runs(Tries(0, 500), Tries(0, 500), Tries(500, 500))).raw)


def test_without_a_control_the_risk_is_the_rate():
    assert risk_of(Runs(Tries(0, 500), Tries(0, 500))) == pytest.approx((0.003812, 0, 0.007624), abs=1e-6)


def test_no_guess_has_no_risk():
    assert math.isnan(risk_of(Runs(Tries(0, 0), Tries(0, 0), Tries(0, 0))).raw)
    assert math.isnan(Risk(math.nan, math.nan, math.nan).cut()[0])


def runs(main, control, of=500):
    return Runs(Tries(main, of), Tries(0, of), Tries(control, of))


def test_a_risk_wholly_below_nothing_is_reported_as_nothing_with_all_its_uncertainty():
    value, low, high = Risk(-0.0032, -0.0059, -0.0006).cut()
    assert (value, low) == (0.0, 0.0)
    assert high == pytest.approx(0.0026)
    assert Risk(1.0, 0.9, 1.1).cut() == (1.0, 0.9, 1.0)


def test_cutting_comes_last_so_that_chance_does_not_add_up_to_a_risk():
    by_chance = [runs(150, 100), runs(100, 150)]
    assert pooled(by_chance).cut()[0] == pytest.approx(0, abs=1e-12)
    assert sum(risk_of(way).cut()[0] for way in by_chance) > 0.1  # what cutting first would say


def test_ways_are_pooled_by_what_there_was_to_gain():
    # The control of the second way is always right: luck there is a large share of nothing.
    found = pooled([runs(300, 100), runs(500, 499)])
    assert found.raw == pytest.approx(200 / 401, abs=0.01)
    alone = risk_of(runs(300, 100))
    assert found.high - found.low < 1.1 * (alone.high - alone.low)


def test_what_is_undefined_is_left_out():
    undefined = Runs(Tries(0, 0), Tries(0, 0), Tries(0, 0))
    assert pooled([undefined, runs(100, 50)]) == risk_of(runs(100, 50))
    assert math.isnan(pooled([undefined]).raw)
    assert math.isnan(pooled([]).raw)


def test_ways_without_a_control_have_their_mean_rate():
    ways = [Runs(Tries(hits, 500), Tries(0, 500)) for hits in (0, 500)]
    assert pooled(ways).raw == pytest.approx(0.5)


def test_a_control_of_another_size_is_scaled_and_its_doubt_widens_the_interval():
    plain, sure, unsure = (
        Runs(Tries(300, 500), Tries(0, 500), Tries(50, 500), scale=scale, doubt=doubt)
        for scale, doubt in ((1, 0), (2, 0), (2, 0.5))
    )
    assert control_rate(sure).value == pytest.approx(2 * control_rate(plain).value)
    assert risk_of(sure).raw == risk_of(unsure).raw < risk_of(plain).raw
    assert risk_of(unsure).low < risk_of(sure).low
    assert control_rate(Runs(Tries(1, 2), Tries(1, 2))) is None


def test_a_scaled_control_leaves_something_to_gain():
    found = risk_of(Runs(Tries(450, 500), Tries(0, 500), Tries(300, 500), scale=4.0))
    assert control_rate(Runs(Tries(0, 9), Tries(0, 9), Tries(8, 9), scale=4.0)).value < 1
    assert -100 < found.raw < 0
