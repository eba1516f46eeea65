import numpy as np
import pytest

from understudy.model.ladder import parts_of
from understudy.table.magnitude import CELLS, magnitude

ROWS = 4_000


def parts(values, sigma=0.001, seed=0):
    """Return the parts of values, from counts with noise."""
    values = np.asarray(values)
    noise = np.random.default_rng(seed).normal(0, sigma, CELLS)
    counts = np.bincount(magnitude(values), minlength=CELLS) + noise
    return parts_of(counts, sigma, float(len(values)), whole=values.dtype.kind == "i")


def test_rows_far_from_nought_have_no_part_near_it():
    assert parts(np.full(ROWS, 2_000)).edges.tolist() == [
        1_025,
        2_049,
    ]  # a power of two is the end of its rung


def test_rows_of_many_powers_have_a_part_for_every_rung_that_tells_and_one_for_what_lies_below():
    found = parts(np.geomspace(1, 1e6, ROWS))
    assert found.edges[0] == 0 and found.edges[-1] == np.nextafter(2**20, np.inf)
    assert found.edges[1:-1] == pytest.approx(2.0 ** np.arange(-1, 20))
    assert found.counts.sum() == pytest.approx(ROWS)


FAR_AND_NEAR = {
    "two groups": np.repeat([1, 3, 9, 50_000], [6_000, 6_000, 4_000, 4_000]),
    "noughts and two groups": np.repeat([0, 1, 9, 8_000], [10_000, 2_000, 3_000, 5_000]),
    "below nought": -np.repeat([1, 3, 9, 50_000], [6_000, 6_000, 4_000, 4_000]),
    "on both sides": np.repeat([-70_000, -2, 5, 900], [4_000, 6_000, 6_000, 4_000]),
    "ever fewer": np.exp(np.random.default_rng(3).normal(3, 2, 20_000)),
}


@pytest.mark.parametrize("what", FAR_AND_NEAR)
def test_far_rows_that_stand_out_of_noise_are_within_the_bounds_however_many_near_ones_there_are(what):
    values = FAR_AND_NEAR[what]
    for seed in range(50):
        found = parts(values, sigma=50.0, seed=seed)
        outside = np.mean((values < found.edges[0]) | (values >= found.edges[-1]))
        assert outside < 0.03  # 12 deviations; a rung of fewer than 4 is one that noise may make
        near = np.median(np.abs(values))
        assert (
            np.min(np.diff(found.edges)[np.abs(found.edges[:-1]) <= near]) <= 2 * near
        )  # and near ones are told
        assert np.max(np.abs(found.edges)) <= 2**20  # nor does noise make others farther away


@pytest.mark.parametrize("whole", [True, False])
def test_both_sides_of_nought_are_found(whole):
    values = np.linspace(-30, 60, ROWS)
    found = parts(np.rint(values).astype(int) if whole else values)
    assert found.edges[0] == -32
    assert found.edges[-1] == (65 if whole else np.nextafter(64, np.inf))
    assert (np.diff(found.edges) > 0).all()


def test_whole_numbers_lie_in_the_part_that_counted_them():
    values = np.repeat([-4, -2, -1, 0, 1, 3], 700)
    found = parts(values)
    table = np.histogram(values, bins=found.edges)[0]
    assert table == pytest.approx(found.counts, abs=1)


def test_floats_lie_in_the_part_that_counted_them():
    values = np.repeat([-4.0, -2.0, -1.0, 0.25, 1.0, 3.0], 700)
    found = parts(values)
    cell = np.searchsorted(found.edges, values, side="right") - 1
    assert np.bincount(cell, minlength=len(found.counts)) == pytest.approx(found.counts, abs=1)


@pytest.mark.parametrize("values", [np.zeros(ROWS), np.zeros(ROWS, dtype=int)])
def test_nothing_but_nought_is_one_part(values):
    found = parts(values)
    assert found.edges[0] == 0 and len(found.edges) == 2 and found.edges[1] > 0


@pytest.mark.parametrize("far", [[3_000, 90_000], [-3_000, -90_000], [-3_000, 90_000]])
def test_noughts_have_a_part_of_their_own_however_far_the_other_rows_are(far):
    values = np.concatenate([np.zeros(9 * ROWS, dtype=int), np.geomspace(*np.abs(far), ROWS).astype(int)])
    values[-ROWS::2] *= np.sign(far[0])
    values[-ROWS + 1 :: 2] *= np.sign(far[1])
    for seed in range(50):
        found = parts(values, sigma=40.0, seed=seed)
        place = found.edges.tolist().index(0)
        assert found.edges[place + 1] == 1
        assert found.counts[place] == pytest.approx(9 * ROWS, abs=40.0 * 6)
        assert np.histogram(values, bins=found.edges)[0] == pytest.approx(found.counts, abs=40.0 * 15)


def test_rates_that_end_at_one_have_no_part_beyond():
    values = np.concatenate([np.linspace(0, 1, ROWS), np.ones(ROWS // 4)])
    assert parts(values).edges[-1] == np.nextafter(1, np.inf)


def test_few_rows_below_nought_are_found_beside_many_noughts():
    values = np.repeat([-1, 0, 1], [350, 3_900, 2_800])
    found = [parts(values, sigma=89.0, seed=seed).edges for seed in range(200)]
    assert np.mean([edges[0] == -1 and edges[-1] == 2 for edges in found]) > 0.9


def test_a_gap_between_noughts_and_the_other_rows_is_bridged():
    values = np.repeat([0.0, 0.9], [430, 810])
    found = [parts(values, sigma=85.0, seed=seed).edges for seed in range(200)]
    assert np.mean([edges[0] <= 0 and edges[-1] >= 0.9 for edges in found]) > 0.9


def test_few_rows_far_from_many_noughts_are_found():
    values = np.repeat([0, 1_900], [29_800, 1_400])
    found = [parts(values, sigma=62.0, seed=seed).edges for seed in range(100)]
    assert np.mean([edges[0] == 0 and edges[-1] == 2_049 for edges in found]) > 0.95


def test_rows_of_one_side_are_not_mirrored_to_the_other():
    values = np.random.default_rng(2).integers(-1, 2, 7_000)
    found = [parts(values, sigma=89.0, seed=seed).edges for seed in range(100)]
    assert np.mean([edges[0] == -1 and edges[-1] == 2 for edges in found]) > 0.9


def test_two_values_of_which_one_is_nought_are_both_found_under_heavy_noise():
    values = np.repeat([0, 1], [740, 500])
    found = [parts(values, sigma=85.0, seed=seed).edges for seed in range(200)]
    assert np.mean([edges[0] <= 0 and edges[-1] >= 2 for edges in found]) > 0.97


def test_noise_seldom_makes_the_range_wider_when_there_are_many_rows():
    values = np.random.default_rng(1).uniform(40, 60, 40_000)
    tops = [parts(values, sigma=60.0, seed=seed).edges[-1] for seed in range(200)]
    assert np.mean(np.array(tops) > 65) < 0.03


def test_rows_that_stand_out_on_no_rung_are_found_together():
    values = np.geomspace(1, 250, 900)
    found = [parts(values, sigma=70.0, seed=seed).edges for seed in range(100)]
    assert np.median([edges[-1] for edges in found]) == pytest.approx(256, rel=0.6)


def test_the_largest_numbers_have_parts_too():
    found = parts(np.repeat(np.array([2**62, -(2**62)]), ROWS))
    assert found.edges.dtype == np.int64 and found.edges[-1] == 2**62
