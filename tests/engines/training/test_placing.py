import torch
from torch import nn

from understudy.engines.training.placing import placed, rested


def test_a_model_is_moved_where_it_does_not_lie_and_left_where_it_does():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    before = [*model.parameters(), *model.buffers()]
    assert placed(model, torch.device("cpu")) is model
    assert all(a is b for a, b in zip(before, [*model.parameters(), *model.buffers()], strict=True))
    moved = placed(model, torch.device("meta"))
    assert {each.device.type for each in [*moved.parameters(), *moved.buffers()]} == {"meta"}


def test_a_model_without_weights_is_placed_too():
    model = nn.BatchNorm1d(2, affine=False)
    assert placed(model, torch.device("meta")).running_mean.device.type == "meta"


def test_a_model_that_was_trained_rests_in_all_its_parts():
    model = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout())).train()
    assert rested(model) is model
    assert not any(part.training for part in model.modules())
    assert rested(model) is model
