import pytest
from torch import nn

from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.training.fit import Settings
from understudy.errors import ParameterError


def loss(model, rows, _noise):
    return model(rows)[:, 0]


def network():
    layer = nn.Linear(2, 1)
    nn.init.constant_(layer.weight, 0.5)
    nn.init.zeros_(layer.bias)
    return layer


def test_two_of_the_same_are_equal_also_after_one_was_trained():
    first, second = Trainee(network(), loss, Settings()), Trainee(network(), loss, Settings())
    nn.init.ones_(first.model.weight)
    assert first == second and hash(first) == hash(second) and repr(first) == repr(second)


def test_other_settings_weights_or_stages_are_another():
    other = network()
    nn.init.ones_(other.bias)
    found = [
        Trainee(network(), loss, Settings()),
        Trainee(network(), loss, Settings(lr=0.5)),
        Trainee(other, loss, Settings()),
        Trainee(network(), loss, Settings(), stage="second"),
        Trainee(network(), loss, Settings(), network().forward),
    ]
    assert len(set(found)) == len(found)


def test_rows_kept_aside_are_refused():
    with pytest.raises(ParameterError, match="validation"):
        Trainee(network(), loss, Settings(validation=0.1))
