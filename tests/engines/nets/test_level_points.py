"""Points of levels: where they lie, what comes back from them, and that columns do not mix."""

import math

import pytest
import torch

from understudy.engines.nets.level_points import LevelPoints, spread_points
from understudy.errors import ParameterError

PLACINGS = ["random", "spread", "learned"]
SIZES = (3, 1, 7, 2)


def made(placing, width=3, sizes=SIZES):
    return LevelPoints(sizes, width, placing, torch.Generator().manual_seed(0))


def some_codes(rows=50):
    generator = torch.Generator().manual_seed(1)
    return torch.stack([torch.randint(size, (rows,), generator=generator) for size in SIZES], 1)


@pytest.mark.parametrize("placing", PLACINGS)
def test_the_nearest_point_to_a_point_is_itself(placing):
    points, codes = made(placing), some_codes()
    assert torch.equal(points.nearest(points(codes)), codes)


@pytest.mark.parametrize("placing", PLACINGS)
def test_the_nearest_point_is_looked_for_in_its_own_column_alone(placing):
    points = made(placing)
    places = torch.randn(40, len(SIZES), 3, generator=torch.Generator().manual_seed(2))
    found = points.nearest(places.flatten(1))
    for column, own in enumerate(points.points.split(list(SIZES))):
        assert torch.equal(found[:, column], torch.cdist(places[:, column], own).argmin(1))


def test_the_mean_point_is_the_sum_of_points_by_their_probabilities():
    points = made("random")
    logits = torch.randn(4, sum(SIZES), generator=torch.Generator().manual_seed(3))
    parts = zip(logits.split(list(SIZES), 1), points.points.split(list(SIZES)), strict=True)
    wanted = [part.softmax(1) @ own for part, own in parts]
    assert torch.allclose(points.mean(logits), torch.cat(wanted, 1), atol=1e-6)


@pytest.mark.parametrize("levels", [3, 5, 9])
def test_where_there_is_room_all_spread_points_are_equally_far_apart(levels):
    found = torch.cdist(spread_points(levels, levels - 1), spread_points(levels, levels - 1))
    apart = found[~torch.eye(levels, dtype=torch.bool)]
    assert torch.allclose(apart, apart[0].expand_as(apart), atol=1e-5)


def test_spread_points_of_many_levels_lie_evenly_on_a_circle():
    points = spread_points(40, 2)
    assert torch.allclose(points.norm(dim=1), torch.full((40,), math.sqrt(2)), atol=1e-6)
    steps = (points - points.roll(1, 0)).norm(dim=1)
    assert torch.allclose(steps, steps[0].expand_as(steps), atol=1e-5)


@pytest.mark.parametrize("levels", [2, 3, 4, 10, 100])
@pytest.mark.parametrize("width", [1, 2, 5, 8])
def test_spread_points_differ_wherever_the_width_is_two_or_more(levels, width):
    points = spread_points(levels, width)
    assert points.shape == (levels, width)
    if width > 1:
        assert len(torch.unique(points.round(decimals=4), dim=0)) == levels


def test_fixed_points_are_not_trained_and_learned_ones_are_on_a_sphere():
    assert [p for p in made("spread").parameters() if p.requires_grad] == []
    points = made("learned")
    assert points.points.norm(dim=1).tolist() == pytest.approx([math.sqrt(3)] * sum(SIZES), rel=1e-5)
    points(some_codes()).sum().backward()
    assert points.table.weight.grad.abs().sum() > 0


def test_points_come_from_the_generator_given_and_never_from_the_global_one():
    before = torch.random.get_rng_state()
    assert torch.equal(made("random").points, made("random").points)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_there_may_be_no_columns():
    points = made("spread", sizes=())
    assert points(torch.zeros(5, 0, dtype=torch.int64)).shape == (5, 0)
    assert points.mean(torch.zeros(5, 0)).shape == points.nearest(torch.zeros(5, 0)).shape == (5, 0)


def test_no_width_and_an_unknown_placing_are_refused():
    for width, placing in ((0, "spread"), (2, "somewhere")):
        with pytest.raises(ParameterError, match="LevelPoints"):
            made(placing, width)
