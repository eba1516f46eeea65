import numpy as np
import pytest

from understudy.measuring.supports import LEVELS, agreement, from_centre, inside


def test_there_are_thirty_levels_from_0_to_1():
    assert len(LEVELS) == 30 and LEVELS[0] == 0 and LEVELS[-1] == 1


@pytest.mark.parametrize("distances", [np.arange(7.0), np.zeros(5), np.array([1.0, 1, 1, 2, 2, 9])])
def test_every_support_holds_just_its_share_of_its_own_rows_also_with_ties(distances):
    assert inside(distances, distances).mean(axis=1) == pytest.approx(LEVELS)


def test_nearer_than_all_is_inside_from_the_start_and_beyond_all_is_never():
    found = inside(np.array([1.0, 2.0]), np.array([0.5, 1.5, 3.0]))
    assert found[:, 0].tolist() == [1.0] * 30
    assert found[:, 1].tolist() == [float(level >= 0.5) for level in LEVELS]
    assert found[:-1, 2].max() == 0


def test_agreement_is_1_on_the_diagonal_and_falls_with_the_distance_from_it():
    assert agreement(LEVELS) == 1
    assert agreement(LEVELS / 2) == pytest.approx(0.5)
    assert agreement(np.zeros(30)) == pytest.approx(0) == agreement(np.ones(30))


def test_rows_that_are_equally_far_on_paper_are_equally_far():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 9, (200, 12)) / 7
    centre = np.full(12, 0.3)
    assert (from_centre(rows, centre) == from_centre(rng.permuted(rows, axis=1), centre)).all()
