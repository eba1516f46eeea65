from understudy.table.rule import Comparison, Implies, IsMissing, Linear, Match, Term


def test_rules_are_values_that_can_be_compared_and_kept_in_sets():
    one, other = (Comparison(Linear((Term("a"),)), "<=", Linear((), 5.0)) for _ in range(2))
    assert one == other and len({one, other}) == 1


def test_the_columns_of_a_rule_are_named_once_in_their_order():
    rule = Comparison(Linear((Term("b"), Term("a"))), "==", Linear((Term("b", 2.0),)))
    assert rule.columns == ("b", "a")
    assert Implies(IsMissing("c"), rule).columns == ("c", "b", "a")
    assert Match("d", "==", "x").columns == ("d",)


def test_sums_are_written_with_their_signs():
    assert str(Linear((Term("a", -1.0), Term("b", 2.5)), -3.0)) == "-a + 2.5 * b - 3"
    assert str(Linear()) == "0"
    assert str(Linear((), -1.0)) == "-1"


def test_names_that_are_no_plain_word_are_quoted():
    assert str(IsMissing("hours-per-week")) == '"hours-per-week" is missing'
    assert str(IsMissing('say "no"', missing=False)) == '"say ""no""" is not missing'
    assert str(IsMissing("not")) == '"not" is missing'
    assert str(IsMissing("größe")) == '"größe" is missing'


def test_words_and_truth_values_are_written_apart():
    assert str(Match("a", "==", "it's")) == "a == 'it''s'"
    assert str(Match("a", "!=", True)) == "a != true"
    assert str(Match("a", "==", "true")) == "a == 'true'"
