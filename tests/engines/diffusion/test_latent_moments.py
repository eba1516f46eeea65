"""Sums of vectors become the law of latents that drawing from the posteriors would show."""

import numpy as np
import pytest

from understudy.engines.diffusion.latent_moments import clip_of, law_of, vectors_of, width_of


def posteriors(rows=3_000, latent=3):
    rng = np.random.default_rng(0)
    means = rng.normal(size=(rows, latent)) @ rng.normal(size=(latent, latent)) + 0.5
    return np.concatenate([means, rng.normal(-1, 0.3, (rows, latent))], axis=1)


def test_exact_sums_give_the_moments_of_what_is_drawn():
    found = posteriors()
    mean, log_sd = np.split(found, 2, axis=1)
    wanted = np.cov(mean.T, bias=True) + np.diag(np.exp(2 * log_sd).mean(axis=0))
    law = law_of(vectors_of(found).sum(axis=0), len(found))
    assert np.allclose(law[0], mean.mean(axis=0)) and np.allclose(law[1], wanted)


@pytest.mark.parametrize("latent", [1, 2, 16])
def test_a_vector_is_as_long_as_the_mean_and_the_matrix_of_moments(latent):
    found = posteriors(5, latent)
    vectors = vectors_of(found)
    assert vectors.shape == (5, width_of(latent))
    mean, log_sd = np.split(found, 2, axis=1)
    for vector, m, s in zip(vectors, mean, np.exp(log_sd), strict=True):
        matrix = np.outer(m, m) + np.diag(s**2)
        assert np.linalg.norm(vector) ** 2 == pytest.approx(m @ m + (matrix**2).sum())
    assert len(law_of(vectors.sum(axis=0), 5)[0]) == latent


def test_each_row_gives_its_vector_by_itself():
    found = posteriors(20)
    assert np.array_equal(vectors_of(found)[7:9], vectors_of(found[7:9]))


def test_noise_is_distrusted_and_a_bent_covariance_put_right():
    noise = np.random.default_rng(1).normal(0, 500, width_of(4))
    mean, covariance = law_of(noise, 10.0, 500.0)
    assert np.abs(mean).max() < 0.1 and np.abs(covariance - np.eye(4)).max() < 0.1
    assert np.linalg.eigvalsh(law_of(noise, 10.0)[1]).min() > 0


def test_few_standard_normal_latents_are_cut():
    rng = np.random.default_rng(2)
    latents = np.concatenate([rng.normal(size=(5_000, 16)), np.full((5_000, 16), -3.0)], axis=1)
    assert np.mean(np.linalg.norm(vectors_of(latents), axis=1) > clip_of(16)) < 0.1
