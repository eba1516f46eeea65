"""Events: what they hold, how they are written down, what they refuse."""

import json
import math

import pytest

from understudy.errors import CorruptModel, ParameterError
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    Gaussian,
    GaussianDP,
    Laplace,
    Open,
    Parallel,
    Pure,
    Renyi,
    SampledGaussian,
    Selection,
    event_from_dict,
    event_to_dict,
    unfolded,
)

EXAMPLES = [
    Gaussian(1.5, 3),
    DiscreteGaussian(9.0, 2),
    Laplace(0.5),
    SampledGaussian(1.1, 0.01, 100),
    Selection(0.2, 4),
    Pure(0.0, 1e-9),
    Concentrated(0.05),
    GaussianDP(0.3),
    Renyi((2.0, 4.0), (0.1, math.inf)),
    Parallel(((Gaussian(2.0), Pure(0.0, 1e-9)), (), (Open(),))),
    Open(),
]


@pytest.mark.parametrize("mu", [1e-200, 1e200])
def test_a_mu_whose_square_no_float_holds_is_refused(mu):
    with pytest.raises(ParameterError, match="1e-100 to 1e100"):
        GaussianDP(mu)


@pytest.mark.parametrize("event", EXAMPLES)
def test_an_event_survives_json(event):
    assert event_from_dict(json.loads(json.dumps(event_to_dict(event)))) == event


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, "1"])
def test_noise_that_is_not_a_positive_number_is_refused(bad):
    for kind in (Gaussian, DiscreteGaussian, Laplace, Selection, Concentrated, GaussianDP):
        with pytest.raises(ParameterError):
            kind(bad)


def test_rates_above_one_and_empty_guarantees_are_refused():
    for build in (lambda: SampledGaussian(1.0, 1.5, 10), lambda: Pure(0.0, 0.0), lambda: Pure(1.0, 1.0)):
        with pytest.raises(ParameterError):
            build()
    with pytest.raises(ParameterError):
        Renyi((2.0,), (0.1, 0.2))
    with pytest.raises(ParameterError):
        Renyi((1.0,), (0.1,))
    with pytest.raises(ParameterError):
        Renyi((2.0,), (math.nan,))


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"event": "Magic"},
        {"event": "Gaussian"},
        {"event": "Gaussian", "noise": -1},
        {"event": "Open", "x": 1},
        {"event": "Parallel"},
        {"event": "Parallel", "branches": []},
        {"event": "Parallel", "branches": 3},
        {"event": "Parallel", "branches": [[{"event": "Magic"}]]},
        {"event": "Parallel", "branches": [[3]]},
    ],
)
def test_an_unknown_or_broken_event_is_refused_never_guessed(tree):
    with pytest.raises(CorruptModel):
        event_from_dict(tree)


def test_a_fraction_of_a_read_and_an_order_that_is_no_number_are_refused():
    for build in (
        lambda: Gaussian(1.0, 0.001),
        lambda: DiscreteGaussian(1.0, 0.5),
        lambda: Selection(1.0, 0.25),
        lambda: SampledGaussian(1.0, 0.5, 0.01),
        lambda: Renyi((math.nan, 2.0), (0.0, 0.0)),
    ):
        with pytest.raises(ParameterError):
            build()


def test_a_branch_holds_events_and_there_is_at_least_one():
    for odd in ((), ((1,),), ((Gaussian,),)):
        with pytest.raises(ParameterError, match="Parallel"):
            Parallel(odd)


def test_branches_in_branches_are_unfolded_to_what_a_row_may_have_met():
    inner = Parallel(((Gaussian(1.0),), (Gaussian(2.0),)))
    found = unfolded([Laplace(3.0), Parallel(((inner, Open()), (Gaussian(4.0),)))])
    assert found == [
        (Laplace(3.0), Gaussian(1.0), Open()),
        (Laplace(3.0), Gaussian(2.0), Open()),
        (Laplace(3.0), Gaussian(4.0)),
    ]
    assert unfolded([]) == [()]
