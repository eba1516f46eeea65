"""FinDiff's derivatives written out for models side by side: those of the loss itself, by the same draws."""

from itertools import product

import numpy as np
import pytest
import torch

from understudy.engines.diffusion.findiff import FinDiffLearner, NoiseLoss, PointDenoiser
from understudy.engines.fields import Fields

MIXED = Fields((0, 3), (1, 2), (3, 2))
FIELDS = [MIXED, Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1))]
MODELS, BATCH = 3, 7


def denoisers(fields, **settings):
    noise, learner = torch.Generator().manual_seed(1), FinDiffLearner(width=8, **settings)
    found = [PointDenoiser(fields, learner, torch.Generator().manual_seed(0)) for _ in range(MODELS)]
    for model in found:
        for parameter in learned_of(model).values():
            parameter.data.normal_(generator=noise)
    return found


def learned_of(model):
    return {name: each for name, each in model.named_parameters() if each.requires_grad}


def some_rows(fields):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(MODELS, BATCH, fields.width))
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        rows[:, :, at] = rng.integers(0, size, (MODELS, BATCH))
    return torch.tensor(rows, dtype=torch.float32)


def generators():
    return [torch.Generator().manual_seed(seed) for seed in range(MODELS)]


@pytest.mark.parametrize(
    ("fields", "predicts", "draws", "placing"),
    list(product(FIELDS, ("v", "eps"), (1, 3), ("spread", "random"))),
)
def test_the_derivatives_are_those_of_the_loss(fields, predicts, draws, placing):
    models = denoisers(fields, predicts=predicts, draws=draws, embedding=placing, depth=1)
    loss, rows = NoiseLoss(0.7, draws), some_rows(fields)
    assert loss.stands(models)
    weights = {
        name: torch.stack([learned_of(model)[name].detach() for model in models])
        for name in learned_of(models[0])
    }
    grads = {name: torch.zeros_like(value) for name, value in weights.items()}
    with torch.no_grad():
        loss.slopes_together(models[0], weights, grads, BATCH).put(rows, generators())
    for at, (model, noise) in enumerate(zip(models, generators(), strict=True)):
        own = learned_of(model)
        found = torch.autograd.grad(loss(model, rows[at], noise).mean(), list(own.values()))
        for name, slope in zip(own, found, strict=True):
            torch.testing.assert_close(grads[name][at], slope, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("other", [{"embedding": "learned"}, {"network": "plain"}, {"head": "nearest"}])
def test_other_forms_of_the_network_are_left_to_differentiation(other):
    assert not NoiseLoss().stands(denoisers(MIXED, **other))


def test_models_of_different_domains_points_or_kinds_do_not_stand_together():
    own = denoisers(MIXED)[:1]
    assert not NoiseLoss().stands([*own, *denoisers(Fields((0, 3), (1, 2), (2, 3)))])
    assert not NoiseLoss().stands([*own, *denoisers(MIXED, embedding="random")])
    assert not NoiseLoss().stands([*own, *denoisers(MIXED, predicts="eps")])
    assert not NoiseLoss().stands([*own, torch.nn.Linear(2, 2)])
