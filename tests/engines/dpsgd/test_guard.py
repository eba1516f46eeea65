import pytest
import torch
from torch import nn

from understudy.engines.dpsgd.guard import group_names, refuse_mixing, trainable
from understudy.errors import ParameterError


@pytest.mark.parametrize(
    "layer",
    [
        nn.BatchNorm1d(3),
        nn.BatchNorm2d(3, track_running_stats=False),
        nn.BatchNorm3d(3),
        nn.SyncBatchNorm(3),
        nn.LazyBatchNorm1d(),
        nn.InstanceNorm1d(3, track_running_stats=True),
        nn.Embedding(3, 2, max_norm=1.0),
        nn.Embedding(3, 2, scale_grad_by_freq=True),
        nn.EmbeddingBag(3, 2, scale_grad_by_freq=True),
        nn.LazyLinear(2),
    ],
    ids=lambda layer: type(layer).__name__,
)
def test_a_layer_that_mixes_rows_is_refused_by_its_name(layer):
    with pytest.raises(ParameterError, match=r"dpsgd: .* at '1'"):
        refuse_mixing(nn.Sequential(nn.Linear(3, 3), layer))


def test_layers_that_see_one_record_at_a_time_are_fine():
    refuse_mixing(
        nn.Sequential(
            nn.Linear(3, 3), nn.LayerNorm(3), nn.GroupNorm(1, 3), nn.InstanceNorm1d(3), nn.Dropout()
        )
    )


def test_only_parameters_that_need_gradients_are_trained():
    model = nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    assert list(trainable(model)) == ["weight"]


@pytest.mark.parametrize(
    "model",
    [
        nn.Flatten(),
        nn.Linear(2, 2, dtype=torch.bfloat16),
        nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2, dtype=torch.float64)),
    ],
)
def test_parameters_of_odd_or_several_kinds_are_refused(model):
    with pytest.raises(ParameterError, match="float32"):
        trainable(model)


def test_groups_are_prefixes_layers_or_everything():
    names = ["encoder.0.weight", "encoder.0.bias", "decoder.weight"]
    assert group_names(names, ("encoder.", "decoder."), by_layer=False) == [0, 0, 1]
    assert group_names(names, (), by_layer=True) == [0, 0, 1]
    assert group_names(names, (), by_layer=False) == [0, 0, 0]


@pytest.mark.parametrize(
    "groups", [("encoder.",), ("encoder.", "decoder.", "head."), ("encoder.", "", "decoder.")]
)
def test_a_parameter_without_a_group_or_a_group_without_parameters_is_refused(groups):
    with pytest.raises(ParameterError, match="exactly one group"):
        group_names(["encoder.weight", "decoder.weight"], groups, by_layer=False)
