import math
from dataclasses import replace

import pytest

from testing.planted import caught
from testing.planted_measures import Bare, Loose, Planted
from understudy.result import Result
from understudy.testing import results

FEW = {"halves": 4, "nulls": 1}
GOOD = Result(
    Planted.title(), 0.5, 0.4, 0.6, null=0.5, better="lower", saw_real_rows=True, parts={"a": 1.0}, n=3
)
NAN = math.nan


def test_a_good_result_is_well_formed():
    results.assert_well_formed(Planted(**FEW), GOOD, "here")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "fidelity.other"}, "the result is called fidelity.other"),
        ({"better": "higher"}, "the result is better higher"),
        ({"seconds": -1.0}, "it took -1.0 seconds"),
        ({"n": 0}, "n is not there"),
        ({"low": 0.55}, "0.5 is outside 0.55 to 0.6"),
        ({"low": NAN}, "half of the interval is NaN"),
        ({"value": math.inf, "high": math.inf}, "the value is infinite"),
        ({"value": NAN, "low": NAN, "high": NAN}, "no note says why"),
        ({"parts": {"a": 1}}, "a part is no float"),
        ({"parts": {"a": NAN}}, "a part is undefined, and there is no coverage"),
        ({"parts": {"coverage": 1.5}}, "the coverage is 1.5"),
    ],
    ids=str,
)
def test_a_bad_result_is_told_what_is_wrong_with_it(change, said):
    with pytest.raises(AssertionError, match=f"here: .*{said}"):
        results.assert_well_formed(Planted(**FEW), replace(GOOD, **change), "here")


def test_an_undefined_value_with_a_reason_is_well_formed():
    undefined = replace(GOOD, value=NAN, low=NAN, high=NAN, null=NAN, n=0, notes=("there are no rows",))
    results.assert_well_formed(Planted(**FEW), undefined, "here")


def test_settings_that_can_be_changed_or_go_unchecked_are_caught():
    assert "frozen=True" in caught(results.a_measure_is_a_frozen_dataclass_with_declared_ranges, Bare())
    assert "knots=0" in caught(results.settings_outside_their_ranges_are_refused, Loose())


def test_a_level_in_the_notes_is_caught_without_being_repeated():
    message = caught(results.no_result_tells_a_cell, Planted(flaw="tells_a_level", **FEW))
    assert "a level of the table stands in the notes" in message and "west" not in message


def test_a_generator_of_the_world_is_named():
    message = caught(
        results.the_global_random_state_is_not_touched, Planted(flaw="draws_from_the_world", **FEW)
    )
    assert "the global generator of random was used" in message
