"""Small multiples: a bar for every cell that is shown, an outline only where real shares were given."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from understudy.report.dossier import Histogram
from understudy.report.histograms import MOST, hidden, histogram, unseen

NUMERIC = Histogram(
    "age", ("17 to 20", "20 to 23", "23 to 26"), (0.2, 0.5, 0.3), (0.3, 0.4, 0.3), 0.0, numeric=True
)
LEVELS = Histogram("sex", ("F", "M"), (0.25, 0.75), (0.5, 0.5))


def bars(picture):
    return [each for each in ET.fromstring(picture).iter("rect") if "bar" in each.get("class").split()]


def test_bars_of_a_quantity_are_as_high_as_their_shares():
    heights = [float(bar.get("height")) for bar in bars(histogram(NUMERIC))]
    assert heights[0] / heights[1] == pytest.approx(0.4, abs=0.01)
    assert [bar.get("data-tip") for bar in bars(histogram(NUMERIC))][
        1
    ] == "20 to 23: synthetic 50.0%, real 40.0%"


def test_bars_of_levels_are_as_wide_as_their_shares_the_largest_first():
    widths = [float(bar.get("width")) for bar in bars(histogram(LEVELS))]
    assert widths[0] / widths[1] == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("shares", [NUMERIC, LEVELS])
def test_nothing_real_is_drawn_where_nothing_real_was_given(shares):
    assert 'class="real"' in histogram(shares)
    without = histogram(replace(shares, real=None))
    assert 'class="real"' not in without
    assert "real" not in without


def test_many_levels_are_summed_up():
    many = Histogram("x", tuple(map(str, range(20))), (0.05,) * 20)
    picture = histogram(many)
    assert len(bars(picture)) == 7
    assert "13 more: 65.0%" in picture


def test_an_empty_column_and_empty_shares_are_drawn_as_nothing():
    assert not bars(histogram(Histogram("x", (), ())))
    assert not bars(histogram(Histogram("x", (), (), numeric=True)))
    assert bars(histogram(Histogram("x", ("a",), (0.0,))))


def test_columns_beyond_the_most_are_named():
    assert unseen([replace(LEVELS, column=str(at)) for at in range(MOST + 2)]) == ("40", "41")


def test_the_size_of_a_small_cell_is_not_told():
    some = Histogram("a", (), (), hidden=0.009)
    assert hidden(some, 1_000) == "some rows are in cells of fewer than ten"
    assert not any(sign.isdigit() for sign in hidden(some, 1_000))
    assert hidden(some, 10_000) == "at most 1 % of rows are in cells of fewer than ten"
    assert hidden(Histogram("a", (), ()), 1_000) == ""
