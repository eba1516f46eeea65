"""Declared ranges refuse everything outside them, in one wording."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy import check
from understudy.errors import ParameterError


@dataclass(frozen=True)
class Toy:
    knots: int = check.integer(10, low=2, high=100)
    rate: float = check.number(0.5, low=0.0, high=1.0)
    style: str = check.choice("plain", "plain", "fancy")
    loud: bool = check.flag(False)
    column: str = check.text("")

    def __post_init__(self):
        check.validate(self)


@dataclass(frozen=True)
class Undeclared:
    knots: int = field(default=3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("knots", 1), ("knots", 101), ("knots", 2.0), ("knots", True), ("knots", "5"), ("knots", None),
        ("knots", 10**400), ("knots", np.int64(5)), ("rate", -0.1), ("rate", 1.1), ("rate", float("nan")),
        ("rate", float("inf")), ("rate", -float("inf")), ("rate", True), ("rate", "0.5"), ("rate", 10**400),
        ("rate", None), ("style", "loud"), ("style", 3), ("style", None), ("style", ["plain"]), ("loud", 1),
        ("loud", "true"), ("loud", None), ("column", None), ("column", 3), ("column", b"age"),
        ("column", ["age"]),
    ],
)  # fmt: skip
def test_a_value_outside_its_range_is_refused_by_name(name, value):
    with pytest.raises(ParameterError, match=rf"^Toy: {name} must be .+; got "):
        Toy(**{name: value})


@pytest.mark.parametrize(("name", "value"), [
    ("knots", 2), ("knots", 100), ("rate", 0), ("rate", 1), ("rate", 0.25), ("style", "fancy"),
    ("loud", True), ("column", ""), ("column", "hours per week"), ("column", "7"),
])  # fmt: skip
def test_the_ends_of_a_range_are_inside_it(name, value):
    assert getattr(Toy(**{name: value}), name) == value


@pytest.mark.parametrize(("name", "text", "value"), [
    ("knots", "7", 7), ("knots", "-7", -7), ("knots", "--7", "--7"), ("knots", "²", "²"), ("knots", "", ""),
    ("knots", "7.0", "7.0"), ("rate", "0.25", 0.25), ("rate", "1e-3", 1e-3), ("rate", "half", "half"),
    ("style", "fancy", "fancy"), ("loud", "TRUE", True), ("loud", "false", False), ("loud", "yes", "yes"),
    ("column", "", ""), ("column", "7", "7"), ("column", "TRUE", "TRUE"), ("column", " age ", " age "),
])  # fmt: skip
def test_the_text_of_a_setting_is_read_as_its_kind_or_left_for_validate_to_refuse(name, text, value):
    assert check.parse(Toy, name, text) == value
    assert type(check.parse(Toy, name, text)) is type(value)


@given(st.sampled_from(["knots", "rate", "style", "loud", "column"]), st.text(max_size=12))
def test_any_text_at_all_gives_a_toy_or_a_parameter_error(name, text):
    value = check.parse(Toy, name, text)
    try:
        made = Toy(**{name: value})
    except ParameterError:
        return
    assert check.rule_of(Toy, name).accepts(getattr(made, name))


def test_a_number_with_more_digits_than_python_reads_is_left_as_text():
    assert check.parse(Toy, "knots", "9" * 5_000) == "9" * 5_000


def test_an_unknown_setting_is_refused_with_those_that_exist():
    with pytest.raises(ParameterError, match="no setting 'kots'; settings: column, knots, loud, rate, style"):
        check.parse(Toy, "kots", "1")


def test_a_field_without_a_declared_range_is_a_clear_error():
    with pytest.raises(ParameterError, match="Undeclared: knots has no declared range"):
        check.validate(Undeclared())
    with pytest.raises(ParameterError, match="no declared range"):
        check.rule_of(Undeclared, "knots")


def test_ranges_describe_themselves():
    assert str(check.rule_of(Toy, "rate")) == "a number from 0 to 1"
    assert str(check.rule_of(Toy, "style")) == "one of plain, fancy"
    assert str(check.rule_of(Toy, "loud")) == "true or false"
    assert str(check.rule_of(Toy, "column")) == "text"
