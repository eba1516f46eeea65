"""Places lie evenly on a bent line, and the way back leads to them."""

import numpy as np
import pytest

from understudy.engines.forest.bend import Bend

RNG = np.random.default_rng(0)
SKEWED = 2 * RNG.beta(0.3, 4.0, 5_000) - 1
TIED = np.concatenate([np.full(900, -1.0), np.full(500, 1.0), np.repeat(RNG.uniform(-1, 1, 20), 40)])


@pytest.mark.parametrize("places", [SKEWED, TIED, np.full(500, 0.3), np.full(500, -1.0), np.full(500, 1.0)])
def test_knots_and_heights_ascend_from_end_to_end(places):
    bend = Bend.of(places)
    for ends in (bend.knots, bend.heights):
        assert ends[0] == -1 and ends[-1] == 1
        assert (np.diff(ends) > 0).all()


def test_places_lie_evenly_on_the_line():
    counts, _ = np.histogram(Bend.of(SKEWED).line(SKEWED), bins=20, range=(-1, 1))
    assert np.abs(counts / 5_000 - 0.05).max() < 0.002


def test_the_way_back_leads_to_the_places():
    bend = Bend.of(SKEWED)
    assert np.allclose(bend.back(bend.line(SKEWED)), SKEWED, atol=1e-9)


def test_the_slope_is_that_of_the_line():
    bend = Bend.of(SKEWED)
    places = np.linspace(-0.95, 0.95, 500)
    steps = (bend.line(places + 1e-7) - bend.line(places)) / 1e-7
    assert np.median(np.abs(steps / bend.slope(places) - 1)) < 1e-4


def test_of_few_places_the_line_stays_straight():
    assert Bend.of(SKEWED[:15]).knots.tolist() == Bend.straight().heights.tolist() == [-1.0, 1.0]
