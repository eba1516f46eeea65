"""The rules between the parts of a column, one by one; the files that break them are in test_schema."""

from __future__ import annotations

import pytest

from understudy.table import schema_rules as rules


@pytest.mark.parametrize("value", [1.0, 10.0, 1000.0, 0.1, 0.01, 1e-6, 1e-12, 1e22, 1e-22, 1])
def test_powers_of_ten_are_resolutions(value):
    assert rules.refuse_unfit_resolution("numerical", value) is None


@pytest.mark.parametrize("value", [0.0, -1.0, 0.5, 0.25, 2.0, 0.011, 5e-324, 1.0000001])
def test_other_numbers_are_not(value):
    with pytest.raises(ValueError, match="power of ten"):
        rules.refuse_unfit_resolution("numerical", value)


@pytest.mark.parametrize("kind", sorted(rules.TIME_KINDS))
def test_times_take_units_and_text_bounds(kind):
    assert rules.refuse_unfit_resolution(kind, "day") is None
    assert rules.refuse_unfit_bounds(kind, "2020-01-01", "2021-01-01") is None
    with pytest.raises(ValueError, match="a unit for a time"):
        rules.refuse_unfit_resolution(kind, 1.0)
    with pytest.raises(ValueError, match="ISO text for a time"):
        rules.refuse_unfit_bounds(kind, 1, 2)


@pytest.mark.parametrize(
    "kind", [*sorted(rules.LEVEL_KINDS), "id", "text", "constant", "all_missing", "ignore"]
)
def test_other_kinds_take_neither_resolution_nor_bounds(kind):
    with pytest.raises(ValueError, match="takes no resolution"):
        rules.refuse_unfit_resolution(kind, 1.0)
    with pytest.raises(ValueError, match="takes no bounds"):
        rules.refuse_unfit_bounds(kind, 1, 2)


def test_whatever_is_left_out_is_right():
    assert rules.refuse_unfit_resolution("id", None) is None
    assert rules.refuse_unfit_template("numerical", None) is None


@pytest.mark.parametrize("template", ["A99", "\\A", "\\\\", "uuid", "", "a\\\\\\9"])
def test_templates_are_for_ids(template):
    assert rules.refuse_unfit_template("id", template) is None
    with pytest.raises(ValueError, match="takes no template"):
        rules.refuse_unfit_template("text", template)


def test_numbers_of_all_types_are_of_one_sort():
    assert rules.sort_of(1) is rules.sort_of(1.5) is float
    assert rules.sort_of(True) is bool
    assert rules.sort_of("a") is str


@pytest.mark.parametrize(
    "text", ["a <= b", "w == 'x'", "w is missing", "a > 1 implies w != 'x'", "d < '2020-01-01'"]
)
def test_rules_that_fit_their_columns_are_kept(text):
    kinds = {"a": "numerical", "b": "numerical", "w": "categorical", "d": "date"}
    rules.refuse_unfit_rule(text, kinds, {"w": ("x", "y")})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a <=", "at character 5"),
        ("z <= a", "no column 'z'"),
        ("d <= a", "column 'd' holds times"),
        ("d <= 5", "column 'd' holds times"),
        ("d == true", "true and false are none"),
        ("a == 'x'", "column 'a' holds numbers"),
        ("w < 'x'", "column 'w' has no order"),
        ("w == 'z'", "none of them"),
        ("a > 1 implies w == 'z'", "none of them"),
    ],
)
def test_rules_that_do_not_fit_their_columns_are_refused(text, said):
    with pytest.raises(ValueError, match=said):
        rules.refuse_unfit_rule(text, {"a": "numerical", "w": "categorical", "d": "date"}, {"w": ("x", "y")})


def test_parts_that_a_kind_does_not_take_are_refused_together_with_what_to_do():
    said = "takes no resolution and no bounds and no template; delete them, or take another kind"
    with pytest.raises(ValueError, match=said):
        rules.refuse_unfit_parts("ignore", ["bounds", "template", "resolution"])
    with pytest.raises(ValueError, match="takes no levels; delete them"):
        rules.refuse_unfit_parts("numerical", ["levels", "bounds"])
    assert rules.refuse_unfit_parts("numerical", ["bounds", "resolution"]) is None


def test_what_is_declared_stays_whatever_the_kind_is():
    declared = {"kind": "id", "resolution": 1, "bounds": {"low": 0, "high": 9}}
    assert rules.without_outdated(declared) == declared


def test_a_column_whose_kind_was_not_changed_stays_as_it_is():
    column = {
        "kind": "numerical",
        "resolution": 1,
        "bounds": {"low": 0, "high": 9, "source": "observed"},
        "missing": {"rate": 0.0, "source": "observed"},
    }
    assert rules.without_outdated(column) == column
