"""Fields: every coordinate is a number or a code, and is named once."""

import numpy as np
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


def test_shares_are_even_until_rows_were_seen():
    fields = Fields((0,), (1,), (4,))
    assert fields.shares[0].tolist() == [0.25] * 4
    seen = fields.seen(np.array([[0.3, 2], [0.1, 2], [0.2, 0]], np.float32))
    assert np.allclose(seen.shares[0], np.array([1.5, 0.5, 2.5, 0.5]) / 5)
    assert seen == fields, "what is known of shares does not make other fields"


def test_shares_of_other_sizes_are_refused():
    with pytest.raises(ParameterError, match="share"):
        Fields((), (0,), (2,), shares=(np.ones(3) / 3,))


def test_names_follow_their_codes_to_the_end_and_through_shares():
    fields = Fields((1,), (0, 2, 3), (3, 2, 4), names=("a", "b", "c"))
    seen = fields.seen(np.zeros((4, 4), np.float32))
    moved = seen.last("a")
    assert (moved.codes, moved.sizes, moved.names) == ((2, 3, 0), (2, 4, 3), ("b", "c", "a"))
    assert [len(each) for each in moved.shares] == [2, 4, 3]
    assert np.array_equal(moved.shares[2], seen.shares[0])


def test_a_column_that_has_no_code_is_refused():
    with pytest.raises(ParameterError, match=r"'x'.*'a'"):
        Fields((), (0,), (2,), names=("a",)).last("x")
    with pytest.raises(ParameterError, match="none"):
        Fields((), (0,), (2,)).last("x")


def test_names_of_some_codes_only_are_refused():
    with pytest.raises(ParameterError, match="name"):
        Fields((), (0, 1), (2, 2), names=("a",))


def test_a_number_may_have_a_flag():
    fields = Fields((0, 2), (1,), (2,), flags=(1, -1))
    assert Fields.of(fields.facts()) == fields and fields.flags == (1, -1)
    assert Fields((0, 2), (1,), (2,)).flags == (-1, -1)


@pytest.mark.parametrize("flags", [(1,), (0, -1), (3, -1)])
def test_a_flag_that_is_no_code_is_refused(flags):
    with pytest.raises(ParameterError, match="flag"):
        Fields((0, 2), (1,), (2,), flags=flags)
