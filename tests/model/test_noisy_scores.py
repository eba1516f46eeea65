import numpy as np
import pytest

from understudy.engines.margin import LevelMargin, QuantityMargin
from understudy.model.binned import Binned
from understudy.model.noisy_scores import LEAST_ROOM, LITTLE, MOST_ROOM, clip_of, latent_of

BINNED = Binned(
    {
        "w": LevelMargin(np.array([0, 1, -1], dtype=np.int32), np.array([0.5, 0.9, 1.0])),
        "x": QuantityMargin(np.array([0, 1]), np.array([0.0, 0.5]), np.array([0.5, 1.0]), 0.2),
    },
    {"x": np.array([0, 1, 2])},
    {"w": np.array([0.5, 0.4, 0.1]), "x": np.array([0.4, 0.4, 0.2])},
    1_000.0,
)


def test_scores_have_no_mean_and_grow_with_their_cells():
    latent = latent_of("w", BINNED, is_flag=False)
    assert float(latent.scores @ BINNED.shares["w"]) == pytest.approx(0.0, abs=1e-9)
    assert (np.diff(latent.scores) > 0).all()
    assert latent.there == 1.0


def test_a_missing_quantity_scores_nothing_and_is_not_there():
    latent = latent_of("x", BINNED, is_flag=False)
    assert latent.scores[-1] == 0
    assert latent.scores[:2] == pytest.approx([-0.7979, 0.7979], abs=1e-3)
    assert latent.there == pytest.approx(0.8)


def test_the_flag_of_a_quantity_tells_missing_rows_from_all_others():
    latent = latent_of("x", BINNED, is_flag=True)
    assert latent.scores[0] == latent.scores[1] > 0 > latent.scores[2]
    assert latent.there == 1.0


def test_the_variance_is_that_of_the_scores():
    latent = latent_of("w", BINNED, is_flag=False)
    assert latent.variance == pytest.approx(float(latent.scores**2 @ BINNED.shares["w"]), rel=0.15)


def test_an_empty_cell_scores_nothing():
    from dataclasses import replace

    empty = replace(BINNED, shares=BINNED.shares | {"w": np.array([1.0, 0.0, 0.0])})
    assert np.isfinite(latent_of("w", empty, is_flag=False).scores).all()


def test_a_clip_is_as_wide_as_little_noise_allows_within_its_ends():
    assert clip_of(2.0, rows=1e9, noise=1.0) == 2.0 * MOST_ROOM
    assert clip_of(2.0, rows=1.0, noise=100.0) == 2.0 * LEAST_ROOM
    between = clip_of(2.0, rows=1_000.0, noise=1.0)
    assert between * 1.0 / 1_000.0 == pytest.approx(LITTLE)
    assert clip_of(0.0, rows=10.0, noise=1.0) > 0
