"""ROC curves: the points that results tell of, under the ceiling of a certificate that bounds anything."""

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from report import dossiers
from understudy.report.roc import curve_of, roc, strongest


def attacks():
    return [each for each in dossiers.results() if curve_of(each)]


def paths(picture, kind):
    return [each for each in ET.fromstring(picture).iter("path") if each.get("class") == kind]


def test_a_curve_is_read_from_the_parts_in_order():
    points = curve_of(attacks()[0])
    assert [fpr for fpr, _ in points] == sorted(dossiers.FPRS)
    broken = replace(
        attacks()[0], parts={"tpr_at_fpr_x<y>": 0.5, "tpr_at_fpr_7": 0.5, "tpr_at_fpr_0.5": math.nan}
    )
    assert curve_of(broken) == []


def test_the_strongest_attack_is_first_and_what_has_no_curve_is_left_out():
    order = [each.value for each in strongest(dossiers.results())]
    assert order == sorted(order, reverse=True)
    assert len(order) == len(attacks())


def test_four_attacks_have_a_name_and_the_others_are_counted():
    picture = roc(attacks(), None)
    assert "7 weaker attacks" in picture
    assert len(paths(picture, "curve s0")) == 3  # in both views, and in the legend
    assert "GAN-Leaks, calibrated 0.525" in picture


def test_the_ceiling_is_that_of_the_certificate():
    picture = roc(attacks(), dossiers.certificate())
    line = paths(picture, "ceiling")[0].get("d")
    points = [tuple(map(float, pair.split())) for pair in line[1:].split("L")]
    side, top = 270.0, 26.0
    x, y = min(points, key=lambda point: abs(point[0] - 0.5 * side))
    claimed = dossiers.certificate().tradeoff(x / side)
    assert (top + side - y) / side == pytest.approx(claimed, abs=0.01)


def test_a_certificate_that_bounds_nothing_has_no_ceiling():
    for certificate in (None, dossiers.open_certificate()):
        picture = roc(attacks(), certificate)
        assert not paths(picture, "ceiling")
        assert "No certificate puts a ceiling" in picture


def test_without_an_attack_there_is_no_picture():
    assert roc([], dossiers.certificate()) == ""
