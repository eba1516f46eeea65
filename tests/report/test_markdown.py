"""No name becomes a heading, a link, a cell or an element, and every name is shown as it is."""

from __future__ import annotations

import json

import pytest
from markdown_it import MarkdownIt

from hostile_texts import HOSTILE, Seen, tags
from understudy.markup import spelled
from understudy.report.markdown import bullets, inline, table, yaml_text

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MORE = [
    "**b**", "_i_", "__b__", "~~s~~", "`c`", "``", "[a]: http://x.io", "<http://x.io>", "<a@x.io>", "a\\",
    "\\|", "===", ":--", "1) x", "10. x", "#", "######", "&amp;", "&copy;", "\\n", "| |", "a | b", "$$x$$",
    "![", "](", "``` x", "<!-- -->", "<br>", "a  ", "\n\n# b", "\n---\n", "\n| a |\n|---|", "\\`",
    "^x^", "[^1]", "==x==", "- [ ] x", "",
]  # fmt: skip
WORDS = HOSTILE + MORE


def page(word):
    return READER.render(
        f"# {inline(word)}\n\n{inline(word)}\n\n{bullets([word, word])}\n\n"
        f"{table((word, 'b'), [(word, word), ('x', word)])}\n\n**{inline('b' + word)}** and {inline(word)}.\n"
    )


@pytest.mark.parametrize("word", WORDS)
def test_a_hostile_text_adds_no_element(word):
    plain = "x" if spelled(word).strip() else ""
    assert tags(page(word)) == tags(page(plain))


@pytest.mark.parametrize("word", WORDS)
def test_a_hostile_text_is_shown_as_it_is(word):
    shown = "".join(Seen(READER.render(f"a {inline(word)} b")).texts).strip()
    assert shown == f"a {spelled(word).strip()} b"


@pytest.mark.parametrize("word", WORDS)
def test_a_hostile_text_stays_on_its_line_and_in_its_cell(word):
    assert "\n" not in inline(word)
    lines = table(("a", "b"), [(word, word)]).splitlines()
    assert len(lines) == 3
    assert lines[2].replace("\\\\", "").replace("\\|", "").count("|") == 3


def test_no_address_is_made_a_link():
    assert inline("see http://x.io and WWW.x.io") == "see http\\://x.io and WWW\\.x.io"
    assert inline("fidelity.toy: 0.5") == "fidelity.toy: 0.5"


@pytest.mark.parametrize("word", WORDS)
def test_a_yaml_scalar_is_one_quoted_line_of_printable_signs(word):
    text = yaml_text(word)
    assert text.isprintable() and text[0] == text[-1] == '"'
    assert json.loads(text) == spelled(word)
