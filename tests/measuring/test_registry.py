"""A folder as a registry: names without imports, one measure a file, refusals in the name of the room."""

import pytest

from understudy.errors import ParameterError
from understudy.measuring.registry import Registry

METRICS, ATTACKS = Registry("understudy.metrics", "measure"), Registry("understudy.attacks", "attack")


def test_each_folder_has_its_own_names():
    assert "missingness" in METRICS.names()
    assert "dpi" in ATTACKS.names()
    assert not {*METRICS.names()} & {*ATTACKS.names()}


def test_refusals_name_the_room_and_what_is_in_it():
    with pytest.raises(ParameterError, match=r"attacks: there is no attack 'nobody'; choose from .*dpi"):
        ATTACKS.get("nobody")
    with pytest.raises(ParameterError, match="attacks: level must be one of"):
        ATTACKS.at("slow")
    with pytest.raises(AttributeError, match=r"'understudy.metrics' has no attribute 'nobody'"):
        METRICS.module("nobody")


def test_names_are_a_list_of_different_names():
    with pytest.raises(ParameterError, match="a list of different names of attacks"):
        ATTACKS.forecast(None, "quick", ["dpi", "dpi"])


def test_a_level_includes_those_below_it():
    assert {*ATTACKS.at("quick")} < {*ATTACKS.at("full")} == {*ATTACKS.names()}
