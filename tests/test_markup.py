"""No text can become an element, an attribute or a change of direction."""

from __future__ import annotations

import math

import pytest

from hostile_texts import HOSTILE, Seen, tags
from understudy.markup import interval_bar, safe, section, spelled, table


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_text_stays_a_text(word):
    hostile = section(word, table((word, word), [(word, word), (word, word)]))
    plain = section("x", table(("x", "x"), [("x", "x"), ("x", "x")]))
    assert tags(hostile) == tags(plain)
    assert Seen(hostile).texts.count(spelled(word)) == 7
    assert all(c.isprintable() for c in hostile)


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_text_stays_in_its_attribute(word):
    (tag, names), _ = tags(f'<p title="{safe(word)}"></p>')
    assert (tag, names) == ("p", ("title",))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("\u202ea", "\\u202ea"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\udc80", "\\udc80"),
    ],
)
def test_what_steers_a_reader_is_spelled_out(text, shown):
    assert spelled(text) == shown


def test_a_row_has_a_heading_and_nothing_runs():
    html = table(("name", "value"), [("a", "1"), ("b", "2")])
    assert [tag for tag, _ in tags(html)].count("th") == 4
    assert "<script" not in html and "http" not in html and "url(" not in html


def test_a_table_takes_the_colour_of_the_notebook():
    # Where a page has no doctype, a table without this is black on black in a dark notebook.
    assert "color:inherit" in table(("a",), []).split(">")[0]


def test_a_bar_shows_value_interval_and_null_in_order():
    html = interval_bar(0.5, 0.25, 1.0, 0.0)
    assert html.count("<line") == 2 and html.count("<circle") == 1
    assert 'cx="120.0"' in html and 'x1="8.0"' in html and 'x2="232.0"' in html
    assert "value 0.5, interval 0.25 to 1, null 0" in html


@pytest.mark.parametrize("null", [math.nan, math.inf, 0.5])
@pytest.mark.parametrize("high", [math.nan, math.inf, 0.5, 1e308])
@pytest.mark.parametrize("low", [math.nan, -math.inf, 0.5, -1e308])
def test_a_bar_of_any_numbers_has_finite_places(low, high, null):
    html = interval_bar(0.5, low, high, null)
    drawn = html.split("</title>")[1]
    assert "nan" not in drawn and "inf" not in drawn
    assert html.count("<circle") == 1
    assert interval_bar(math.nan, low, high, null) == ""
