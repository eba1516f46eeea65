"""Texts that try to leave their place, and what a page consists of."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = [
    "<script>alert(1)</script>", "</td><img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "'--><svg/>",
    "{{7*7}}", "${7*7}", "=cmd|'/c calc'!A1", "\u202egnp.exe", "\u2066x\u2069", "a\x00b", "a\r\nb", "\udc80",
    "<!--", "]]>", "&lt;b&gt;", "&#60;b&#62;", "javascript:alert(1)", "\u2028\u2029", "`|---|`", "---",
    "\x1b[2J", "</title><b>", "<style>*{}</style>", "\ufeff", "\u200b", "א", "| a | b |", "# head", "\t",
    "\\", "\\\"", "%0a", "%%{init}%%", "1. x", "- x", "+ x", "> x", "    x", "~~~", "***", "a|b", "www.x.io",
    "@x", "$x$", "[x](http://x.io)", "![x](x)", "http://x.io", ": y", "!!python/object:x", "*x", "&x", "...",
    "? x", "- - -",
]  # fmt: skip


class Seen(HTMLParser):
    """What a page consists of: its tags with the names of their attributes, and its text."""

    def __init__(self, html):
        HTMLParser.__init__(self)
        self.tags, self.texts = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_endtag(self, tag):
        self.tags.append((f"/{tag}", ()))

    def handle_data(self, data):
        self.texts.append(data)

    def handle_comment(self, data):
        self.tags.append((f"comment {data}", ()))

    def handle_decl(self, decl):
        self.tags.append((f"declaration {decl}", ()))


def tags(html):
    return Seen(html).tags
