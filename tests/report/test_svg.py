"""Pictures as text: nothing that is given as words becomes markup, and scales end where they should."""

from xml.etree import ElementTree as ET

import pytest
from markupsafe import Markup

from understudy.report.svg import Scale, joined, number, picture, polyline, tag, text


def test_words_and_attributes_are_escaped_and_spelled_out():
    drawn = tag("text", "<b>\u202e", cls='a" b="', data_tip="'<&>\x00")
    assert (
        drawn == '<text class="a&quot; b=&quot;" data-tip="&#x27;&lt;&amp;&gt;\\x00">&lt;b&gt;\\u202e</text>'
    )


def test_elements_inside_elements_are_kept():
    assert joined([Markup("<g/>"), "<g/>"]) == "<g/>&lt;g/&gt;"


def test_a_picture_has_a_role_a_title_and_words():
    tree = ET.fromstring(picture((20, 10), "a <title>", "what & why", [text("x", 1, 2)], "wide"))
    assert tree.get("role") == "img"
    assert [each.text for each in tree] == ["a <title>", "what & why", "x"]
    assert tree.get("class") == "plot wide"


def test_a_scale_maps_its_ends_and_keeps_the_rest_on_the_edge():
    scale = Scale((0.0, 2.0), (100.0, 0.0))
    assert [scale(value) for value in (0.0, 2.0, 1.0, -5.0, 9.0)] == [100.0, 0.0, 50.0, 100.0, 0.0]
    assert Scale((0.01, 1.0), (0.0, 2.0), log=True)(0.1) == pytest.approx(1.0)
    assert Scale((3.0, 3.0), (0.0, 10.0))(3.0) == 5.0


@pytest.mark.parametrize("domain", [(0.0, 1.0), (0.954, 0.973), (0.0, 12_000.0), (-0.3, 0.7), (5.0, 5.0)])
def test_ticks_are_few_and_inside(domain):
    ticks = Scale(domain, (0.0, 1.0)).ticks()
    assert 1 <= len(ticks) <= 7
    assert all(domain[0] - 1e-9 <= tick <= domain[1] + 1e-9 for tick in ticks)


def test_coordinates_are_short():
    assert number(0.049999) == "0"
    assert polyline([(0.123, 1.0), (2.0, 3.456)], cls="x") == '<path d="M0.1 1L2 3.5" class="x"/>'
