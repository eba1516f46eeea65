import math

import pytest

from understudy.errors import BudgetError, ParameterError
from understudy.privacy.answers import calibrated, central_limit, converted, gaussian, schedule, steps


def test_four_releases_at_noise_two_are_one_at_noise_one():
    four, one = gaussian(2.0, 4, 1e-5), gaussian(1.0, 1, 1e-5)
    assert four["epsilon"] == pytest.approx(one["epsilon"]) == pytest.approx(4.3772, abs=1e-4)
    assert four["mu"] == pytest.approx(1.0) and four["rho"] == 0.5


def test_the_central_limit_is_told_apart_from_the_bound_that_it_undercuts():
    # The first row of the table in docs/explanation/accounting.md.
    found = steps(0.5, *schedule(64, 32_561, 1), 1e-5)
    assert found["exact"]["epsilon"] == pytest.approx(4.0, abs=0.02)
    assert found["central_limit_approximation"]["epsilon"] == pytest.approx(1.80, abs=0.01)
    assert found["renyi"]["epsilon"] > found["exact"]["epsilon"]
    assert found["exact"]["separation"] == pytest.approx(0.0664, abs=5e-4)


def test_noise_too_small_for_the_formula_of_the_paper_has_no_bound_by_it():
    approximation = central_limit(0.03, 0.001, 1, 1e-5)
    assert approximation["mu"] is None and approximation["epsilon"] is None


def test_calibrated_noise_spends_the_budget_and_no_more():
    found = calibrated(1.0, 1e-6, 0.02, 1_000)
    assert 0.99 <= found["epsilon"] <= 1.0
    assert steps(found["noise"] * 0.98, 0.02, 1_000, 1e-6)["exact"]["epsilon"] > 1.0


@pytest.mark.parametrize("noise", [1e-300, 1e300])
def test_noise_whose_square_no_float_holds_is_refused(noise):
    for ask in (lambda: gaussian(noise, 1, 1e-9), lambda: steps(noise, 0.1, 10, 1e-9)):
        with pytest.raises(ParameterError, match="noise must be from 1e-100 to 1e100"):
            ask()


@pytest.mark.parametrize("noise", [1e-100, 1e100])
def test_noise_at_either_end_has_an_answer(noise):
    assert gaussian(noise, 1, 1e-9)["noise"] == steps(noise, 0.1, 10, 1e-9)["noise"] == noise


@pytest.mark.parametrize("measure", ["epsilon", "mu", "separation", "rho", "advantage"])
def test_every_measure_comes_back_from_every_other(measure):
    here = converted("mu", 0.5, 1e-6)["gaussian"]
    again = converted(measure, here[measure], 1e-6)["gaussian"]
    assert again == pytest.approx(here, rel=1e-6)


def test_what_holds_for_any_mechanism_is_never_smaller_than_what_the_gaussian_has():
    for measure, amount in (("epsilon", 1.0), ("rho", 0.05)):
        found = converted(measure, amount, 1e-6)
        for name, value in found["any_mechanism"].items():
            assert value >= found["gaussian"][name]
    assert converted("separation", 0.1, 1e-6)["any_mechanism"] == {"epsilon": None}


def test_a_separation_of_a_tenth_is_the_mu_of_the_paper():
    assert converted("separation", 0.1, 1e-5)["gaussian"]["mu"] == pytest.approx(0.356368, abs=1e-6)


@pytest.mark.parametrize("amount", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("measure", ["epsilon", "mu", "separation", "rho", "advantage"])
def test_an_impossible_amount_is_refused(measure, amount):
    with pytest.raises(BudgetError):
        converted(measure, amount, 1e-6)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-9, math.nan])
def test_an_impossible_delta_is_refused(delta):
    for ask in (
        lambda: gaussian(1.0, 1, delta),
        lambda: steps(1.0, 0.1, 1, delta),
        lambda: converted("mu", 1.0, delta),
    ):
        with pytest.raises(ParameterError):
            ask()


@pytest.mark.parametrize("bad", [(0, 10, 1), (11, 10, 1), (1, 10, 0), (1, 10, math.inf)])
def test_an_impossible_schedule_is_refused(bad):
    with pytest.raises(ParameterError):
        schedule(*bad)


@pytest.mark.parametrize("bad", [(1.0, 1e-6, 0.0, 5), (1.0, 1e-6, 1.5, 5), (1.0, 1e-6, 0.1, 0)])
def test_an_impossible_calibration_is_refused(bad):
    with pytest.raises(ParameterError):
        calibrated(*bad)
