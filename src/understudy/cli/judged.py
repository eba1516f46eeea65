"""Results as a person reads them: one line each, beside the null, and below what is to be known of all."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from understudy.cli import screen
from understudy.cli.outcome import seconds_text

if TYPE_CHECKING:
    from understudy.result import Result

__all__ = ["UNCOVERED", "as_tree", "show_results"]

HEADERS = ("measure", "value", "95 % interval", "null", "best", "verdict", "time")
_FIRST_TO_GO = ("time", "best")  # of a terminal that is too narrow for all columns
_RIGHT = {"value", "null", "time"}
_STYLES = {"worse": "yellow", "unlike": "yellow", "even": "green", "better": "cyan", "unknown": "dim"}
_FAILED = "not measured: "
_NULL = ("null", "what real rows score; of an attack, what guessing or chance gives")
UNCOVERED = (
    "figures and counts are of private rows, without noise: no certificate covers them; keep them inside"
)


def show_results(results: Sequence[Result], *, with_notes: bool = True) -> None:
    """Print the results, room by room, and what each has to say."""
    rooms: dict[str, list[Result]] = {}
    for result in results:
        rooms.setdefault(result.name.partition(".")[0], []).append(result)
    lines = [[_line(result) for result in rooms[room]] for room in sorted(rooms)]
    if sys.stdout.isatty():
        _show_rich(lines)
    else:
        _show_plain(lines)
    notes = _notes(results) if with_notes else []
    if any(result.saw_real_rows for result in results):
        notes.append(("private", UNCOVERED))
    print()
    screen.show_facts([*notes, _NULL])


def as_tree(result: Result) -> dict[str, Any]:
    """Return a result for JSON, with its verdict."""
    from understudy.measuring.verdict import verdict

    return result.to_dict() | {"verdict": verdict(result)}


def _line(result: Result) -> tuple[str, ...]:
    from understudy.measuring.verdict import verdict

    digits = _digits(result)
    low, high = _number(result.low, digits), _number(result.high, digits)
    best = "as real" if result.better == "null" else result.better
    return (
        result.name,
        _number(result.value, digits),
        f"{low} to {high}" if low != "-" else "-",
        _number(result.null, digits),
        best,
        verdict(result),
        seconds_text(result.seconds),
    )


def _digits(result: Result) -> str:
    """Return how to write the numbers of a result: with two digits of the half-width of its interval."""
    reach = (result.high - result.low) / 2
    if math.isnan(reach) or reach <= 0:
        return ",.4f"
    decimals = max(1, 1 - math.floor(math.log10(reach)))
    return f",.{decimals}f" if decimals <= 6 else ".1e"


def _number(value: float, digits: str) -> str:
    return "-" if math.isnan(value) else format(value, digits)


def _widths(rooms: Sequence[Sequence[tuple[str, ...]]]) -> dict[str, int]:
    cells = [HEADERS, *(line for room in rooms for line in room)]
    return {header: max(len(row[place]) for row in cells) for place, header in enumerate(HEADERS)}


def _show_plain(rooms: Sequence[Sequence[tuple[str, ...]]]) -> None:
    widths = _widths(rooms)
    for row in [HEADERS, *(line for room in rooms for line in room)]:
        words = zip(row, widths.items(), strict=True)
        shown = [cell.rjust(wide) if name in _RIGHT else cell.ljust(wide) for cell, (name, wide) in words]
        print("  ".join(shown).rstrip())


def _show_rich(rooms: Sequence[Sequence[tuple[str, ...]]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    widths = _widths(rooms)
    for name in _FIRST_TO_GO:
        if sum(widths.values()) + 2 * (len(widths) - 1) > console.width:
            del widths[name]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for header in widths:
        table.add_column(header, justify="right" if header in _RIGHT else "left", overflow="fold")
    for place, room in enumerate(rooms):
        if place:
            table.add_row()
        for line in room:
            cells = dict(zip(HEADERS, line, strict=True))
            table.add_row(*(Text(cells[name], style=_style(name, cells[name])) for name in widths))
    console.print(table)


def _style(header: str, cell: str) -> str:
    return _STYLES[cell] if header == "verdict" else "dim" if header == "time" else ""


def _notes(results: Sequence[Result]) -> list[tuple[str, str]]:
    """Return what all results say, once, and then what each says alone; failures come first."""
    # One that failed says why it did and nothing else: what all the others say is still said once.
    measured = [r for r in results if not _has_failed(r)]
    common = (
        [note for note in measured[0].notes if all(note in r.notes for r in measured)] if measured[1:] else []
    )
    lines = [("all", note) for note in common]
    for result in sorted(results, key=lambda r: not _has_failed(r)):
        own = [note for note in result.notes if note not in common]
        lines += [(result.name if place == 0 else "", note) for place, note in enumerate(own)]
    return lines


def _has_failed(result: Result) -> bool:
    return any(note.startswith(_FAILED) for note in result.notes)
