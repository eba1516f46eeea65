"""Fields: every coordinate is a number or a code, and is named once."""

import pytest

from understudy.engines.fields import Fields
from understudy.errors import ParameterError


def test_width_and_levels_are_those_of_all_coordinates():
    fields = Fields(numbers=(1,), codes=(0, 2), sizes=(3, 2))
    assert (fields.width, fields.levels) == (3, 5)


def test_a_row_may_have_no_coordinates():
    assert Fields((), (), ()).width == 0


@pytest.mark.parametrize(
    ("numbers", "codes", "sizes"),
    [((0,), (0,), (2,)), ((0,), (2,), (2,)), ((), (0,), ()), ((), (0,), (0,)), ((), (), (2,))],
)
def test_places_that_are_named_twice_or_left_out_are_refused(numbers, codes, sizes):
    with pytest.raises(ParameterError, match="Fields"):
        Fields(numbers, codes, sizes)
