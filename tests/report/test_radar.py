"""The radar: one closed line for each candidate, the best rank at the rim."""

import math
from xml.etree import ElementTree as ET

import pytest

from report import dossiers
from understudy.report.radar import radar

TWO = (dossiers.candidate(), dossiers.refused())


def test_every_candidate_has_a_corner_on_every_axis():
    dots = list(ET.fromstring(radar(TWO)).iter("circle"))
    assert len(dots) == 2 * 6
    assert "average rank" in dots[0].get("data-tip")


def test_the_best_lies_at_the_rim():
    dots = list(ET.fromstring(radar(TWO)).iter("circle"))
    far = {
        dot.get("data-tip"): math.hypot(float(dot.get("cx")) - 240, float(dot.get("cy")) - 176)
        for dot in dots
    }
    best = [reach for tip, reach in far.items() if "average rank 1.00" in tip]
    assert best == pytest.approx([130] * len(best), abs=0.2)
    assert min(far.values()) == pytest.approx(26, abs=0.2)


def test_one_candidate_or_few_questions_make_no_radar():
    assert radar(TWO[:1]) == ""
    few = tuple(dossiers.candidate(results=each.results[:3]) for each in TWO)
    assert radar(few) == ""
