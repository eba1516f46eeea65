"""What a person sees: aligned, short, in colour on a terminal and plain in a pipe."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from understudy.markup import spelled as escaped

__all__ = ["escaped", "show", "show_facts", "show_json", "show_table", "show_verdict"]

Rows = Sequence[Sequence[str]]


def show(facts: Rows, tree: dict[str, Any], *, as_json: bool) -> None:
    """Print what a command has to say, for a person or for a program."""
    if as_json:
        show_json(tree)
    else:
        show_facts(facts)


def show_json(tree: dict[str, Any]) -> None:
    """Print one JSON object; ASCII, so that any pipe can carry it. What is no finite number is null."""
    print(json.dumps(_finite(tree), indent=1, ensure_ascii=True, allow_nan=False))


def show_facts(facts: Rows) -> None:
    """Print a column of labels beside a column of what there is to say; an empty label continues."""
    wide = max(len(label) for label, _ in facts)
    for label, text in facts:
        first, *rest = _wrapped(escaped(text), wide + 2)
        print(f"{_tinted(label.ljust(wide))}  {first}")
        for line in rest:
            print(" " * (wide + 2) + line)


def show_table(headers: Sequence[str], rows: Rows) -> None:
    """Print rows under headers, every column as wide as its widest cell."""
    cells = [[escaped(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _show_rich(headers, cells)
        return
    for line in _lines(headers, cells):
        print(line)


def show_verdict(headline: str, meaning: str, style: str) -> None:
    """Print a headline that a person cannot miss, and what it means."""
    text = escaped(headline)
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        with console.capture() as capture:
            console.print(Text(text, style=style), end="")
        text = capture.get()
    print(f"{text}: {meaning}")


def _finite(tree: Any) -> Any:
    """Return plain values that JSON has: it knows neither infinity nor what is not a number."""
    if isinstance(tree, dict):
        return {name: _finite(value) for name, value in tree.items()}
    if isinstance(tree, list | tuple):
        return [_finite(value) for value in tree]
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


def _lines(headers: Sequence[str], cells: Rows) -> list[str]:
    widths = [max(len(row[place]) for row in [headers, *cells]) for place in range(len(headers))]
    joined = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in [headers, *cells])
    return [line.rstrip() for line in joined]


def _show_rich(headers: Sequence[str], cells: Rows) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))  # Text: a name like [red] is a name
    Console(highlight=False).print(table)


def _wrapped(text: str, indent: int) -> list[str]:
    """Break a line for a terminal, between words only; a pipe gets it whole."""
    if not sys.stdout.isatty():
        return [text]
    width = max(40, shutil.get_terminal_size().columns - indent)
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _tinted(label: str) -> str:
    if not sys.stdout.isatty():
        return label
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(label, style="cyan"), end="")
    return capture.get()
