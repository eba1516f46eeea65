import pytest

from testing.planted import caught
from testing.planted_measures import Planted
from understudy.table.evidence import Evidence
from understudy.testing import odd_evidence

FEW = {"halves": 4, "nulls": 1}
CHECKS = {check.__name__.removeprefix("nothing_falls_over_when_"): check for check in odd_evidence.CHECKS}


@pytest.mark.parametrize("name", odd_evidence.ODD)
def test_every_odd_table_is_evidence(name):
    assert len(Evidence(**odd_evidence.ODD[name]()).coded("synthetic")) > 0


def test_a_measure_that_falls_over_is_caught():
    with pytest.raises(IndexError):
        CHECKS["there_are_only_categories"](Planted(flaw="needs_a_quantity", **FEW))


def test_a_value_that_is_undefined_without_a_word_is_caught():
    message = caught(CHECKS["there_is_one_row"], Planted(flaw="is_undefined_without_a_word", **FEW))
    assert message == "there_is_one_row: the value is NaN, and no note says why"


def test_an_error_of_ours_is_an_answer():
    from understudy.errors import InputError

    class Refusing:
        better = "lower"

        def __call__(self, evidence, *, seed):
            raise InputError(f"refusing: {seed}, {len(evidence.notes)}")

    CHECKS["there_are_two_rows"](Refusing())
