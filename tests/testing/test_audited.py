"""Audits of every private method of marginals, in the small; `benchmarks/audit_marginals.py` is the whole."""

import pytest

from understudy import synth
from understudy.measuring.bounds import bounds_of, bounds_of_several
from understudy.privacy import Budget
from understudy.privacy.mechanisms import counts, interactions
from understudy.testing.audited import bare, declared, marginal_methods
from understudy.testing.two_worlds import observed, outcomes

DELTA = 1e-9
METHODS = marginal_methods()
WORLDS = {"declared": declared(), "bare": bare()}


def seen(method, worlds, epsilon, fits):
    """Return what fits without the row and with it look like, and what they claim."""
    budget = Budget(epsilon=epsilon, delta=DELTA)
    both = [
        outcomes(METHODS[method], WORLDS[worlds], budget, having=having, seeds=range(fits))
        for having in (False, True)
    ]
    return both, observed(METHODS[method], WORLDS[worlds], budget, having=True, seed=0)[0].certificate


def divide_the_noise(patch, by):
    honest = counts.discrete_gaussian
    for room in (counts, interactions):
        patch.setattr(room, "discrete_gaussian", lambda stream, sigma, size: honest(stream, sigma / by, size))


def test_the_methods_are_those_of_the_folder_that_are_private_and_made_of_tables():
    assert {"mst", "privsyn", "bayesian_network", "privbayes"} <= set(METHODS) <= set(synth.names())
    assert not {"histogram", "gaussian_copula", "copy", "half"} & set(METHODS)
    assert all(getattr(method, "steps", 2) == 2 for method in METHODS.values())


def test_the_row_in_question_moves_one_pair_of_columns_up_and_the_others_down():
    table = WORLDS["declared"].table.to_arrow()
    assert table.slice(table.num_rows - 1).to_pylist() == [{"a": "x", "b": "x", "c": "y"}]
    assert WORLDS["declared"].schema.observed() == []


def test_no_other_row_of_the_bare_table_has_a_value_of_the_row_in_question():
    columns = WORLDS["bare"].table.to_arrow().to_pydict()
    assert all(values.count(values[-1]) == 1 for values in columns.values())
    assert WORLDS["bare"].schema is None


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 12.0])
@pytest.mark.parametrize("worlds", list(WORLDS))
@pytest.mark.parametrize("method", list(METHODS))
def test_no_method_gives_more_away_than_its_certificate_says(method, worlds, epsilon):
    (without, having), claim = seen(method, worlds, epsilon, 400)
    assert bounds_of(without["released"], having["released"], delta=DELTA).within(claim)
    assert bounds_of_several(without, having, delta=DELTA).within(claim)


@pytest.mark.slow
def test_half_the_noise_that_is_paid_for_is_found_out(monkeypatch):
    divide_the_noise(monkeypatch, 2)
    (without, having), claim = seen("mst", "declared", 12.0, 1_500)
    assert not bounds_of(without["released"], having["released"], delta=DELTA).within(claim)


@pytest.mark.slow
@pytest.mark.parametrize("method", list(METHODS))
def test_a_quarter_of_the_noise_is_found_out_by_fewer_fits_in_every_method(method, monkeypatch):
    divide_the_noise(monkeypatch, 4)
    (without, having), claim = seen(method, "declared", 12.0, 400)
    assert not bounds_of_several(without, having, delta=DELTA).within(claim)
