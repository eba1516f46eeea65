"""Narrow models beside a wide one: they compute and learn as they would alone."""

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.tabddpm import TabDDPMLearner, TabDDPMNetwork
from understudy.engines.fields import Fields
from understudy.engines.nets.vae import Elbo, Vae, VaeSize, divergence
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.stacked import train_stacked
from understudy.engines.training.widened import Room, Side, Spare, shape_of

SIZES = ((3, 2), (5, 4), (6, 1))  # the last has the widest column, and is not the widest model
SETTINGS = Settings(steps=25, batch=16, lr=0.01, ema=0.9, weight_decay=0.01, clip=0.5)


def fields(sizes):
    return Fields((0,), (1, 2), sizes)


def rows(sizes, seed, count=40):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(size, size=count) for size in sizes]
    return np.stack([rng.standard_normal(count), *codes], 1).astype(np.float32)


def denoisers(label=""):
    settings = TabDDPMLearner(layers=(8,), entry=4, label=label)
    named = [Fields((0,), (1, 2), sizes, names=("a", "b")) for sizes in SIZES]
    return [TabDDPMNetwork(each, settings, torch.Generator().manual_seed(k)) for k, each in enumerate(named)]


def autoencoders():
    return [
        Vae(fields(sizes), VaeSize(3, 8, 1), torch.Generator().manual_seed(k))
        for k, sizes in enumerate(SIZES)
    ]


def told(model, given):
    """Return a loss of a denoiser whose times and noisy codes follow from the row: nothing is drawn."""
    numbers, codes = model.rows.split(given)
    times = (given[:, 0].abs() * 300).long().clamp(max=999)
    noisy = torch.minimum(codes + 1, model.codes.segments.counts - 1)
    guess, logits = model(numbers, noisy, times)
    return guess.square().sum(-1), logits, codes, noisy, times


def crossed(model, given, _noise):
    error, logits, codes, _, _ = told(model, given)
    return error + model.codes.cross_entropy(logits, codes).sum(-1)


def bound(model, given, _noise):
    error, logits, codes, noisy, times = told(model, given)
    return error + model.codes.kl(logits, codes, noisy, times).sum(-1)


def mean_elbo(model, given, _noise):
    posterior = model.posterior(given)
    return divergence(posterior) - model.log_likelihood(given, posterior.chunk(2, -1)[0])


@pytest.mark.parametrize(
    ("make", "loss"), [(denoisers, crossed), (denoisers, bound), (autoencoders, mean_elbo)]
)
def test_models_of_many_widths_trained_as_one_are_those_trained_one_by_one(make, loss):
    matrices = [rows(sizes, k) for k, sizes in enumerate(SIZES)]
    stacked, alone = make(), make()
    members = [np.arange(40) + 40 * k for k in range(3)]
    train_stacked(stacked, loss, np.concatenate(matrices), SETTINGS, 0, members=members, device="cpu")
    for k, model in enumerate(alone):
        OpenFit(matrices[k], {str(k): SETTINGS}, 0, device="cpu").train(str(k), model, loss)
    for one, other in zip(stacked, alone, strict=True):
        for a, b in zip(one.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_spare_places_are_as_they_were_made_and_are_not_handed_back():
    models = denoisers()
    side = Side(models)
    assert side.learned["network.leave.bias"].shape == (3, 16)  # one number, nine levels, and round
    assert (side.learned["network.leave.bias"][0, 6:] < -1e29).all()
    assert not side.learned["network.enter.weight"][0, :, 6:].any()
    before = models[0].network.leave.bias.detach().clone()
    side.hand_back({name: value + 1 for name, value in side.learned.items()})
    torch.testing.assert_close(models[0].network.leave.bias.detach(), before + 1)


def test_a_buffer_that_all_models_share_is_held_once():
    side = Side(denoisers())
    assert side.axes["numbers.schedule.betas"] is None
    assert side.buffers["numbers.schedule.betas"].dim() == 1
    assert side.axes["codes.segments.counts"] == 0 and side.buffers["codes.segments.counts"].shape == (3, 2)


def test_who_can_stand_beside_whom():
    narrow, wide, _ = denoisers()
    assert shape_of(narrow) == shape_of(wide) != shape_of(autoencoders()[1])
    assert shape_of(torch.nn.Linear(2, 3)) != shape_of(torch.nn.Linear(3, 3))
    assert shape_of(torch.nn.Linear(2, 3)) != shape_of(torch.nn.Linear(2, 3).double())


def test_only_what_lies_along_the_same_places_is_made_round():
    assert Spare(0).along and Spare(1).filling == 0
    side = Side(denoisers())
    assert side.buffers["codes.segments.owner"].shape == (3, 15)
    assert side.buffers["codes.segments.span"].shape == (3, 8)


def test_a_label_leaves_no_room_behind_the_levels():
    labelled = denoisers(label="b")
    assert isinstance(labelled[0], Room) and not labelled[0].room()
    assert shape_of(labelled[0]) != shape_of(labelled[1])


def test_noise_of_the_autoencoder_is_drawn_for_each_model():
    matrices = [rows(sizes, k) for k, sizes in enumerate(SIZES)]
    models = autoencoders()
    members = [np.arange(40) + 40 * k for k in range(3)]
    train_stacked(models, Elbo(), np.concatenate(matrices), SETTINGS, 0, members=members, device="cpu")
    assert all(torch.isfinite(value).all() for model in models for value in model.parameters())
