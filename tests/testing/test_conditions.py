import pytest

from testing.planted import Planted, caught
from understudy.testing import conditions


@pytest.mark.parametrize(
    ("check", "flaw", "words"),
    [
        (conditions.conditions_on_levels_hold, "ignores_where", "break the condition on 'sex'"),
        (conditions.conditions_on_numbers_hold, "ignores_where", "break the condition on 'age'"),
        (conditions.conditions_on_times_hold, "ignores_where", "break the condition on 'birthday'"),
        (conditions.conditions_on_missing_values_hold, "ignores_where", "break the condition on 'waited'"),
        (conditions.conditions_hold_together, "obeys_the_first_condition", "break the condition on 'age'"),
        (conditions.conditions_on_levels_hold, "one_row_more", "31 came back"),
        (conditions.a_condition_that_cannot_be_met_ends_in_an_error, "ignores_where", "NothingMatches"),
        (conditions.unknown_columns_and_levels_are_refused, "ignores_where", "WhereError"),
        (conditions.a_condition_leaves_the_other_columns_alone, "repeats_a_match", "all rows are the same"),
    ],
)
def test_the_message_says_which_condition_is_broken(check, flaw, words):
    assert words in caught(check, Planted(flaw=flaw))


def test_giving_up_too_late_is_caught(monkeypatch):
    monkeypatch.setattr(conditions, "_LONGEST", -1.0)
    message = caught(conditions.a_condition_that_cannot_be_met_ends_in_an_error, Planted())
    assert "to say that nothing matches" in message
