import pytest
from hypothesis import given, strategies as st

from understudy.errors import SchemaError
from understudy.table.rule import Comparison, Implies, IsMissing, Linear, Match, Term
from understudy.table.rules_text import parse_rule


def test_every_form_is_read():
    a, b, c = (Linear((Term(name),)) for name in "abc")
    assert parse_rule("a <= b") == Comparison(a, "<=", b)
    assert parse_rule("a<b") == Comparison(a, "<", b)
    assert parse_rule("a + b == c") == Comparison(Linear((Term("a"), Term("b"))), "==", c)
    assert parse_rule("a >= 5") == Comparison(a, ">=", Linear((), 5.0))
    assert parse_rule("0 <= a") == Comparison(Linear((), 0.0), "<=", a)
    assert parse_rule("2 * a - b > -1.5e1") == Comparison(
        Linear((Term("a", 2.0), Term("b", -1.0))), ">", Linear((), -15.0)
    )
    assert parse_rule("x == 'level' implies y == 'other'") == Implies(
        Match("x", "==", "level"), Match("y", "==", "other")
    )
    assert parse_rule("a > 3 implies y is missing") == Implies(
        Comparison(a, ">", Linear((), 3.0)), IsMissing("y")
    )
    assert parse_rule("y is not missing") == IsMissing("y", missing=False)
    assert parse_rule("member == true") == Match("member", "==", True)


def test_a_word_may_stand_first():
    assert parse_rule("'2020-01-01' <= start") == Match("start", ">=", "2020-01-01")


def test_quoted_names_hold_anything_and_quotes_are_doubled():
    assert parse_rule('"first day" <= "say ""no"""').columns == ("first day", 'say "no"')
    assert parse_rule("a == 'it''s'") == Match("a", "==", "it's")
    assert parse_rule('"is" is missing') == IsMissing("is")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 1),
        ("   ", 4),
        ("a", 2),
        ("a <=", 5),
        ("a + <= c", 5),
        ("a == 'x", 6),
        ("a == b c", 8),
        ("a < b < c", 7),
        ("1 < 2", 6),
        ("a + b is missing", 10),
        ("a is present", 6),
        ("a is not", 9),
        ("a == b implies", 15),
        ("implies == 3", 1),
        ("a < 3x", 5),
        ("a < 1e999", 10),
        ("a < 1e308 + 1e308", 18),
        ("a = b", 3),
        ("a ** b < 1", 3),
        ("__import__('os')", 11),
        ("a < b; drop", 6),
        ("'x' == 'y'", 8),
        ("2 * 3 < a", 5),
        ("a + 1 == 'x'", 13),
        ("a == b implies c == d implies e == f", 23),
    ],
)
def test_nonsense_is_refused_at_its_place(text, place):
    with pytest.raises(SchemaError, match=rf"^rule: at character {place}: expected "):
        parse_rule(text)


def test_what_is_no_text_or_too_long_is_refused():
    for thing in (None, 5, b"a < b", "a < " + "9" * 20_000):
        with pytest.raises(SchemaError, match="expected a text of at most 10,000 characters"):
            parse_rule(thing)


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name.strip())
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
OPERATORS = st.sampled_from(["<=", "<", "==", "!=", ">=", ">"])
TERMS = st.builds(Term, NAMES, NUMBERS)
SUMS = st.builds(Linear, st.lists(TERMS, min_size=1, max_size=3).map(tuple), NUMBERS)
CONDITIONS = st.one_of(
    st.builds(Comparison, SUMS, OPERATORS, st.one_of(SUMS, st.builds(Linear, st.just(()), NUMBERS))),
    st.builds(Match, NAMES, OPERATORS, st.one_of(st.text(max_size=8), st.booleans())),
    st.builds(IsMissing, NAMES, st.booleans()),
)
RULES = st.one_of(CONDITIONS, st.builds(Implies, CONDITIONS, CONDITIONS))


@given(RULES)
def test_what_a_rule_writes_is_read_back_as_the_same_rule(rule):
    assert parse_rule(str(rule)) == rule


def reading(text):
    """The rule of a text, or the error that refuses it."""
    try:
        return parse_rule(text)
    except SchemaError as error:
        return error


@given(st.text(max_size=40))
def test_any_text_is_a_rule_or_a_refusal_that_says_where(text):
    found = reading(text)
    assert str(found).startswith("rule: at character ") or parse_rule(str(found)) == found


TOKENS = ["a", "b", '"c d"', "'x'", "3", "<=", "==", "+", "-", "*", "is", "not", "missing", "implies", "true"]


@given(st.lists(st.sampled_from(TOKENS), max_size=9))
def test_any_row_of_tokens_is_a_rule_or_a_refusal_that_says_where(tokens):
    found = reading(" ".join(tokens))
    assert str(found).startswith("rule: at character ") or parse_rule(str(found)) == found
