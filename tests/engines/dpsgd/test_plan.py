import math

import pytest

from engines.dpsgd.networks import plan_of
from understudy.engines.dpsgd.plan import Plan
from understudy.errors import ParameterError
from understudy.privacy.events import SampledGaussian


def test_the_event_is_made_of_the_fields_that_sample_and_noise():
    plan = plan_of(noise=1.3, clip=0.2, rate=0.03, steps=77)
    event = plan.event()
    assert math.isclose(event.noise, 1.3) and (event.rate, event.steps) == (0.03, 77)
    assert math.isclose(plan.deviation, 0.26) and plan.sensitivity == 0.2


@pytest.mark.parametrize("style", ["flat", "layer"])
@pytest.mark.parametrize("clip", [1e-3, 0.7, 40.0])
def test_clipping_per_record_has_the_clip_as_its_sensitivity(style, clip):
    plan = plan_of(noise=2.0, clip=clip, style=style)
    assert plan.sensitivity == clip and math.isclose(plan.event().noise, 2.0)


@pytest.mark.parametrize(
    ("groups", "effective"), [((), 0.5), (("a.",), 0.5), (("a.", "b."), 0.5 / math.sqrt(2))]
)
def test_batch_clipping_declares_its_true_sensitivity(groups, effective):
    event = plan_of(noise=1.0, style="batch", groups=groups).event()
    assert math.isclose(event.noise, effective)


def test_the_rate_comes_from_a_public_number_of_rows():
    plan = Plan.sampling(512, 51_200, noise=1.0, clip=1.0, steps=3)
    assert plan.event() == SampledGaussian(noise=1.0, rate=0.01, steps=3) and plan.batch == 512


@pytest.mark.parametrize(
    "change",
    [
        {"noise": 0.0},
        {"noise": math.nan},
        {"noise": -1.0},
        {"clip": 0.0},
        {"clip": math.inf},
        {"rate": 0.0},
        {"rate": 1.5},
        {"steps": 0},
        {"steps": 1.5},
        {"steps": 2**31},
        {"batch": 0.0},
        {"style": "ghost"},
        {"groups": ("a.",)},
        {"style": "layer", "groups": ("a.", "a.")},
    ],
)
def test_a_plan_outside_its_range_is_refused(change):
    with pytest.raises(ParameterError, match="Plan"):
        plan_of(**change)


@pytest.mark.parametrize(("batch", "rows"), [(0, 10), (11, 10), (1, 0)])
def test_a_batch_that_the_rows_cannot_fill_is_refused(batch, rows):
    with pytest.raises(ParameterError, match="batch"):
        Plan.sampling(batch, rows, noise=1.0, clip=1.0, steps=1)


def test_a_plan_cannot_be_changed_after_it_was_accounted():
    with pytest.raises(AttributeError):
        plan_of().noise = 0.1
