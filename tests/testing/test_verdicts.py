import pytest

from testing.planted import caught
from testing.planted_measures import Planted
from understudy.result import Result
from understudy.testing import verdicts

FEW = {"halves": 4, "nulls": 1}


@pytest.mark.parametrize(("better", "loss"), [("lower", 0.7), ("higher", -0.7), ("null", 0.2)])
def test_a_loss_is_what_one_does_not_want(better, loss):
    result = Result("fidelity.toy", 0.7, 0.6, 0.8, null=0.5, better=better, saw_real_rows=True)
    assert verdicts.loss(result) == pytest.approx(loss)


def test_a_blind_measure_is_told_what_it_did_not_see():
    blind = Planted(flaw="is_blind", **FEW)
    assert "a shifted table scores 0.25" in caught(
        verdicts.a_shifted_table_is_clearly_worse_than_real_rows, blind
    )
    assert "a constant table" in caught(verdicts.a_constant_table_is_clearly_worse_than_real_rows, blind)


def test_a_measure_that_dislikes_copies_is_caught():
    message = caught(verdicts.a_copy_is_as_good_as_a_fresh_sample, Planted(flaw="hates_copies", **FEW))
    assert message.startswith("a copy scores 8 and a fresh sample ")


def test_a_null_that_flatters_every_table_is_caught():
    measure = Planted(flaw="forgets_the_null", **FEW)
    assert "its null is 0.9" in caught(verdicts.a_fresh_sample_is_compatible_with_the_null, measure)
