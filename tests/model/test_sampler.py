import pytest

from testing.planted import Bootstrap
from understudy.model.sampler import Sampler


def test_a_sampler_must_draw_and_write_itself_down():
    with pytest.raises(TypeError, match="draw, restore, state"):
        Sampler()


def test_a_sampler_says_whether_it_honours_conditions():
    assert Bootstrap.conditional is False
