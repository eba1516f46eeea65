import pytest
import torch
from torch import nn
from torch.func import vmap

from engines.training.networks import network, noisy_loss, rows_of
from understudy.engines.training.drawing import NotAhead, handed, made, noted
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.together import together


def several(_model, rows, noise):
    first = torch.rand(len(rows), 1, generator=noise)
    second = torch.randint(5, (len(rows),), generator=noise)
    third = torch.randn(rows.shape, generator=noise)
    return first[:, 0] + second + third.sum(1)


def test_draws_made_ahead_are_those_that_each_generator_would_make():
    rows = torch.zeros(4, 3)
    draws = noted(lambda: several(None, rows, torch.Generator()))
    assert [draw.function for draw in draws] == [torch.rand, torch.randint, torch.randn]
    ahead = made(draws, [torch.Generator().manual_seed(seed) for seed in (1, 2)])
    with handed([each[1] for each in ahead]):
        found = several(None, rows, torch.Generator())
    torch.testing.assert_close(found, several(None, rows, torch.Generator().manual_seed(2)))


def test_under_vmap_each_model_is_handed_its_own():
    rows = torch.zeros(2, 4, 3)
    draws = noted(lambda: several(None, rows[0], torch.Generator()))

    def one(own, drawn):
        with handed(drawn):
            return several(None, own, torch.Generator())

    found = vmap(one)(rows, made(draws, [torch.Generator().manual_seed(seed) for seed in (1, 2)]))
    for place, seed in enumerate((1, 2)):
        torch.testing.assert_close(found[place], several(None, rows[0], torch.Generator().manual_seed(seed)))


@pytest.mark.parametrize(
    "odd",
    [
        lambda: torch.rand(3),
        lambda: torch.zeros(3).normal_(),
        lambda: nn.functional.dropout(torch.ones(3), 0.5),
        lambda: torch.bernoulli(torch.ones(3)),
        lambda: torch.randn_like(torch.ones(3)),
    ],
    ids=["no generator", "in place", "dropout", "bernoulli", "like"],
)
def test_draws_that_cannot_be_made_ahead_are_noticed(odd):
    with pytest.raises(NotAhead):
        noted(odd)


def fits(losses, sizes=(90, 70, 70)):
    models = [network() for _ in sizes]
    jobs = []
    for number, (model, size) in enumerate(zip(models, sizes, strict=True)):
        settings = {"s": Settings(steps=70, batch=32, lr=1e-2)}
        fit = OpenFit(rows_of(size, seed=number), settings, seed=number, device="cpu")
        jobs.append(lambda fit=fit, model=model: fit.train("s", model, losses))
    return models, jobs


def dropping(model, rows, noise):
    moved = nn.functional.dropout(rows, 0.2) + torch.randn(rows.shape, generator=noise)
    return (model(moved) - rows).square().sum(1)


@pytest.mark.parametrize("loss", [noisy_loss, dropping])
def test_models_trained_alike_are_those_trained_alone(loss):
    alone, jobs = fits(loss)
    for job in jobs:
        job()
    beside, jobs = fits(loss)
    together(jobs, alike=True)
    for left, right in zip(alone, beside, strict=True):
        torch.testing.assert_close(list(left.parameters()), list(right.parameters()), atol=1e-5, rtol=1e-4)
