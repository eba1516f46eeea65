"""Text as Markdown and YAML: whatever a name holds, it is shown as that text and does nothing else.

Markdown has no quotes, so every sign that could mean something is escaped: the emphasis, code, links, math
and templates of CommonMark and of GitHub's and Hugging Face's readers, the bars of tables, HTML, and what
only means something at the start of a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from understudy.markup import spelled

__all__ = ["bullets", "inline", "table", "yaml_text"]

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}  # entities: older readers know no backslash before these
_SIGNS = re.compile(r"[\\`*_{}\[\]#|~$@^]")
_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)  # readers make links of bare addresses
_START = re.compile(r"^(\d+)(?=[.)](?:\s|$))|^(?=[-+=:](?:[-=:\s]|$))")


def inline(text: str) -> str:
    r"""Return the text for a paragraph, a list or a cell.

    >>> print(inline("a|b <i> *c*\n# d"))
    a\|b &lt;i&gt; \*c\*\\n\# d
    """
    plain = spelled(text).strip()
    plain = re.sub("[&<>]", lambda found: _ENTITIES[found.group()], plain)
    # The entities are made first and hold none of these signs but the hash, which they do not use.
    plain = _SIGNS.sub(lambda found: "\\" + found.group(), plain)
    plain = _ADDRESS.sub(lambda found: "\\" + found.group(), plain)
    return _START.sub(lambda found: f"{found.group(1) or ''}\\", plain)


def bullets(lines: Sequence[str]) -> str:
    r"""Return a list of texts.

    >>> print(bullets(["one", "- two"]))
    - one
    - \- two
    """
    return "\n".join(f"- {inline(line)}" for line in lines)


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a table of texts.

    >>> print(table(("a", "b"), [("1", "x|y")]))
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    head = [_row(headers), "|" + "---|" * len(headers)]
    return "\n".join([*head, *(_row(row) for row in rows)])


def yaml_text(text: str) -> str:
    r"""Return the text as a quoted scalar of YAML: JSON's quotes, which are YAML's too for printable text.

    >>> print(yaml_text('a: "b"\n---'))
    "a: \"b\"\\n---"
    """
    return json.dumps(spelled(text), ensure_ascii=False)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(inline(cell) for cell in cells) + " |"
