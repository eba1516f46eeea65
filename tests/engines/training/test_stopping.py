import torch

from engines.training.networks import bytes_of, network, noisy_loss, plain_loss, rows_of
from understudy.engines.training.fit import Settings
from understudy.engines.training.stopping import Stopping
from understudy.engines.training.weights import Weights

SETTINGS = Settings(steps=100, every=10, patience=2, validation=0.2)


def stopping_of(loss=plain_loss):
    model = network()
    return model, Weights(model, SETTINGS), Stopping(model, loss, torch.from_numpy(rows_of(50)), SETTINGS, 7)


def spoil(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1.0)


def test_a_model_that_gets_worse_is_stopped_and_the_best_weights_come_back():
    model, weights, stopping = stopping_of()
    best = bytes_of(model)
    assert stopping.goes_on(10, weights)
    spoil(model)
    assert stopping.goes_on(20, weights)
    assert not stopping.goes_on(30, weights)
    stopping.finish()
    assert bytes_of(model) == best


def test_nothing_is_judged_before_it_is_time():
    _, weights, stopping = stopping_of()
    assert stopping.goes_on(9, weights) and stopping.state()[1]["judged"] == 0


def test_the_same_noise_judges_every_time():
    _, _, stopping = stopping_of(noisy_loss)
    assert stopping._judgement() == stopping._judgement()


def test_how_judging_stands_is_taken_up():
    model, weights, stopping = stopping_of()
    stopping.goes_on(10, weights)
    spoil(model)
    stopping.goes_on(20, weights)
    other_model, other_weights, other = stopping_of()
    spoil(other_model)
    other.load(*stopping.state())
    assert not other.goes_on(30, other_weights)
