"""The bound written out: it teaches what the bound does, on one core or two, to the bit."""

from itertools import product

import numpy as np
import pytest
import torch

from understudy.engines.fields import Fields
from understudy.engines.nets import products, vae_part
from understudy.engines.nets.vae import Elbo, Vae, VaeSize
from understudy.engines.nets.vae_bound import WholeElbo

MIXED = Fields((0, 3), (1, 2), (3, 2))
SHAPES = list(product(("relu", "silu"), ("row", "column"), (True, False), (1, 2)))


def made(fields, activation="relu", spread="row", bounded=True, depth=1):
    size = VaeSize(3, 8, depth, activation, spread, bounded, "random")
    return Vae(fields, size, torch.Generator().manual_seed(0)).double()


def some_rows(fields, count=7):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(count, fields.width))
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        rows[:, at] = rng.integers(0, size, count)
    return torch.tensor(rows)


def noise():
    return torch.Generator().manual_seed(5)


def by_small_functions(model, rows, beta=1.0):
    return torch.autograd.grad(Elbo(beta)(model, rows, noise()).mean(), list(model.parameters()))


def written_out(model, rows, beta=1.0):
    WholeElbo(beta).slopes(model, len(rows), short=False).put(rows, noise())
    return [parameter.grad for parameter in model.parameters()]


def assert_same_slopes(model, rows, beta=1.0):
    for a, b in zip(by_small_functions(model, rows, beta), written_out(model, rows, beta), strict=True):
        assert torch.allclose(a, b)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_taught_is_what_follows_from_one_small_function_after_the_other(shape):
    assert_same_slopes(made(MIXED, *shape), some_rows(MIXED), 0.7)


@pytest.mark.parametrize("fields", [Fields((0, 1), (), ()), Fields((), (0, 1), (4, 1))])
@pytest.mark.parametrize("spread", ["row", "column"])
def test_rows_of_numbers_or_codes_alone_teach_too(fields, spread):
    assert_same_slopes(made(fields, spread=spread), some_rows(fields))


@pytest.mark.parametrize("far", [100.0, 1e4])
def test_levels_that_are_all_but_sure_or_all_but_impossible_are_no_trouble(far):
    model = made(MIXED)
    with torch.no_grad():
        model.decoder[-1].bias += far * torch.tensor([0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.1, 1.0, -1.0])
    assert_same_slopes(model, some_rows(MIXED))


def test_a_second_batch_is_not_disturbed_by_the_first():
    model, slopes = made(MIXED), None
    slopes = WholeElbo().slopes(model, 7, short=False)
    slopes.put(some_rows(MIXED).flip(0), torch.Generator().manual_seed(1))
    slopes.put(some_rows(MIXED), noise())
    found = [parameter.grad for parameter in model.parameters()]
    for a, b in zip(by_small_functions(model, some_rows(MIXED)), found, strict=True):
        assert torch.allclose(a, b)


@pytest.fixture(params=[products._NEVER, products._LEAST], ids=["torch", "oneDNN"])
def library(request, monkeypatch):
    """Ask for large products here, and there, whatever the processor."""
    if request.param != products._NEVER and not hasattr(torch.ops.mkldnn, products._ONEDNN):
        pytest.skip("no oneDNN")
    monkeypatch.setattr(vae_part, "least_quick", lambda: request.param)


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_batches_however_small_teach(count):
    assert_same_slopes(made(MIXED), some_rows(MIXED, count), 0.7)


@pytest.mark.usefixtures("library")
def test_wide_layers_teach_the_same_to_the_bit_on_one_core_and_two(cores):
    fields, found = Fields((0, 1), (2, 3), (40, 9)), []
    for threads in (1, 2):
        cores(threads)
        model = Vae(fields, VaeSize(128, 128, 2, "relu", "column", begins="random"), noise())
        slopes, drawn = WholeElbo().slopes(model, 500, short=False), noise()
        with slopes.computing():
            slopes.begin()
            for _ in range(3):
                slopes.put(some_rows(fields, 500).float(), drawn)
        found.append(slopes.learned[0].grad.clone())
    assert torch.equal(*found)


@pytest.mark.parametrize("short", [False, True])
def test_one_core_and_two_teach_the_same_to_the_bit(cores, short):
    rows, found = some_rows(MIXED, 64), []
    for threads in (1, 2):
        cores(threads)
        model, drawn = made(MIXED), noise()
        slopes = WholeElbo().slopes(model, 64, short=short)
        with slopes.computing():
            for seed in (5, 6):  # noise that was drawn ahead in one block is not that of the next
                slopes.begin()
                drawn.manual_seed(seed)
                for _ in range(3):
                    slopes.put(rows, drawn)
        found.append([parameter.grad.clone() for parameter in model.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def assert_about(exact, model):
    """Hold gradients of short products against exact ones, all at once: of a few rows, a unit may be off."""
    found = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    wanted = torch.cat([grad.flatten() for grad in exact])
    assert (found - wanted).norm() < 0.02 * wanted.norm()


@pytest.mark.parametrize("shape", SHAPES)
def test_short_products_teach_about_the_same(shape):
    model, rows = made(MIXED, *shape).float(), some_rows(MIXED, 200).float()
    exact = by_small_functions(model, rows)
    WholeElbo().slopes(model, len(rows), short=True).put(rows, noise())
    assert all(parameter.grad.dtype == torch.float32 for parameter in model.parameters())
    assert_about(exact, model)


def test_short_copies_follow_the_weights():
    model, rows = made(MIXED).float(), some_rows(MIXED, 200).float()
    slopes = WholeElbo().slopes(model, len(rows), short=True)
    slopes.put(rows, noise())
    with torch.no_grad():
        slopes.learned[0].mul_(2)
    exact = by_small_functions(model, rows)
    slopes.put(rows, noise())
    assert_about(exact, model)


def test_what_is_learned_is_one_vector_that_all_parameters_are_pieces_of():
    model, rows = made(MIXED, spread="column"), some_rows(MIXED)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    slopes = WholeElbo().slopes(model, len(rows), short=False)
    slopes.put(rows, noise())
    (whole,) = slopes.learned
    grads = [parameter.grad.clone() for parameter in model.parameters()]
    with torch.no_grad():
        whole.sub_(whole.grad)
    for old, grad, parameter in zip(before, grads, model.parameters(), strict=True):
        assert torch.equal(parameter, old - grad)


def test_the_bound_itself_is_that_of_small_functions():
    model, rows = made(MIXED), some_rows(MIXED)
    assert torch.equal(WholeElbo(0.7)(model, rows, noise()), Elbo(0.7)(model, rows, noise()))
