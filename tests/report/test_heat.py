"""Heat maps: a square for every pair, its figure where there is room, an empty one where there is none."""

import math
from xml.etree import ElementTree as ET

from understudy.report.dossier import Grid
from understudy.report.heat import heat, step_of, unseen


def grid(size, signed=True):
    values = tuple(
        tuple(math.nan if row == column else (row - column) / size for column in range(size))
        for row in range(size)
    )
    return Grid("differences", tuple(f"c{at}" for at in range(size)), values, 1.0, signed, confidential=False)


def squares(picture):
    return [each for each in ET.fromstring(picture).iter("rect") if each.get("data-tip")]


def test_every_pair_has_a_square_and_a_figure():
    picture = heat(grid(3))
    assert len(squares(picture)) == 6
    assert squares(picture)[0].get("data-tip") == "c0 with c1: -0.333"
    written = [each.text for each in ET.fromstring(picture).iter("text") if "cell" in each.get("class")]
    assert written[:2] == ["-.33", "-.67"]


def test_what_is_not_known_is_an_empty_square():
    empty = [each for each in ET.fromstring(heat(grid(3))).iter("rect") if each.get("class") == "none"]
    assert len(empty) == 3


def test_a_sign_has_a_colour_and_the_limit_the_strongest():
    assert [step_of(value, 0.1) for value in (-0.1, -0.02, 0.0, 0.02, 5.0)] == [-5, -1, 0, 1, 5]
    assert step_of(0.5, 0.0) == 0


def test_a_wide_table_is_cut_at_forty_and_has_no_figures():
    picture = heat(grid(45))
    assert len(squares(picture)) == 40 * 39
    assert "cell" not in {each.get("class") for each in ET.fromstring(picture).iter("text")}
    assert unseen(grid(45)) == ("c40", "c41", "c42", "c43", "c44")


def test_the_words_name_the_largest_difference():
    assert "largest: c2 with c0, 0.667" in heat(grid(3))
    nothing = Grid("x", ("a",), ((math.nan,),), 1.0, signed=False, confidential=False)
    assert "no pair was measured" in heat(nothing)
    assert "0 columns" in heat(Grid("x", (), (), 1.0, signed=False, confidential=False))
