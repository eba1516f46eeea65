"""A strip: one score, its interval and its null, on a scale of its own."""

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

from report import dossiers
from understudy.report.strip import strip

RESULTS = {each.name: each for each in dossiers.results()}


def kinds(picture):
    return [each.get("class") for each in ET.fromstring(picture).find("g")]


def test_value_interval_and_null_are_drawn():
    assert kinds(strip(RESULTS["fidelity.resemblance"])) == ["grid", "reach", "null", "dot"]


def test_a_score_that_is_worse_is_a_square():
    assert ET.fromstring(strip(RESULTS["fidelity.wasserstein"])).find("g/rect") is not None
    assert ET.fromstring(strip(RESULTS["fidelity.resemblance"])).find("g/rect") is None


def test_what_was_not_measured_has_no_strip():
    assert strip(RESULTS["fidelity.constraints"]) == ""


def test_a_score_without_interval_or_null_is_a_dot_alone():
    bare = replace(RESULTS["fidelity.resemblance"], low=math.nan, high=math.nan, null=math.nan)
    assert kinds(strip(bare)) == ["grid", "dot"]
    assert kinds(strip(replace(bare, value=0.0))) == ["grid", "dot"]
