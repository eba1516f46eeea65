"""A rule that every row keeps, as a value: comparisons of linear terms, levels, missing cells, implications.

The text of a rule is read by `rules_text`; whether rows keep it is said by `rules`. Whoever makes rows can
read the same values to make rows that keep it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

__all__ = [
    "RESERVED",
    "Comparison",
    "Condition",
    "Implies",
    "IsMissing",
    "Linear",
    "Match",
    "Operator",
    "Rule",
]
__all__ += ["Term"]

Operator = Literal["<=", ">=", "==", "!=", "<", ">"]
RESERVED = frozenset({"implies", "is", "not", "missing", "true", "false"})


@final
@dataclass(frozen=True)
class Term:
    """A column times a number."""

    column: str
    factor: float = 1.0

    def __str__(self) -> str:
        name = _name(self.column)
        return name if self.factor == 1 else f"{_number(self.factor)} * {name}"


@final
@dataclass(frozen=True)
class Linear:
    """A sum of columns times numbers, and a number.

    >>> str(Linear((Term("a"), Term("b", -2.0)), 5.0))
    'a - 2 * b + 5'
    """

    terms: tuple[Term, ...] = ()
    constant: float = 0.0

    def __str__(self) -> str:
        parts: list[tuple[float, str]] = [(t.factor, str(Term(t.column, abs(t.factor)))) for t in self.terms]
        if self.constant or not parts:
            parts.append((self.constant, _number(abs(self.constant))))
        text = "".join(f"{' - ' if sign < 0 else ' + '}{part}" for sign, part in parts)
        return f"-{text[3:]}" if parts[0][0] < 0 else text[3:]


@final
@dataclass(frozen=True)
class Comparison:
    """Two sums of which one is, say, at most the other: `a + b == c`, `age >= 18`."""

    left: Linear
    operator: Operator
    right: Linear

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of, each once."""
        return tuple(dict.fromkeys(term.column for side in (self.left, self.right) for term in side.terms))

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


@final
@dataclass(frozen=True)
class Match:
    """A column against a word: a level, the text of a time, or a truth value.

    Before and after (`<`, `<=`, `>`, `>=`) is asked of times and of ordered levels.
    """

    column: str
    operator: Operator
    value: str | bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The column it speaks of."""
        return (self.column,)

    def __str__(self) -> str:
        value = str(self.value).lower() if isinstance(self.value, bool) else _quoted(self.value, "'")
        return f"{_name(self.column)} {self.operator} {value}"


@final
@dataclass(frozen=True)
class IsMissing:
    """A cell is missing, or is not."""

    column: str
    missing: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The column it speaks of."""
        return (self.column,)

    def __str__(self) -> str:
        return f"{_name(self.column)} is {'' if self.missing else 'not '}missing"


Condition = Comparison | Match | IsMissing


@final
@dataclass(frozen=True)
class Implies:
    """Where the first is known to hold, the second holds."""

    condition: Condition
    consequence: Condition

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it speaks of, each once."""
        return tuple(dict.fromkeys((*self.condition.columns, *self.consequence.columns)))

    def __str__(self) -> str:
        return f"{self.condition} implies {self.consequence}"


Rule = Condition | Implies


def _name(column: str) -> str:
    plain = column.isidentifier() and column.isascii() and column not in RESERVED
    return column if plain else _quoted(column, '"')


def _quoted(text: str, mark: str) -> str:
    return mark + text.replace(mark, mark * 2) + mark


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
