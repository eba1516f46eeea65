"""NFlow's generator: known cells by weighting, and a density that can be asked for in doubles."""

from functools import cache

import numpy as np
import pytest

from contract.mixture import FIELDS, NUMBER, SIDE, WORD, drawn, learned, mixture
from understudy.engines.flows.couplings import FlowShape
from understudy.engines.flows.nflow import NflowLearner
from understudy.engines.generator import Known
from understudy.engines.training.fit import Settings


@cache
def generator():
    settings = Settings(200, 256, 1e-2, schedule="cosine", ema=0.97)
    return learned(NflowLearner(FlowShape(32, 1, 8)), ("flow",), settings, mixture())


def density(rows):
    nothing = np.full((len(rows), len(FIELDS.numbers)), np.nan)
    return generator().log_density(rows, nothing, nothing)


def test_real_rows_are_likelier_than_shuffled_ones():
    real = mixture(500, seed=9)
    rng = np.random.default_rng(0)
    shuffled = np.stack([rng.permutation(column) for column in real.T], 1)
    assert density(real).mean() > density(shuffled).mean() + 1


def test_the_density_is_about_the_known_one():
    rows = mixture(2_000, seed=9)
    side = rows[:, SIDE] == 1
    apart = (rows[:, NUMBER] - np.where(side, 1.0, -1.0)) / 0.3
    known = np.log(np.where(side, 0.3 / 2, 0.7)) - 0.5 * apart**2 - np.log(0.3 * np.sqrt(2 * np.pi))
    assert density(rows).mean() == pytest.approx(known.mean(), abs=0.1)


def test_asking_for_densities_changes_nothing():
    before = drawn(generator(), 50)
    first = density(mixture(20))
    assert np.array_equal(first, density(mixture(20)))
    assert np.array_equal(before, drawn(generator(), 50))
    assert first.dtype == np.float64 and density(mixture(20)[:0]).shape == (0,)


def test_what_is_drawn_around_a_cell_follows_the_conditional_law():
    values, mask = np.zeros((2_000, 3), np.float32), np.zeros((2_000, 3), bool)
    mask[:, NUMBER] = True
    found = drawn(generator(), 2_000, Known(values, mask))
    # Few rows lie between the sides: what is asked is that the flow keeps to its own law there.
    sides = [
        np.exp(density(np.array([[word, 0.0, side] for word in range(3)], np.float32))).sum()
        for side in (0, 1)
    ]
    assert np.mean(found[:, SIDE]) == pytest.approx(sides[1] / sum(sides), abs=0.05)
    assert set(found[:, WORD]) <= {0.0, 1.0, 2.0}
