"""JSON that a person reads and edits: one block per thing, short lists on one line, the same every time."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["readable"]

WIDTH = 110


def readable(tree: Any, *, blocks: int = 0, width: int = WIDTH) -> str:
    """Return JSON text; containers down to depth `blocks` are spread out, all else is inline where it fits.

    >>> print(readable({"columns": [{"name": "age", "levels": [1, 2]}]}, blocks=2), end="")
    {
      "columns": [
        {
          "name": "age",
          "levels": [1, 2]
        }
      ]
    }
    """
    return _text(tree, 0, blocks, width, lead=0) + "\n"


def _text(value: Any, depth: int, blocks: int, width: int, *, lead: int) -> str:
    """Return the text of a value whose first line starts after `lead` characters."""
    inline = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value:
        return inline
    # One more character: a comma may follow.
    if depth > blocks and lead + len(inline) + 1 <= width:
        return inline
    pad = "  " * (depth + 1)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        lines = _filled([json.dumps(item, ensure_ascii=False) for item in value], pad, width)
    else:
        lines = [pad + item for item in _items(value, depth, blocks, width)]
    left, right = "{}" if isinstance(value, dict) else "[]"
    return left + "\n" + ",\n".join(lines) + "\n" + "  " * depth + right


def _items(value: Any, depth: int, blocks: int, width: int) -> list[str]:
    pad = 2 * (depth + 1)
    if isinstance(value, list):
        return [_text(item, depth + 1, blocks, width, lead=pad) for item in value]
    keys = {key: json.dumps(key, ensure_ascii=False) + ": " for key in value}
    return [
        keys[key] + _text(item, depth + 1, blocks, width, lead=pad + len(keys[key]))
        for key, item in value.items()
    ]


def _filled(items: list[str], pad: str, width: int) -> list[str]:
    """Return lines of items, as many in each as fit."""
    lines, line = [], pad + items[0]
    for item in items[1:]:
        if len(line) + len(item) + 3 > width:
            lines.append(line)
            line = pad + item
        else:
            line = f"{line}, {item}"
    return [*lines, line]
