"""The text of a rule, read by hand: no code of a schema file is ever run.

age >= 18                                   a column and a number
"first day" <= "last day"                   names that are more than a word stand in double quotes
net + tax == gross                          sums; 2 * a - b < 10 too
ward == 'west' implies beds > 0             words stand in single quotes; a quote inside is written twice
member == false implies since is missing    truth values stand without quotes; or: since is not missing
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NoReturn, cast, final

from understudy.errors import SchemaError
from understudy.table.rule import (
    RESERVED,
    Comparison,
    Condition,
    Implies,
    IsMissing,
    Linear,
    Match,
    Operator,
    Rule,
    Term,
)

__all__ = ["parse_rule"]

LONGEST = 10_000
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    |(?P<word>[^\W\d]\w*)
    |"(?P<name>(?:[^"]|"")+)"
    |'(?P<text>(?:[^']|'')*)'
    |(?P<sign><=|>=|==|!=|<|>|\+|-|\*)
    )""",
    re.VERBOSE,
)
_TURNED: dict[str, Operator] = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}


@final
@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    place: int


def parse_rule(text: str) -> Rule:
    """Return the rule that a text states; the error says at which character it stops making sense.

    >>> parse_rule("a + b == c").columns
    ('a', 'b', 'c')
    >>> parse_rule("a + <= c")
    Traceback (most recent call last):
    understudy.errors.SchemaError: rule: at character 5: expected a column or a number.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        raise SchemaError(f"rule: expected a text of at most {LONGEST:,} characters.")
    return _rule(_Cursor(text))


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    place = 0
    while place < len(text.rstrip()):
        match = _TOKEN.match(text, place)
        if match is None:
            start = len(text) - len(text[place:].lstrip())
            _refuse(start, "a column, a number, a quoted word or one of <= < == != >= > + - *")
        kind = str(match.lastgroup)
        found.append(_Token(kind, match.group(kind), match.end() - len(match.group().lstrip())))
        place = match.end()
    return found


@final
class _Cursor:
    """A place among tokens."""

    def __init__(self, text: str) -> None:
        self._tokens, self._place, self._end = _tokens(text), 0, len(text)

    def take(self, kind: str, *wanted: str) -> str | None:
        """Step over the next token if it is of this kind and one of these texts; return its text."""
        if self._place >= len(self._tokens):
            return None
        token = self._tokens[self._place]
        if token.kind != kind or (wanted and token.text not in wanted):
            return None
        self._place += 1
        return token.text

    def is_next(self, word: str) -> bool:
        """Say whether this word comes next, without stepping over it."""
        token = self._tokens[self._place] if not self.at_end() else None
        return token is not None and (token.kind, token.text) == ("word", word)

    def at_end(self) -> bool:
        """Say whether all is read."""
        return self._place >= len(self._tokens)

    def fail(self, wanted: str) -> NoReturn:
        """Refuse the next token."""
        _refuse(self._end if self.at_end() else self._tokens[self._place].place, wanted)


def _rule(cursor: _Cursor) -> Rule:
    first = _condition(cursor)
    rule: Rule = Implies(first, _condition(cursor)) if cursor.take("word", "implies") else first
    if not cursor.at_end():
        cursor.fail("the end, or `implies` and another condition")
    return rule


def _condition(cursor: _Cursor) -> Condition:
    word = _literal(cursor)
    if word is not None:
        operator = _TURNED[_operator(cursor)]
        return Match(_column(cursor, "a column to compare the word with"), operator, word)
    left = _linear(cursor)
    if cursor.take("word", "is"):
        return _missing(cursor, _alone(cursor, left, "asked whether it is missing"))
    operator = _operator(cursor)
    word = _literal(cursor)
    if word is not None:
        return Match(_alone(cursor, left, "compared with a word"), operator, word)
    right = _linear(cursor)
    if not left.terms and not right.terms:
        cursor.fail("a column on one side of the comparison before")
    return Comparison(left, operator, right)


def _missing(cursor: _Cursor, column: str) -> IsMissing:
    denied = cursor.take("word", "not") is not None
    if not cursor.take("word", "missing"):
        cursor.fail("`missing` or `not missing`")
    return IsMissing(column, not denied)


def _linear(cursor: _Cursor) -> Linear:
    terms: list[Term] = []
    constant = 0.0
    sign = cursor.take("sign", "+", "-") or "+"
    while sign:
        term = _term(cursor, -1.0 if sign == "-" else 1.0)
        if isinstance(term, Term):
            terms.append(term)
        else:
            constant += term
        sign = cursor.take("sign", "+", "-") or ""
    if not math.isfinite(constant):
        cursor.fail("numbers before whose sum a float can hold")
    return Linear(tuple(terms), constant)


def _term(cursor: _Cursor, sign: float) -> Term | float:
    number = cursor.take("number")
    if number is None:
        return Term(_column(cursor, "a column or a number"), sign)
    value = sign * float(number)
    if not math.isfinite(value):
        cursor.fail("a number before that a float can hold")
    if not cursor.take("sign", "*"):
        return value
    return Term(_column(cursor, "a column after the *"), value)


def _column(cursor: _Cursor, wanted: str) -> str:
    name = cursor.take("name")
    if name is not None:
        return name.replace('""', '"')
    if any(cursor.is_next(word) for word in RESERVED):
        cursor.fail(f"{wanted}; a column of that name stands in double quotes")
    word = cursor.take("word")
    if word is None:
        cursor.fail(wanted)
    return word


def _operator(cursor: _Cursor) -> Operator:
    found = cursor.take("sign", *_TURNED)
    if found is None:
        cursor.fail("one of <= < == != >= >, or `is missing`")
    return cast(Operator, found)


def _literal(cursor: _Cursor) -> str | bool | None:
    text = cursor.take("text")
    if text is not None:
        return text.replace("''", "'")
    truth = cursor.take("word", "true", "false")
    return None if truth is None else truth == "true"


def _alone(cursor: _Cursor, side: Linear, what: str) -> str:
    if len(side.terms) != 1 or side.constant or side.terms[0].factor != 1:
        cursor.fail(f"a single column before to be {what}")
    return side.terms[0].column


def _refuse(place: int, wanted: str) -> NoReturn:
    raise SchemaError(f"rule: at character {place + 1}: expected {wanted}.")
