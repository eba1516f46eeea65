"""Every error is an UnderstudyError with an exit code; bad input is 2, a failure is 1."""

from __future__ import annotations

import pytest

import understudy
from understudy import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_an_understudy_error_with_a_reason(name):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.UnderstudyError)
    assert kind.__doc__
    assert kind.exit_code in (1, 2)


@pytest.mark.parametrize("name", [
    "ParameterError", "ReadError", "EncodingError", "CsvError", "SqlError", "FrameError", "TooLarge",
    "SchemaError", "TooFewRows", "BudgetError", "WhereError", "NothingMatches", "CorruptModel",
    "VersionError", "MissingExtra",
])  # fmt: skip
def test_what_the_caller_got_wrong_ends_the_command_line_with_two(name):
    assert getattr(errors, name).exit_code == 2


def test_a_failure_to_write_is_not_the_callers_fault():
    assert errors.WriteError.exit_code == 1


def test_no_error_class_is_left_out_of_the_list():
    classes = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    assert classes == set(errors.__all__)


def test_a_csv_error_knows_its_place():
    error = errors.CsvError("people.csv: line 3 has 2 fields; expected 4.", line=3, column=2)
    assert (error.line, error.column) == (3, 2)
    assert "line 3" in str(error)


def test_the_front_door_offers_the_root_of_all_errors():
    assert understudy.UnderstudyError is errors.UnderstudyError
