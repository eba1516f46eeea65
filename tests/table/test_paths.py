"""What is no path is refused before anything is done with it."""

from pathlib import Path

import pytest

from understudy.errors import InputError, SchemaError
from understudy.table.paths import as_path


class Odd:
    def __fspath__(self):
        return b"bytes"


@pytest.mark.parametrize("given", ["a/b.csv", Path("a/b.csv")])
def test_text_and_paths_are_paths(given):
    assert as_path(given, "load") == Path("a/b.csv")


@pytest.mark.parametrize("given", [None, 5, b"x", 1.5, [], Odd()], ids=lambda given: type(given).__name__)
def test_anything_else_is_refused_by_its_type(given):
    with pytest.raises(InputError, match="load: expected a path as text or a Path; got "):
        as_path(given, "load")


def test_a_nul_is_in_no_name():
    with pytest.raises(InputError, match="NUL"):
        as_path("a\0b", "save")


def test_the_refusal_is_of_the_callers_kind():
    with pytest.raises(SchemaError, match="schema: expected"):
        as_path(None, "schema", SchemaError)
