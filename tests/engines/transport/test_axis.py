"""Axes: distances are metrics, Laplacians add up, lowered potentials rise no faster than distance."""

import numpy as np
import pytest

from understudy.engines.transport.axis import line, star
from understudy.engines.transport.place import missing_reach

PLACES = np.array([-0.5, 0.0, 0.1, 0.4, 1.0, 3.0])
AXES = {
    "line": line(PLACES),
    "line with missing cells": line(PLACES, missing_reach(PLACES)),
    "one place": line(np.zeros(1)),
    "two levels": star(2),
    "seven levels": star(7),
}


@pytest.fixture(params=AXES, ids=str)
def axis(request):
    return AXES[request.param]


def test_distances_are_a_metric(axis):
    apart = axis.distances
    assert (apart == apart.T).all() and (np.diag(apart) == 0).all()
    assert (apart[:, None, :] <= apart[:, :, None] + apart[None, :, :] + 1e-12).all()


def test_no_two_places_are_further_apart_than_the_length(axis):
    assert axis.distances.max() <= axis.length


def test_levels_are_one_unit_apart_and_a_missing_cell_one_from_the_range():
    assert set(np.unique(star(7).distances[:7, :7])) == {0.0, 1.0}
    assert AXES["line with missing cells"].distances[-1].tolist() == [1.5, 1.0, 1.0, 1.0, 1.0, 3.0, 0.0]


def test_modes_are_those_of_the_laplacian(axis):
    values, vectors = axis.modes
    laplacian = (vectors * values) @ vectors.T
    assert np.allclose(laplacian.sum(axis=0), 0, atol=1e-9 * max(1.0, values.max()))
    potential = np.random.default_rng(0).normal(size=axis.places)
    energy = 0.0
    for edges in axis.edges:
        tail = np.arange(len(edges.lengths))
        head = np.full_like(tail, axis.outer) if edges.to_apex else tail + 1
        energy += float(((potential[tail] - potential[head]) ** 2 / edges.resistance).sum())
    assert potential @ laplacian @ potential == pytest.approx(energy)


def test_a_lowered_potential_is_below_and_rises_no_faster_than_distance(axis):
    potential = np.random.default_rng(1).normal(size=(axis.places, 4))
    low = axis.lowered(potential)
    assert (low <= potential + 1e-12).all()
    rise = np.abs(low[:, None] - low[None, :]) - axis.distances[:, :, None]
    assert rise.max() <= 1e-12
    assert np.allclose(axis.lowered(low), low, atol=1e-12)


def test_lowering_is_the_highest_such_function(axis):
    potential = np.random.default_rng(2).normal(size=(axis.places, 1))
    best = (potential[None, :, 0] + axis.distances).min(axis=1)
    assert np.allclose(axis.lowered(potential)[:, 0], best)
