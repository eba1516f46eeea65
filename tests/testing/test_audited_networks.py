"""Audits of private networks, in the small; `benchmarks/audit_networks.py` has more fits, and prints."""

import os
from dataclasses import replace

import numpy as np
import pytest

from understudy import synth
from understudy.engines.dpsgd import source
from understudy.engines.pate import votes
from understudy.measuring.bounds import bounds_of, bounds_of_several
from understudy.privacy import Budget
from understudy.privacy.closed_forms import mu_of_epsilon
from understudy.privacy.mechanisms import counts
from understudy.testing.audited_networks import STATISTICS, lone, network_methods, overheard

pytest.importorskip("torch")

DELTA = 1e-5
METHODS = network_methods()
METHODS["pategan"] = replace(METHODS["pategan"], noisy_steps=5)  # a vote less of five shows up in any case
NEW = ("ctgan", "copulagan", "tvae", "nflow", "pategan")
WORLDS = lone()


def seen(method, epsilon, fits):
    """Return what is overheard of fits without the row and with it, and what they claim."""
    budget = Budget.gdp(mu_of_epsilon(epsilon, DELTA))
    both = [
        [overheard(METHODS[method], WORLDS, budget, having=having) for _ in range(fits)]
        for having in (False, True)
    ]
    told = [{name: np.array([each[1][name] for each in runs]) for name in STATISTICS} for runs in both]
    return told, both[0][0][0]


def quieter(patch, by):
    """Plant a bug: noise of margins, gradients and votes is so many times smaller than what is paid for."""
    honest, noise = counts.discrete_gaussian, source._Processor.noise

    def gradients(self, step, scale, out):
        noise(self, step, scale / by, out)

    for room in (counts, votes):
        patch.setattr(room, "discrete_gaussian", lambda stream, sigma, size: honest(stream, sigma / by, size))
    patch.setattr(source._Processor, "noise", gradients)


def test_the_methods_are_the_private_networks_of_the_folder():
    assert set(NEW) <= set(METHODS) <= set(synth.names())
    assert "adsgan" not in METHODS and "mst" not in METHODS


def test_one_world_has_a_row_and_the_other_none():
    assert WORLDS.table.to_arrow().num_rows == 1 and WORLDS.schema.observed() == []


@pytest.mark.parametrize("method", NEW)
def test_a_hundredth_of_the_noise_is_found_out_in_every_method(method, monkeypatch):
    # Keys of the test in the place of fresh ones: what is found today is found tomorrow.
    keys = np.random.default_rng(0)
    monkeypatch.setattr(os, "urandom", keys.bytes)
    quieter(monkeypatch, 100)
    (without, having), claim = seen(method, 1.0, 30)
    assert not bounds_of(without["both"], having["both"], delta=DELTA, confidence=0.95).within(claim)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
@pytest.mark.parametrize("method", NEW)
def test_no_method_gives_more_away_than_its_certificate_says(method, epsilon):
    told, claim = seen(method, epsilon, 300)
    assert claim.epsilon(DELTA) == pytest.approx(epsilon, rel=0.02)
    assert bounds_of_several(*told, delta=DELTA).within(claim)


@pytest.mark.slow
@pytest.mark.parametrize("method", NEW)
def test_a_quarter_of_the_noise_is_found_out_by_more_fits(method, monkeypatch):
    # Keys of the test, as above. By 100 fits with fresh keys one of five methods was not found out.
    monkeypatch.setattr(os, "urandom", np.random.default_rng(1).bytes)
    quieter(monkeypatch, 4)
    told, claim = seen(method, 4.0, 300)
    assert not bounds_of_several(*told, delta=DELTA).within(claim)
