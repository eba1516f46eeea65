import math

import pytest

from understudy.errors import ParameterError
from understudy.privacy.accounting import account
from understudy.privacy.drawn_rows import Meter
from understudy.privacy.events import Open, Renyi

ADULT = 48_842


def epsilon(event, delta=1e-5):
    return account((event,)).epsilon(delta)


def test_as_many_rows_as_adult_has_cost_an_epsilon_of_sixty_nine_in_the_form_of_the_paper():
    assert epsilon(Meter("paper", 0.01, ADULT, 6).event(ADULT)) == pytest.approx(68.9, abs=0.05)


def test_ten_million_rows_cost_less_than_the_paper_prints_because_every_order_is_tried():
    event = Meter("paper", 0.01, 10**7, 6).event(10**7)
    assert epsilon(event) == pytest.approx(2.3448, abs=2e-4)
    assert epsilon(event, 1e-10) == pytest.approx(3.5011, abs=5e-4)


def test_the_ridge_costs_no_more_than_the_condition():
    for rows in (1_000, ADULT):
        assert epsilon(Meter("ridge", 0.01, ADULT, 6).event(rows)) <= epsilon(
            Meter("paper", 0.01, ADULT, 6).event(rows)
        )


def test_rows_add_up_order_by_order():
    meter = Meter("ridge", 0.01, ADULT, 6)
    one, ten = meter.event(1), meter.event(10)
    assert isinstance(one, Renyi) and isinstance(ten, Renyi)
    assert ten.divergences == pytest.approx([10 * value for value in one.divergences])


@pytest.mark.parametrize("form", ["paper", "ridge"])
def test_a_promise_of_more_rows_never_costs_more(form):
    prices = [epsilon(Meter(form, 0.05, n, 3).event(500)) for n in (2_000, 2_001, 5_000, 50_000, 10**6)]
    assert prices == sorted(prices, reverse=True)


def test_a_table_too_small_for_any_order_has_no_price():
    assert isinstance(Meter("paper", 0.01, 100, 6).event(1), Open)
    assert math.isinf(epsilon(Meter("paper", 0.01, 100, 6).event(1)))


def test_rows_paid_for_are_drawn_first_and_the_rest_is_due():
    meter = Meter("ridge", 0.01, ADULT, 6, paid=100)
    due, meter = meter.draw(60)
    assert (due, meter.paid, meter.drawn) == (0, 100, 60)
    due, meter = meter.draw(60)
    assert (due, meter.paid, meter.drawn) == (20, 120, 120)


def test_only_the_form_of_the_paper_rests_on_a_condition():
    assert Meter("ridge", 0.01, ADULT, 6).condition == ""
    said = Meter("paper", 0.01, ADULT, 6).condition
    assert "eigenvalue" in said and "0.01" in said and "does not depend on the table" in said
    assert "48,842" in Meter("ridge", 0.01, ADULT, 6).because


@pytest.mark.parametrize("bad", [("other", 0.01, 100, 6), ("ridge", 0.01, 2, 6), ("ridge", 0.01, 99.5, 6)])
def test_a_meter_that_cannot_be_is_refused(bad):
    with pytest.raises(ParameterError):
        Meter(*bad)
