from dataclasses import dataclass

import pytest

from testing.planted import Planted, Thawed, caught
from understudy.errors import TooFewRows, UnderstudyError
from understudy.testing import hostile
from understudy.testing.tables import hostile_tables


def on(what):
    return hostile._check_on(what)


@dataclass(frozen=True)
class Refuses(Thawed.__mro__[1]):
    """A recipe that takes no table at all."""

    def fit(self, *_table, **_given):
        raise TooFewRows("Refuses: needs more than that.")

    def learn(self, vault, schema, rng, progress):
        raise AssertionError((vault, schema, rng, progress))


@dataclass(frozen=True)
class Mumbles(Refuses):
    """A recipe that refuses without a word."""

    def fit(self, *_table, **_given):
        raise UnderstudyError


@pytest.mark.parametrize("what", hostile_tables())
def test_a_typed_refusal_is_accepted(what):
    on(what)(Refuses())


def test_a_refusal_without_a_word_is_not():
    assert "without a word" in caught(on("one_row"), Mumbles())


def test_any_other_error_is_not():
    message = caught(on("one_row"), Planted(flaw="falls_over"))
    assert message == "expected rows, or a refusal by an UnderstudyError; got KeyError"


def test_a_survivor_must_keep_its_columns():
    assert "other names" in caught(on("no_levels"), Planted(flaw="drops_a_column"))
    assert "26 came back" in caught(on("no_levels"), Planted(flaw="one_row_more"))


def test_changed_names_and_levels_are_caught():
    assert "did not come back" in caught(hostile.hostile_names_survive, Planted(flaw="strips_names"))
    assert "no row has" in caught(hostile.hostile_levels_survive, Planted(flaw="shouts"))
