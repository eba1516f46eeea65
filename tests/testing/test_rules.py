import pytest

from testing.planted import Planted, caught
from understudy.table.rules import broken_rows, rules_of
from understudy.testing import rules


@pytest.mark.parametrize("check", [rules.rules_hold_in_every_row, rules.rules_hold_under_conditions])
def test_the_message_says_which_rule_is_broken(check):
    assert "rows break the rule `" in caught(check, Planted(flaw="forgets_the_rules"))


def test_a_row_too_many_is_caught():
    assert "2 came back" in caught(rules.rules_hold_in_every_row, Planted(flaw="one_row_more"))


def test_a_condition_that_is_passed_over_is_caught():
    message = caught(rules.rules_hold_under_conditions, Planted(flaw="ignores_where"))
    assert "out of what was asked for" in message


def test_rows_that_keep_only_some_rules_are_caught():
    message = caught(rules.rules_that_exclude_each_other_end_in_an_error, Planted(flaw="forgets_the_rules"))
    assert "it was accepted" in message


def test_the_rows_that_are_learned_break_every_rule():
    schema = rules._schema(*rules._RULES)
    assert all(broken_rows(rule, rules._bills(), schema).any() for rule in rules_of(schema))
