"""The frontier: good lies right and above, intervals are bars, and the line joins those that nobody beats."""

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

from report import dossiers
from understudy.report.frontier import frontier, unbeaten

TWO = (dossiers.candidate(), dossiers.refused())


def marks(picture):
    return [each for each in ET.fromstring(picture).iter("g") if each.get("data-tip")]


def test_nobody_on_the_frontier_is_beaten():
    points = [(1.0, 1.0), (2.0, 0.5), (0.5, 0.5), (2.0, 0.4), (0.0, 3.0)]
    assert unbeaten(points) == [4, 0, 1]
    assert unbeaten([(1.0, 1.0), (1.0, 1.0)]) == [0, 1]


def test_the_safer_candidate_lies_above_and_the_more_useful_to_the_right():
    private, copula, *_ = marks(frontier(TWO))
    (x, y), (far, low) = (
        (float(each.find("circle").get("cx")), float(each.find("circle").get("cy")))
        for each in (private, copula)
    )
    assert y < low  # pixels grow downwards
    useful = marks(frontier(TWO))[2:]
    assert float(useful[1].find("circle").get("cx")) > float(useful[0].find("circle").get("cx"))
    assert x != far


def test_every_candidate_has_both_intervals_in_both_views():
    found = marks(frontier(TWO))
    assert len(found) == 4
    for each in found:
        assert len([bar for bar in each if "whisker" in bar.get("class")]) == 2


def test_what_has_no_interval_is_drawn_without_a_bar():
    bare = tuple(
        replace(
            each, results=tuple(replace(r, low=math.nan, high=math.nan, null=math.nan) for r in each.results)
        )
        for each in TWO
    )
    assert "whisker" not in frontier(bare)


def test_without_a_common_measure_or_with_one_candidate_there_is_no_picture():
    assert frontier(TWO[:1]) == ""
    assert frontier((TWO[0], dossiers.candidate(results=()))) == ""
