import numpy as np

from understudy.engines.diffusion.told_noise import losses_of
from understudy.engines.generator import Generator
from understudy.model.matrix_sampler import MatrixSampler
from understudy.synth.tldm import TLDM
from understudy.testing.tables import people


class Nothing(Generator):
    """A generator that diffuses nothing."""

    def draw(self, rows, rng, known=None):
        raise NotImplementedError

    def state(self):
        raise NotImplementedError

    @classmethod
    def restore(cls, tensors, facts):
        raise NotImplementedError


def trained(**settings):
    recipe = TLDM(latent=4, width=16, depth=1, steps=20, sampling_steps=4, **settings)
    sampler = recipe.fit(people(60), progress=False).sampler
    assert isinstance(sampler, MatrixSampler)
    return sampler.generator, sampler.generator.draw(300, np.random.default_rng(0))


def test_every_row_has_a_loss_and_the_seed_fixes_it():
    generator, matrix = trained(diffusion_steps=5)
    first, second, other = (losses_of(generator, matrix, draws=4, seed=seed) for seed in (1, 1, 2))
    assert first.shape == (300,) and (first > 0).all()
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
    assert losses_of(generator, matrix[:0]).shape == (0,)


def test_training_makes_the_loss_smaller():
    before, after = (losses_of(*trained(diffusion_steps=steps)).mean() for steps in (1, 300))
    assert after < before


def test_what_diffuses_no_latents_has_no_loss():
    assert losses_of(Nothing(), np.zeros((2, 2), np.float32)) is None
    generator, matrix = trained(guarantee="decoder_only")
    assert losses_of(generator, matrix) is None
