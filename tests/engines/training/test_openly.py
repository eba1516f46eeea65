import os

import pytest
import torch

from engines.training.networks import (
    Told,
    bytes_of,
    network,
    noisy_loss,
    plain_loss,
    refuse_other_ends,
    rows_of,
)
from understudy.engines.training.fit import Settings
from understudy.engines.training.loop import BLOCK
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.order import Order, seed_of
from understudy.errors import ParameterError


def trained(settings, loss=noisy_loss, seed=0, rows=None, inputs=None, **more):
    model = network()
    fit = OpenFit(rows_of() if rows is None else rows, {"a": settings}, seed, device="cpu", **more)
    fit.train("a", model, loss, inputs)
    return model


def by_hand(settings, rows):
    """The plainest loop: torch's own AdamW, its own scheduler, an average in Python."""
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr, weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, settings.steps)
    average = [p.detach().clone() for p in model.parameters()]
    order, noise = Order(len(rows), settings.batch, torch.device("cpu"), (0, "a")), torch.Generator()
    for step in range(settings.steps):
        if step % BLOCK == 0:
            noise.manual_seed(seed_of(0, "a", "noise", str(step // BLOCK)))
        batch = torch.from_numpy(rows)[order.block(step // BLOCK)[step % BLOCK]]
        optimizer.zero_grad()
        noisy_loss(model, batch, noise).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
        optimizer.step()
        schedule.step()
        decay = min(settings.ema, (1 + step) / (10 + step))
        average = [
            decay * a + (1 - decay) * p.detach() for a, p in zip(average, model.parameters(), strict=True)
        ]
    return average


def test_training_is_what_a_loop_written_by_hand_does():
    settings = Settings(steps=100, batch=32, lr=0.01, schedule="linear", ema=0.9, clip=1.0, weight_decay=0.01)
    found = trained(settings)
    for left, right in zip(found.parameters(), by_hand(settings, rows_of()), strict=True):
        torch.testing.assert_close(left.detach(), right, rtol=1e-4, atol=1e-5)


def error(model):
    with torch.no_grad():
        return float(plain_loss(model, torch.from_numpy(rows_of()), None).mean())


def test_a_model_learns_and_comes_back_in_eval_mode():
    model = trained(Settings(steps=400, batch=50, lr=0.02), plain_loss)
    assert not model.training and all(p.grad is None for p in model.parameters())
    assert error(model) < 0.2 * error(network())


def test_one_seed_gives_the_same_bytes_and_another_does_not():
    settings = Settings(steps=70, batch=16)
    first, again, other = (bytes_of(trained(settings, seed=seed)) for seed in (3, 3, 4))
    assert first == again != other


def test_the_global_generator_is_neither_read_nor_moved():
    settings = Settings(steps=3)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        expected = torch.rand(3)
        found = []
        for seed in (5, 6):
            model = torch.nn.Sequential(network(), torch.nn.Dropout(0.5))
            torch.manual_seed(seed)
            OpenFit(rows_of(), {"a": settings}, 0, device="cpu").train("a", model, plain_loss)
            found.append(bytes_of(model))
        torch.manual_seed(5)
        OpenFit(rows_of(), {"a": settings}, 0, device="cpu").train("a", network_without_draws(), plain_loss)
        assert torch.equal(torch.rand(3), expected)
    assert found[0] == found[1]


def network_without_draws():
    model = torch.nn.Linear(3, 3)
    torch.manual_seed(5)  # making the layer drew its first weights
    return model


def test_more_batch_than_rows_is_all_rows():
    settings = Settings(steps=5, batch=10_000)
    assert bytes_of(trained(settings, rows=rows_of(7))) == bytes_of(
        trained(Settings(steps=5, batch=7), rows=rows_of(7))
    )
    trained(settings, rows=rows_of(1))


def test_the_loss_is_given_what_inputs_makes_of_rows():
    seen = []

    def loss(model, rows, noise):
        seen.append(rows.shape)
        return plain_loss(model, rows, noise)

    trained(Settings(steps=2, batch=4), loss, inputs=lambda rows: rows[:, :1].expand(-1, 3) * 2)
    assert set(seen) == {(4, 3)}


def test_frozen_parameters_stay():
    model = network()
    model[0].requires_grad_(False)
    before = model[0].weight.clone()
    OpenFit(rows_of(), {"a": Settings(steps=5, ema=0.9)}, 0, device="cpu").train("a", model, plain_loss)
    assert torch.equal(model[0].weight, before) and not torch.equal(model[2].weight, network()[2].weight)


def test_training_ends_when_the_rows_kept_aside_get_no_better():
    calls = []

    def loss(model, rows, noise):
        calls.append(model.training)
        return plain_loss(model, rows, noise) * 0 + model[0].weight.square().sum() * 0 + 1.0

    trained(Settings(steps=100 * BLOCK, batch=4, validation=0.2, every=1, patience=2), loss)
    assert calls.count(True) == 3 * BLOCK


def test_bf16_learns_too():
    model = trained(Settings(steps=200, batch=50, lr=0.02, precision="bf16"), plain_loss)
    assert error(model) < 0.5 * error(network())


def test_no_rows_and_stages_without_settings_are_refused():
    with pytest.raises(ParameterError, match="at least one row"):
        OpenFit(rows_of(0), {}, 0)
    with pytest.raises(ParameterError, match="no settings"):
        OpenFit(rows_of(), {"b": Settings()}, 0).train("a", network(), plain_loss)


def test_a_finished_stage_is_loaded_and_skipped(tmp_path):
    settings = Settings(steps=70, batch=16, ema=0.9)
    first = trained(settings, keep=tmp_path)
    told = Told()
    model = network()
    OpenFit(rows_of(), {"a": settings}, 0, told, keep=tmp_path, device="cpu").train("a", model, noisy_loss)
    assert bytes_of(first) == bytes_of(model) and told.steps == 0


@pytest.mark.parametrize("other", ["settings", "seed", "data", "model"])
def test_a_checkpoint_of_another_training_is_not_used(tmp_path, other):
    settings = Settings(steps=5, batch=16)
    trained(settings, keep=tmp_path)
    told = Told()
    if other == "settings":
        settings = Settings(steps=6, batch=16)
    rows, model = rows_of(seed=1 if other == "data" else 0), network(seed=1 if other == "model" else 0)
    seed = 1 if other == "seed" else 0
    OpenFit(rows, {"a": settings}, seed, told, keep=tmp_path, device="cpu").train("a", model, noisy_loss)
    assert any("starting over" in word for word in told.words)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each run is a fork")
def test_a_training_that_was_killed_again_and_again_ends_with_the_same_bytes():
    refuse_other_ends("openly")


def test_a_stage_after_another_first_stage_is_trained_anew(tmp_path):
    for steps, anew in ((3, True), (3, False), (4, True)):
        told, encoder, model = Told(), network(seed=1), network()
        stages = {"first": Settings(steps=steps), "second": Settings(steps=5)}
        fit = OpenFit(rows_of(), stages, 0, told, keep=tmp_path, device="cpu")
        fit.train("first", encoder, plain_loss)
        fit.train("second", model, plain_loss, lambda rows: rows * 2)  # does not show what it depends on
        assert ("training second" in told.words) == anew
