import pytest
import torch

from understudy.engines.training.fit import Settings, device_of, stage_settings
from understudy.errors import ParameterError


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"batch": 0},
        {"lr": -1.0},
        {"schedule": "step"},
        {"ema": 1.1},
        {"precision": "fp8"},
        {"betas": (0.9, 1.0)},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Settings(**wrong)


def test_a_stage_without_settings_is_refused_and_the_others_are_named():
    assert stage_settings({"vae": Settings(steps=3)}, "vae").steps == 3
    with pytest.raises(ParameterError, match="expected one of vae"):
        stage_settings({"vae": Settings()}, "diffusion")


def test_a_device_is_taken_by_name():
    assert device_of("cpu") == torch.device("cpu")
    assert device_of("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match='"auto" or "cpu"'):
        device_of("cuda")
