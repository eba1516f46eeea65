"""Columns named in a setting."""

import pytest

from understudy.errors import ParameterError
from understudy.measuring.chosen import chosen

NAMES = ["age", "sex", "pay, gross", "[x]"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" ", ()),
        ("age", ("age",)),
        ("sex, age", ("sex", "age")),
        ("pay, gross", ("pay, gross",)),
        ("[x]", ("[x]",)),
        ('["pay, gross", "age"]', ("pay, gross", "age")),
    ],
)
def test_names_are_read_as_a_list(text, expected):
    assert chosen(text, NAMES, "toy") == expected


@pytest.mark.parametrize("text", ["size", "age,,sex", "age,age", '["age"', '["agee"]', "age,"])
def test_what_names_no_column_is_refused(text):
    with pytest.raises(ParameterError, match="toy"):
        chosen(text, NAMES, "toy")
