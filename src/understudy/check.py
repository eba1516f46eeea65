"""Parameter ranges declared as data, and one wording for every refusal.

A recipe declares its fields with `integer`, `number`, `choice`, `flag` or `text`; `validate`
checks an instance against them. The same declarations parse `--set key=value` on the
command line and generate the invalid values that the contract suite must see refused.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from understudy.errors import ParameterError

__all__ = ["Choice", "Flag", "Integer", "Number", "Text", "choice", "flag", "integer", "number"]
__all__ += ["parse", "rule_of", "text", "validate"]


@dataclass(frozen=True)
class Integer:
    """A whole number in [low, high]."""

    low: int
    high: int

    def accepts(self, value: object) -> bool:
        """Say whether `value` is inside the range (a bool is not a number here)."""
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def parse(self, text: str) -> object:
        """Read a command-line value; text that is no number is returned as it is."""
        try:
            return int(text)
        except ValueError:
            return text

    def __str__(self) -> str:
        return f"a whole number from {self.low:,} to {self.high:,}"


@dataclass(frozen=True)
class Number:
    """A finite real number in [low, high]."""

    low: float
    high: float

    def accepts(self, value: object) -> bool:
        """Say whether `value` is inside the range; NaN is in no range."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        # The comparison comes first: of a whole number too long for a float, isfinite cannot even be asked.
        return self.low <= value <= self.high and math.isfinite(value)

    def parse(self, text: str) -> object:
        """Read a command-line value; text that is no number is returned as it is."""
        try:
            return float(text)
        except ValueError:
            return text

    def __str__(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    options: tuple[str, ...]

    def accepts(self, value: object) -> bool:
        """Say whether `value` is one of the options."""
        return isinstance(value, str) and value in self.options

    def parse(self, text: str) -> object:
        """Words need no parsing."""
        return text

    def __str__(self) -> str:
        return "one of " + ", ".join(self.options)


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def accepts(self, value: object) -> bool:
        """Say whether `value` is a bool."""
        return isinstance(value, bool)

    def parse(self, text: str) -> object:
        """Read true or false in lower or upper case."""
        return {"true": True, "false": False}.get(text.lower(), text)

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Text:
    """Any text: the name of a column, which only a table can say whether it exists."""

    def accepts(self, value: object) -> bool:
        """Say whether `value` is text."""
        return isinstance(value, str)

    def parse(self, text: str) -> object:
        """Text needs no parsing."""
        return text

    def __str__(self) -> str:
        return "text"


Rule = Integer | Number | Choice | Flag | Text


def integer(default: int, *, low: int, high: int) -> Any:
    """Declare a whole-number field of a recipe."""
    return dataclasses.field(default=default, metadata={"rule": Integer(low, high)})


def number(default: float, *, low: float, high: float) -> Any:
    """Declare a real-number field of a recipe."""
    return dataclasses.field(default=default, metadata={"rule": Number(low, high)})


def choice(default: str, *options: str) -> Any:
    """Declare a field that takes one of a few words."""
    return dataclasses.field(default=default, metadata={"rule": Choice(options)})


def flag(default: bool) -> Any:
    """Declare a true-or-false field of a recipe."""
    return dataclasses.field(default=default, metadata={"rule": Flag()})


def text(default: str) -> Any:
    """Declare a field that takes any text, such as the name of a column.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Toy:
    ...     target: str = text("")
    >>> str(rule_of(Toy, "target"))
    'text'
    """
    return dataclasses.field(default=default, metadata={"rule": Text()})


def rule_of(owner: type, name: str) -> Rule:
    """Return the declared range of one field, or refuse an unknown name.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Toy:
    ...     knots: int = integer(10, low=2, high=100)
    >>> str(rule_of(Toy, "knots"))
    'a whole number from 2 to 100'
    """
    fields = {field.name: field for field in dataclasses.fields(owner)}
    if name not in fields:
        known = ", ".join(sorted(fields)) or "none"
        raise ParameterError(f"{owner.__name__}: there is no setting {name!r}; settings: {known}.")
    return _declared(owner, fields[name])


def parse(owner: type, name: str, text: str) -> object:
    """Read the text of `--set name=text` as the declared kind of value."""
    return rule_of(owner, name).parse(text)


def validate(recipe: Any) -> None:
    """Check every field of a frozen dataclass against its declared range."""
    for field in dataclasses.fields(recipe):
        value, rule = getattr(recipe, field.name), _declared(type(recipe), field)
        if not rule.accepts(value):
            who = type(recipe).__name__
            raise ParameterError(f"{who}: {field.name} must be {rule}; got {value!r}.")


def _declared(owner: type, field: dataclasses.Field[Any]) -> Rule:
    if "rule" not in field.metadata:
        raise ParameterError(
            f"{owner.__name__}: {field.name} has no declared range; declare it with check.integer, "
            "check.number, check.choice, check.flag or check.text."
        )
    rule: Rule = field.metadata["rule"]
    return rule
