"""The forest of risks: every risk that was measured is on the axis, where it belongs."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

from report import dossiers
from understudy.report.risks import forest, on_one_axis

SVG = "{http://www.w3.org/2000/svg}"


def rows(picture):
    return [each for each in ET.fromstring(picture).iter("g") if each.get("data-tip")]


def risks():
    return tuple(each for each in dossiers.results() if each.name.startswith("privacy."))


def test_every_risk_has_a_row_with_value_interval_null_and_words():
    found = rows(forest(risks()))
    assert len(found) == len(risks())
    for row in found:
        assert {each.get("class") for each in row} >= {"label", "reach", "null", "dot", "value"}
        assert "chance gives" in row.get("data-tip")


def test_a_risk_above_chance_is_a_square_and_the_others_are_dots():
    found = {row.get("data-tip").split(":")[0]: row for row in rows(forest(risks()))}
    assert found["GAN-Leaks, calibrated"].find("rect") is not None
    assert found["GAN-Leaks"].find("rect") is None
    assert found["GAN-Leaks"].find("circle") is not None


def test_the_control_of_a_guessing_attack_is_drawn():
    found = {row.get("data-tip").split(":")[0]: row for row in rows(forest(risks()))}
    control = next(each for each in found["Inferring a secret cell"] if each.get("class") == "control")
    x = float(re.match(r"M([\d.]+)", control.get("d")).group(1))
    assert abs(x - (250 + 0.519 * 390)) < 0.2


def test_a_risk_on_another_scale_and_one_without_a_value_are_kept_apart():
    epsilon = replace(
        risks()[0], name="privacy.epsilon_audit", value=0.4, low=0.0, high=2.0, parts={"allowed": 3.0}
    )
    far = replace(risks()[0], name="privacy.far", value=7.0, low=6.0, high=8.0)
    unknown = replace(risks()[0], name="privacy.unknown", value=math.nan)
    one, others = on_one_axis([*risks(), epsilon, far, unknown])
    assert one == risks()
    assert others == (epsilon, far)
    assert "control or claim 3.00" in forest((epsilon,), 3.3)


def test_a_risk_without_an_interval_or_null_is_still_drawn():
    bare = replace(risks()[0], low=math.nan, high=math.nan, null=math.nan)
    row = rows(forest((bare,)))[0]
    assert not {each.get("class") for each in row} & {"reach", "null"}


def test_no_word_of_the_legend_runs_into_the_next_mark():
    groups = [each for each in ET.fromstring(forest(risks())).iter("g") if each.get("transform")]
    starts = [float(re.search(r"[\d.]+", each.get("transform")).group()) for each in groups]
    ends = [at + 20 + 6 * len(each.find("text").text) for at, each in zip(starts, groups, strict=True)]
    assert len(groups) == 5
    assert all(end + 6 < start for end, start in zip(ends, starts[1:], strict=False))
    assert ends[-1] <= 720
