"""Where noise comes from, and what of it lies on a grid: nothing is said that the mechanisms do not do."""

from __future__ import annotations

import pytest

from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import DiscreteGaussian, GaussianDP, Laplace, Parallel, Renyi, Selection
from understudy.privacy.noise_words import noise_told


def told(*events):
    return noise_told(Certificate(tuple(Entry("a read", "measure", event) for event in events)))


def test_counts_are_on_a_grid_and_no_choice_is_spoken_of():
    said = told(DiscreteGaussian(4.0))
    assert "whole numbers" in said and "Gumbel" not in said and "doubles" not in said


@pytest.mark.parametrize("event", [Selection(0.1), GaussianDP(0.1), Parallel(((Selection(0.1),), ()))])
def test_choices_are_said_to_be_made_in_doubles(event):
    assert "Gumbel noise that are doubles" in told(event, DiscreteGaussian(4.0))


@pytest.mark.parametrize("event", [Selection(0.1), Renyi((2.0,), (0.1,)), Laplace(4.0)])
def test_nothing_but_choices_or_draws_is_not_said_to_be_on_a_grid(event):
    assert "whole numbers or" not in told(event)


def test_drawn_rows_are_said_to_be_computed_in_doubles():
    assert "computed in doubles" in told(Renyi((2.0,), (0.1,)))
