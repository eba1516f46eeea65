"""TabDDPM on matrices: its labels, its first guesses, and what its loss is."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.gaussian import noised
from understudy.engines.diffusion.tabddpm import (
    NoiseLoss,
    TabDDPMGenerator,
    TabDDPMLearner,
    TabDDPMNetwork,
)
from understudy.engines.fields import Fields
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.errors import ParameterError

TINY = TabDDPMLearner(layers=(8,), entry=8, times=20, sampling_steps=5)
EPS = replace(TINY, predicts="eps")
FIELDS = Fields((1,), (0, 2, 3), (3, 2, 1), names=("word", "flag", "one"))
SETTINGS = {"denoiser": Settings(steps=3, batch=16)}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def learned(learner, rows):
    return learner.learn(FIELDS.seen(rows), OpenFit(rows, SETTINGS, 0, device="cpu"), 0)


def draw(generator, rows):
    return generator.draw(rows, np.random.default_rng(1))


def mixture(rows, seed=0):
    """Two halves: word 0, number near -1 and flag 0; or word 1 or 2, number near 1 and flag mostly 1."""
    rng = np.random.default_rng(seed)
    second = rng.random(rows) < 0.5
    word = np.where(second, 1 + (rng.random(rows) < 0.5), 0)
    number = np.where(second, 1, -1) + 0.2 * rng.normal(size=rows)
    flag = second & (rng.random(rows) < 0.8)
    return np.column_stack([word, number, flag, np.zeros(rows)]).astype(np.float32)


def test_labels_have_their_shares_and_no_training_moves_them():
    rows = mixture(400)
    drawn = draw(learned(replace(TINY, label="word"), rows), 20_000)
    shares = FIELDS.seen(rows).shares[0]
    found = np.bincount(drawn[:, 0].astype(int), minlength=3) / 20_000
    # Within 5 sd: one seed in 10^6 is farther off.
    assert (np.abs(found - shares) < 5 * np.sqrt(shares * (1 - shares) / 20_000)).all()


def test_a_label_that_is_no_code_is_refused():
    with pytest.raises(ParameterError, match="'number'"):
        learned(replace(TINY, label="number"), mixture(64))


@pytest.mark.parametrize("label", ["", "word"])
def test_the_first_guess_of_codes_is_their_shares(label):
    fields = FIELDS.seen(mixture(100))
    ordered = fields.last(label) if label else fields
    network = TabDDPMNetwork(ordered, replace(TINY, label=label), seeded())
    eps, logits = network(torch.randn(5, 1), torch.zeros(5, 3, dtype=torch.int64), torch.arange(5))
    assert (eps == 0).all()
    shares = torch.from_numpy(np.concatenate(ordered.shares)).float()
    assert torch.allclose(logits.exp(), shares.expand(5, -1))


def test_before_it_is_trained_numbers_are_standard_normal():
    network = TabDDPMNetwork(Fields((0,), (), ()), replace(TINY, times=1_000), seeded())
    drawn = draw(TabDDPMGenerator(network, replace(TINY, times=1_000, sampling_steps=50)), 4_000)
    # 50 steps instead of 1,000 leave out a little of the variance.
    assert abs(drawn.mean()) < 0.1 and abs(drawn.std() - 1) < 0.1


@pytest.mark.parametrize("predicts", ["v", "eps"])
def test_what_is_told_of_numbers_leads_back_to_them(predicts):
    network = TabDDPMNetwork(Fields((0,), (), ()), replace(TINY, predicts=predicts), seeded())
    x, eps, t = torch.randn(6, 1, generator=seeded()), torch.randn(6, 1, generator=seeded(1)), torch.arange(6)
    told = network.target(x, eps, t)
    network.network.forward = lambda *_: told
    noisy = noised(network.numbers.schedule, x, t, eps)
    assert torch.allclose(network.denoised(noisy, torch.zeros(6, 0).long(), t)[0], x, atol=1e-4)


# --- the loss, from first principles


def told(learner, label="", rows=4_000):
    """The loss of a network that has just been made: its guesses are known."""
    fields = FIELDS.seen(mixture(500))
    ordered = fields.last(label) if label else fields
    network = TabDDPMNetwork(ordered, replace(learner, label=label), seeded())
    held = torch.from_numpy(mixture(rows, seed=9))
    return NoiseLoss(replace(learner, label=label))(network, held, seeded(4)), fields.shares, held


def entropies(shares, held):
    return sum(
        -torch.from_numpy(np.log(each)).float()[held[:, at].long()]
        for each, at in zip(shares, (0, 2, 3), strict=True)
    )


def test_the_loss_is_the_noise_squared_and_the_surprise_of_codes():
    losses, shares, held = told(EPS)
    surprise = entropies(shares, held)
    # What is left is eps^2 of one number: mean 1, variance 2.
    left = 4 * losses - surprise
    assert left.min() > -1e-4
    assert abs(left.mean() - 1) < 5 * (2 / len(left)) ** 0.5
    kinds, _, _ = told(replace(EPS, balance="kinds"))
    assert torch.allclose(kinds, left + surprise / 3, atol=1e-4)


def test_a_hidden_label_counts_and_a_shown_one_does_not():
    never, shares, held = told(replace(EPS, hide=0.0), "word")
    always, _, _ = told(replace(EPS, hide=0.9), "word")
    of_word = -torch.from_numpy(np.log(shares[0])).float()[held[:, 0].long()]
    of_flag = -torch.from_numpy(np.log(shares[1])).float()[held[:, 2].long()]
    shown = 3 * never - of_flag  # eps^2 is what is left
    assert shown.min() > -1e-4 and abs(shown.mean() - 1) < 5 * (2 / 4_000) ** 0.5
    hidden = 4 * always - of_flag
    assert abs((hidden.mean() - 1 - 0.9 * of_word.mean()).item()) < 0.15


def test_the_bound_of_a_network_that_knows_nothing_but_shares_is_an_upper_bound_of_their_entropy():
    # The mean over times of T KL, plus the prior's, bounds -log p; with the shares as guess at all times the
    # exact likelihood of codes is that of independent draws from the shares.
    losses, shares, held = told(replace(EPS, loss_of_codes="kl", balance="kinds"), rows=20_000)
    bound = 3 * (losses.mean() - 1)
    assert bound > entropies(shares, held).mean() - 0.1


@pytest.mark.parametrize("loss", ["cross_entropy", "kl"])
@pytest.mark.parametrize("label", ["", "word"])
def test_several_draws_of_a_record_are_averaged(loss, label):
    one, _, _ = told(replace(TINY, loss_of_codes=loss), label)
    many, _, _ = told(replace(TINY, loss_of_codes=loss, draws=4), label)
    assert many.shape == one.shape
    assert abs(many.mean() - one.mean()) < 6 * one.std() / len(one) ** 0.5
    assert many.std() < one.std()
