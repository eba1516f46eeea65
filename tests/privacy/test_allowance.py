"""What was reserved can be read, as it was reserved, and no more."""

from __future__ import annotations

import math

import pytest

from understudy.errors import BudgetError
from understudy.privacy.allowance import Allowance
from understudy.privacy.entry import Entry
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Gaussian,
    GaussianDP,
    Laplace,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
)
from understudy.privacy.gdp import mu_of_choice, mu_of_counts


def allowing(event):
    return Allowance([Entry("x", "measure", event, name="x")])


@pytest.mark.parametrize(("reserved", "reads"), [
    (Gaussian(2.0, 3), [Gaussian(2.0), Gaussian(2.0, 2)]),
    (Selection(0.1, 2), [Selection(0.1), Selection(0.1)]),
    (SampledGaussian(1.0, 0.1, 100), [SampledGaussian(1.0, 0.1, 60), SampledGaussian(1.0, 0.1, 40)]),
    (Pure(1.0), [Pure(1.0)]), (Concentrated(0.1), [Concentrated(0.1)]),
    (Renyi((2.0,), (0.1,)), [Renyi((2.0,), (0.1,))]),
], ids=str)  # fmt: skip
def test_a_reservation_can_be_used_up_in_pieces_and_then_no_more(reserved, reads):
    allowance = allowing(reserved)
    assert [allowance.take("x", event) for event in reads] == list(range(len(reads)))
    with pytest.raises(BudgetError, match="reserved for less"):
        allowance.take("x", reads[0])


@pytest.mark.parametrize(("reserved", "asked"), [
    (Gaussian(2.0), Gaussian(1.9)), (Gaussian(2.0), Gaussian(2.0, 2)), (Laplace(2.0), Laplace(1.0)),
    (SampledGaussian(1.0, 0.1, 10), SampledGaussian(1.0, 0.2, 10)),
    (SampledGaussian(1.0, 0.1, 10), SampledGaussian(1.0, 0.1, 11)), (Pure(1.0), Pure(2.0)),
], ids=str)  # fmt: skip
def test_less_noise_more_steps_or_a_higher_rate_are_refused(reserved, asked):
    with pytest.raises(BudgetError, match="reserved for less"):
        allowing(reserved).take("x", asked)


@pytest.mark.parametrize(("reserved", "asked"), [
    (SampledGaussian(1.0, 0.1, 10), SampledGaussian(math.nextafter(1.0, 2.0), 0.1, 10)),
    (Gaussian(2.0), Gaussian(3.0)), (Laplace(2.0), Laplace(2.5)),
], ids=str)  # fmt: skip
def test_more_noise_than_was_reserved_is_granted(reserved, asked):
    assert allowing(reserved).take("x", asked) == 0


@pytest.mark.parametrize(("name", "event"), [("y", Gaussian(2.0)), ("x", Laplace(2.0)), ("", Gaussian(2.0))])
def test_another_name_or_another_mechanism_is_refused(name, event):
    with pytest.raises(BudgetError, match="was not reserved as a"):
        allowing(Gaussian(2.0)).take(name, event)


def test_a_refusal_takes_nothing():
    allowance = allowing(Gaussian(2.0, 2))
    with pytest.raises(BudgetError):
        allowance.take("x", Gaussian(2.0, 3))
    assert allowance.take("x", Gaussian(2.0, 2)) == 0


def test_a_delta_beyond_what_was_set_aside_is_refused():
    entries = [
        Entry("levels", "schema", DiscreteGaussian(3.0, 4), name="levels"),
        Entry("chance", "schema", Pure(0.0, 1e-6), name="delta"),
    ]
    allowance = Allowance(entries)
    assert allowance.take("levels", DiscreteGaussian(3.0), chance=6e-7) == 0
    with pytest.raises(BudgetError, match="larger delta"):
        allowance.take("levels", DiscreteGaussian(3.0), chance=6e-7)
    assert allowance.take("levels", DiscreteGaussian(3.0), chance=4e-7) == 1


def test_no_delta_is_there_unless_it_was_set_aside():
    allowance = Allowance([Entry("levels", "schema", DiscreteGaussian(3.0), name="levels")])
    with pytest.raises(BudgetError, match="larger delta"):
        allowance.take("levels", DiscreteGaussian(3.0), chance=1e-12)


def test_a_filter_lets_noise_of_any_size_through_until_squares_add_up_to_its_own():
    allowance = allowing(GaussianDP(0.7))
    reads = [Gaussian(4.0), Selection(0.3, 2), DiscreteGaussian(6.0), Gaussian(8.0, 2), GaussianDP(0.2)]
    assert [allowance.take("x", event) for event in reads] == [0, 1, 2, 3, 4]
    left = 0.49 - 1 / 16 - 2 * mu_of_choice(0.3) ** 2 - mu_of_counts(6.0) ** 2 - 2 / 64 - 0.04
    with pytest.raises(BudgetError, match="reserved for less"):
        allowance.take("x", Gaussian(0.999 / math.sqrt(left)))
    assert allowance.take("x", Gaussian(1.001 / math.sqrt(left))) == 5
    with pytest.raises(BudgetError, match="reserved for less"):
        allowance.take("x", Gaussian(20.0))


@pytest.mark.parametrize(
    "event", [Laplace(2.0), SampledGaussian(1.0, 0.1, 10), Pure(0.1), Concentrated(0.1)], ids=str
)
def test_what_has_no_mu_does_not_pass_a_filter(event):
    with pytest.raises(BudgetError, match="was not reserved as a"):
        allowing(GaussianDP(9.0)).take("x", event)


def test_a_filter_that_was_taken_whole_is_used_up():
    allowance = allowing(GaussianDP(0.7))
    assert allowance.take("x", GaussianDP(0.7)) == 0
    for event in (Gaussian(1 / 0.7), GaussianDP(0.1)):
        with pytest.raises(BudgetError, match="reserved for less"):
            allowance.take("x", event)


def test_a_read_that_is_taken_back_keeps_its_number_and_its_price():
    entries = [
        Entry("x", "measure", GaussianDP(0.7), name="x"),
        Entry("c", "schema", Pure(0.0, 1e-6), name="d"),
    ]
    allowance = Allowance(entries)
    assert allowance.take("x", DiscreteGaussian(3.0), chance=1e-6) == 0
    allowance.undo()
    assert allowance.take("x", DiscreteGaussian(2.0), chance=1e-6) == 0
    with pytest.raises(BudgetError):
        allowance.take("x", DiscreteGaussian(2.0))


@pytest.mark.parametrize("chance", [-1e-9, math.nan, 1.0, math.inf])
def test_what_is_no_chance_is_refused(chance):
    with pytest.raises(BudgetError, match="is no chance"):
        allowing(Gaussian(2.0)).take("x", Gaussian(2.0), chance=chance)


def test_a_delta_that_was_set_aside_is_nothing_to_read_by():
    with pytest.raises(BudgetError, match="take as their chance"):
        allowing(Pure(0.0, 1e-6)).take("x", Pure(0.0, 1e-6))
