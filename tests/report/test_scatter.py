"""A cloud of points as SVG: every point once, inside, and no name breaks out of it."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from understudy.errors import ParameterError
from understudy.report.scatter import Cloud, scatter

SVG = "{http://www.w3.org/2000/svg}"


def pixels(picture):
    group = ET.fromstring(picture).find(f"{SVG}g")
    return np.array([[float(dot.get("cx")), float(dot.get("cy"))] for dot in group])


def test_every_point_is_drawn_inside_and_in_proportion():
    points = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 5.0]])
    drawn = pixels(scatter([Cloud("rows", points, "#333")], "a triangle"))
    assert (drawn >= 0).all()
    assert (drawn <= [640, 480]).all()
    across, up = drawn[1] - drawn[0], drawn[2] - drawn[0]
    assert across[0] == pytest.approx(
        -2 * up[1], abs=0.2
    )  # y grows upwards in the data, downwards on the page


@pytest.mark.parametrize("points", [np.zeros((1, 2)), np.full((4, 2), 1e9), np.zeros((0, 2))])
def test_points_in_one_place_or_none_can_be_drawn(points):
    assert np.isfinite(pixels(scatter([Cloud("rows", points, "#333")], "one place"))).all()


def test_points_that_are_nowhere_are_left_out():
    points = np.array([[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [1.0, 1.0]])
    assert len(pixels(scatter([Cloud("rows", points, "#333")], "two of four"))) == 2


def test_hostile_words_stay_words():
    hostile = '"><script>alert(1)</script>&'
    picture = scatter([Cloud(hostile, np.eye(2), hostile)], hostile)
    tree = ET.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} == {
        "svg",
        "title",
        "desc",
        "g",
        "circle",
        "text",
    }
    assert tree.find(f"{SVG}title").text == hostile
    assert not re.search(r"<script", picture)


def test_nothing_to_draw_is_refused():
    with pytest.raises(ParameterError, match="at least one"):
        scatter([], "nothing")


def test_rings_and_dots_differ_without_colour_and_the_words_count_them():
    points = np.array([[0.0, 0.0], [1.0, 1.0]])
    picture = scatter([Cloud("rows", points, "#333"), Cloud("rings", points, "#333", hollow=True)], "both")
    first, second = ET.fromstring(picture).findall(f"{SVG}g")
    assert first.get("fill") == "#333"
    assert (second.get("fill"), second.get("stroke")) == ("none", "#333")
    assert "<desc>2 points: rows; 2 points: rings</desc>" in picture
