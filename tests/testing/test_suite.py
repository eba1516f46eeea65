import pytest

from testing.planted import Planted
from understudy.testing import check_synthesizer, checks
from understudy.testing.suite import FAMILIES


def test_every_check_is_a_sentence_that_says_more_in_its_docstring():
    for check in checks():
        assert check.__name__.count("_") >= 2
        assert check.__doc__


def test_no_two_checks_have_the_same_name():
    names = [check.__name__ for check in checks()]
    assert len(names) == len(set(names)) > 50


def test_every_family_has_checks():
    modules = {check.__module__.rpartition(".")[2] for check in checks()}
    assert modules == set(FAMILIES)


def test_an_honest_recipe_passes_the_whole_suite():
    check_synthesizer(Planted())


def test_all_failures_are_reported_at_once():
    with pytest.raises(AssertionError) as caught:
        check_synthesizer(Planted(flaw="ignores_where"))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("Planted fails ")
    assert len(lines) > 5
    assert any(line.startswith("- conditions_on_levels_hold: ") for line in lines)
    assert not any("the_schema_is_kept" in line for line in lines)


def test_a_recipe_that_raises_something_else_is_reported_and_not_the_end():
    with pytest.raises(AssertionError, match="- the_schema_is_kept: the recipe raised KeyError"):
        check_synthesizer(Planted(flaw="falls_over"))


def test_a_check_on_a_frame_is_left_out_where_its_package_is_absent(monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    names = {check.__name__ for check in checks()}
    assert "polars_frames_keep_their_types" not in names
    assert "pandas_frames_keep_their_dtypes" in names
