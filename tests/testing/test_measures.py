import pytest

from testing.planted import caught
from testing.planted_measures import FLAWS, PLANTS, Bare, Loose, Planted
from understudy.testing import check_measure, measure_checks
from understudy.testing.measures import FAMILIES

FEW = {"halves": 4, "nulls": 1}
OTHERWISE = {
    "a_measure_is_a_frozen_dataclass_with_declared_ranges": Bare(),
    "settings_outside_their_ranges_are_refused": Loose(),
}


def failure(check, measure):
    """What a check says of a measure, whether it says it or falls over with it."""
    try:
        return caught(check, measure)
    except Exception as error:  # noqa: BLE001 - a measure may fall over with anything
        return type(error).__name__


@pytest.mark.parametrize("name", [*PLANTS, *OTHERWISE])
def test_a_planted_flaw_is_caught_by_the_check_that_is_for_it(name):
    (check,) = (check for check in measure_checks() if check.__name__ == name)
    assert failure(check, OTHERWISE.get(name) or Planted(flaw=PLANTS[name], **FEW))


def test_an_honest_measure_passes_the_whole_suite():
    check_measure(Planted(**FEW))


def test_all_failures_are_reported_at_once():
    with pytest.raises(AssertionError) as found:
        check_measure(Planted(flaw="needs_a_quantity", **FEW))
    lines = str(found.value).splitlines()
    assert lines[0].startswith("Planted fails ")
    said = "- nothing_falls_over_when_there_are_only_categories: the measure raised IndexError"
    assert said in lines and len(lines) > 3


def test_every_check_is_a_sentence_that_says_more_in_its_docstring():
    for check in measure_checks():
        assert check.__name__.count("_") >= 2
        assert check.__doc__


def test_no_two_checks_have_the_same_name_and_every_family_has_some():
    checks = measure_checks()
    assert len({check.__name__ for check in checks}) == len(checks) > 30
    assert {check.__module__.rpartition(".")[2] for check in checks} == set(FAMILIES)


def test_every_flaw_is_used():
    assert {*PLANTS.values(), "honest"} == set(FLAWS)
