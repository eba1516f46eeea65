"""Fits that run side by side train as one, and come out as if each had been alone."""

import threading

import numpy as np
import pytest
import torch

from engines.training.networks import bytes_of, network, plain_loss, rows_of
from understudy.engines.training import together as room
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.engines.training.together import meeting, together

SETTINGS = Settings(steps=30, batch=16, lr=0.01, ema=0.9)
STAGES = {"first": SETTINGS, "second": SETTINGS}


def job(number, *, keep=None, inner=5, settings=None, loss=plain_loss):
    def run():
        model = network(seed=number, inner=inner)
        fit = OpenFit(rows_of(40, seed=number), settings or STAGES, number, keep=keep, device="cpu")
        fit.train("first", model, loss)
        fit.train("second", model, loss)
        return model

    return run


def stacks(monkeypatch):
    """Return a list to which each training adds how many models were trained as one."""
    seen, train = [], room._train_one_side
    monkeypatch.setattr(
        room, "_train_one_side", lambda lessons: (seen.append(len(lessons)), train(lessons))[1]
    )
    return seen


def assert_same(left, right):
    for one, other in zip(left, right, strict=True):
        for a, b in zip(one.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)


def test_every_stage_is_trained_once_for_all_with_the_batches_that_each_would_have_had(monkeypatch):
    seen = stacks(monkeypatch)
    found = together([job(number) for number in range(3)])
    assert seen == [3, 3]
    assert_same(found, [job(number)() for number in range(3)])
    assert not any(model.training for model in found)


def test_models_that_cannot_stand_side_by_side_are_trained_apart(monkeypatch):
    seen = stacks(monkeypatch)
    jobs = [job(0), job(1, inner=9), job(2)]
    assert_same(together(jobs), [each() for each in jobs])
    assert sorted(seen) == [1, 1, 2, 2]


def test_what_would_end_at_a_time_of_its_own_trains_by_itself():
    early = Settings(steps=30, batch=16, validation=0.2, every=5)
    jobs = [job(number, settings=dict.fromkeys(STAGES, early)) for number in range(2)]
    for one, other in zip(together(jobs), (each() for each in jobs), strict=True):
        assert bytes_of(one) == bytes_of(other)


def test_losses_that_differ_are_not_mixed_up(monkeypatch):
    seen = stacks(monkeypatch)
    jobs = [job(0), job(1, loss=lambda model, rows, noise: 2 * plain_loss(model, rows, noise))]
    together(jobs)
    assert seen == [1, 1, 1, 1]


def test_a_finished_training_is_kept_and_not_trained_again(tmp_path, monkeypatch):
    jobs = [job(number, keep=tmp_path / str(number)) for number in range(2)]
    first = together(jobs)
    seen = stacks(monkeypatch)
    again = [together(jobs), [each() for each in jobs]]
    assert not seen
    for models in again:
        assert [bytes_of(model) for model in models] == [bytes_of(model) for model in first]


def test_a_job_that_trains_nothing_keeps_nobody_waiting():
    found = together([job(0), lambda: "through", job(1)])
    assert found[1] == "through" and found[0] is not None


def test_an_error_of_one_job_ends_all_and_is_told():
    def failing():
        raise ValueError("toy: it fails")

    before = threading.active_count()
    with pytest.raises(ValueError, match="toy: it fails"):
        together([job(0), failing, job(1)])
    assert threading.active_count() == before


@pytest.mark.parametrize("leaving", [True, False])
def test_an_error_of_the_training_is_told(monkeypatch, leaving):
    def failing(_):
        raise ValueError("toy: no memory")

    monkeypatch.setattr(room, "_train_one_side", failing)
    with pytest.raises(ValueError, match="toy: no memory"):
        together([job(0), job(1), *([lambda: None] if leaving else [])])


@pytest.mark.timeout(60)
@pytest.mark.parametrize("leaving", [True, False])
def test_an_error_of_the_training_that_a_job_catches_is_heard_by_all_who_waited(monkeypatch, leaving):
    def failing(_):
        raise ValueError("toy: no memory")

    def catching(number):
        def run():
            try:
                return job(number)()
            except ValueError as error:
                return str(error)

        return run

    monkeypatch.setattr(room, "_train_one_side", failing)
    jobs = [*(catching(number) for number in range(3)), *([lambda: "through"] if leaving else [])]
    assert together(jobs) == ["toy: no memory"] * 3 + ["through"] * leaving


@pytest.mark.timeout(60)
def test_an_error_that_one_job_lets_pass_is_raised_though_another_catches_it(monkeypatch):
    def failing(_):
        raise ValueError("toy: no memory")

    def catching():
        with pytest.raises(ValueError, match="toy"):
            job(1)()

    monkeypatch.setattr(room, "_train_one_side", failing)
    with pytest.raises(ValueError, match="toy: no memory"):
        together([job(0), catching])


def test_nobody_meets_outside():
    assert meeting() is None
    together([lambda: None])
    assert meeting() is None


def test_nothing_to_do_is_done():
    assert together([]) == []


def test_jobs_run_one_at_a_time():
    busy, most = [], []

    def watched():
        busy.append(1)
        most.append(len(busy))
        np.random.default_rng(0).standard_normal(10_000).sort()
        busy.pop()

    together([watched] * 8)
    assert max(most) == 1
