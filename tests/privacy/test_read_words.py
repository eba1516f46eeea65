"""Entries in words: every kind of event has them, and they say what it holds."""

from __future__ import annotations

import pytest

from understudy.privacy.entry import Entry
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Gaussian,
    GaussianDP,
    Laplace,
    Open,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
)
from understudy.privacy.read_words import described


@pytest.mark.parametrize(("event", "price"), [
    (Gaussian(2.0, 4), "0.5 zero-concentrated differential privacy"),
    (DiscreteGaussian(2.0, 4), "0.5 zero-concentrated differential privacy"),
    (Laplace(2.0), "0.5-differential privacy"),
    (Laplace(2.0, 3), "3 times 0.5-differential privacy"),
    (Selection(0.1, 6), "6 times 0.1-differential privacy, of bounded range"),
    (Pure(0.0, 1e-10), "(0, 1e-10)-differential privacy"),
    (Concentrated(0.1), "0.1 zero-concentrated differential privacy"),
    (GaussianDP(0.2), "mu 0.2 of Gaussian differential privacy"),
    (Renyi((2.0, 3.0), (0.1, 0.2)), "Renyi divergences at 2 orders"),
    (SampledGaussian(1.0, 0.01, 1000), "1,000 sampled Gaussian steps"),
    (Open(), "infinite"),
], ids=str)  # fmt: skip
def test_every_event_states_its_price_in_its_own_terms(event, price):
    assert described(Entry("x", "measure", event))["price"] == price


def test_only_sampled_steps_are_sampled():
    assert described(Entry("x", "train", SampledGaussian(1.0, 0.01, 10)))["sampling"].startswith("Poisson")
    assert described(Entry("x", "train", Gaussian(1.0)))["sampling"] == "none: all rows take part"


def test_the_sensitivity_is_the_reason_given_or_says_that_none_is():
    assert described(Entry("x", "train", Gaussian(1.0), because="clipped"))["sensitivity"] == "clipped"
    assert described(Entry("x", "train", Gaussian(1.0)))["sensitivity"] == "not stated"
    assert described(Entry("x", "train"))["sensitivity"] == "unbounded: rows as they are"
