"""Text as HTML: escaped, on one line, in tables that read in a light and in a dark notebook.

Names come from files and may hold anything. Nothing that is given as text can become an element, an
attribute or a script, and nothing can turn the direction in which the rest is read. There are no scripts
and no colours of our own but a grey that shows on both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

__all__ = ["interval_bar", "safe", "section", "spelled", "table"]

_LINE = "1px solid rgba(128,128,128,.45)"
_CELL = f"text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-bottom:{_LINE}"
# A page without a doctype gives its tables a colour and a size of their own; these ask for those around them.
_TABLE = "border-collapse:collapse;margin:.3em 0 1em;color:inherit;font:inherit"
_WIDE, _HIGH, _EDGE = 240, 26, 8


def spelled(text: str) -> str:
    r"""Return the text on one line, with everything that could steer a terminal or a reader spelled out.

    >>> print(spelled("a\x1b[31mb\n"))
    a\x1b[31mb\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def safe(text: str) -> str:
    """Return the text for any place in HTML, an attribute's value too.

    >>> safe('<b onclick="x">')
    '&lt;b onclick=&quot;x&quot;&gt;'
    """
    return escape(spelled(text), quote=True)


def section(title: str, *bodies: str) -> str:
    """Return HTML under a heading; the title is text, the bodies are HTML already.

    >>> section("a < b", "<p>c</p>")
    '<div style="overflow-x:auto"><p><strong>a &lt; b</strong></p><p>c</p></div>'
    """
    return f'<div style="overflow-x:auto"><p><strong>{safe(title)}</strong></p>{"".join(bodies)}</div>'


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of texts; the first cell of each row is its heading.

    >>> table(("name", "value"), [("a", "1")]).count("<td")
    1
    """
    head = "".join(f'<th scope="col" style="{_CELL}">{safe(text)}</th>' for text in headers)
    body = "".join(f"<tr>{_row(cells)}</tr>" for cells in rows)
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(cells: Sequence[str]) -> str:
    first = f'<th scope="row" style="{_CELL};font-weight:normal">{safe(cells[0])}</th>'
    return first + "".join(f'<td style="{_CELL}">{safe(text)}</td>' for text in cells[1:])


def interval_bar(value: float, low: float, high: float, null: float) -> str:
    """Return a small picture: the interval as a bar, the value as a dot, the null as an upright line.

    What is undefined or infinite is not drawn; without a value there is no picture.

    >>> interval_bar(0.3, 0.2, 0.4, 0.1).count("<circle"), interval_bar(math.nan, 0.2, 0.4, 0.1)
    (1, '')
    """
    known = [each for each in (value, low, high, null) if math.isfinite(each)]
    if not math.isfinite(value):
        return ""
    least, span = min(known), max(known) - min(known)
    # Numbers beyond 1e308 have no difference: they lie on one point, as equal ones do.
    step = (_WIDE - 2 * _EDGE) / span if math.isfinite(span) and span > 0 else 0.0
    start = _EDGE if step else _WIDE / 2

    def at(number: float) -> str:
        return f"{start + (number - least) * step if step else start:.1f}"

    marks = [f'<circle cx="{at(value)}" cy="{_HIGH / 2:g}" r="4" fill="currentColor"/>']
    if math.isfinite(low) and math.isfinite(high):
        marks.insert(0, _stroke(at(low), at(high), (_HIGH / 2, _HIGH / 2), width=3))
    if math.isfinite(null):
        marks.insert(0, _stroke(at(null), at(null), (2, _HIGH - 2), width=1.5))
    told = f"value {value:.3g}, interval {low:.3g} to {high:.3g}, null {null:.3g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{_HIGH}" '
        f'viewBox="0 0 {_WIDE} {_HIGH}" role="img"><title>{told}</title>{"".join(marks)}</svg>'
    )


def _stroke(left: str, right: str, heights: tuple[float, float], *, width: float) -> str:
    return (
        f'<line x1="{left}" y1="{heights[0]:g}" x2="{right}" y2="{heights[1]:g}" '
        f'stroke="currentColor" stroke-width="{width:g}" stroke-opacity=".6"/>'
    )
