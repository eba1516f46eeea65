import pytest

from understudy.codec.style import Style
from understudy.errors import ParameterError


@pytest.mark.parametrize(
    "settings",
    [
        {"numbers": "ranks"},
        {"levels": "binary"},
        {"missing": "drop"},
        {"edges": "even"},
        {"bins": 0},
        {"bins": 2.0},
        {"modes": 0},
        {"knots": 1},
        {"rare": -1},
        {"rare": True},
    ],
)
def test_a_setting_outside_its_range_is_refused_by_name(settings):
    with pytest.raises(ParameterError, match=f"Style: {next(iter(settings))} must be"):
        Style(**settings)


def test_styles_with_equal_settings_are_equal():
    assert Style(bins=8) == Style(bins=8) != Style(bins=9)
