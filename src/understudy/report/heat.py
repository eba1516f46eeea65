"""A square of numbers between columns as a heat map: a colour and, where there is room, the figure itself."""

from __future__ import annotations

import math

from markupsafe import Markup

from understudy.report.dossier import Grid
from understudy.report.svg import joined, picture, tag, text
from understudy.report.words import brief, figure

__all__ = ["MOST", "heat", "step_of", "unseen"]

MOST = 40  # columns on a side
_STEPS = 5  # of colour, from 0 to the limit; as many below 0 where there is a sign
_WRITTEN = 16  # columns at most for figures in the cells
_LABEL, _SIDE = 110.0, 560.0


def unseen(grid: Grid) -> tuple[str, ...]:
    """Return the names of columns that are not drawn because there are too many."""
    return grid.names[MOST:]


def step_of(value: float, limit: float) -> int:
    """Return the colour of a value: 0 for none, up to 5 at the limit, negative below 0.

    >>> [step_of(value, 0.5) for value in (0.0, 0.04, 0.26, -0.5, 9.0)]
    [0, 0, 3, -5, 5]
    """
    share = max(-1.0, min(1.0, value / limit)) if limit > 0 else 0.0
    return round(share * _STEPS)


def heat(grid: Grid) -> Markup:
    """Return the picture, of the first 40 columns."""
    names = grid.names[:MOST]
    cell = min(36.0, _SIDE / max(1, len(names)))
    rows = [_row(grid, at, names, cell) for at in range(len(names))]
    wide, high = _LABEL + cell * len(names) + 40, _LABEL * 0.8 + cell * len(names) + 44
    told = f"{len(names)} columns on each side; {_worst(grid)}"
    inside = [_above(names, cell), *rows, _legend(grid, high - 22)]
    return picture((max(wide, 420.0), high), grid.title, told, inside, "heat")


def _above(names: tuple[str, ...], cell: float) -> Markup:
    turned = [
        text(brief(name, 14), 0, 0, cls=_size(cell),
             transform=f"translate({_LABEL + (at + 0.6) * cell:.1f} {_LABEL * 0.8 - 6:.1f}) rotate(-45)")
        for at, name in enumerate(names)
    ]  # fmt: skip
    return joined(turned)


def _row(grid: Grid, at: int, names: tuple[str, ...], cell: float) -> Markup:
    values = grid.values[at][: len(names)]
    cells = [
        _cell(grid, (names[at], names[place]), value, (place * cell, cell))
        for place, value in enumerate(values)
    ]
    label = text(brief(names[at], 16), -6, cell / 2 + 4, cls=_size(cell), text_anchor="end")
    return tag("g", label, *cells, transform=f"translate({_LABEL} {_LABEL * 0.8 + at * cell:.1f})")


def _cell(grid: Grid, names: tuple[str, str], value: float, place: tuple[float, float]) -> Markup:
    left, side = place
    if math.isnan(value):
        return tag("rect", cls="none", x=left, y=0.0, width=side - 1, height=side - 1)
    step = step_of(value, grid.limit)
    colour = f"{'n' if step < 0 else 'p'}{abs(step)}"
    tip = f"{brief(names[0])} with {brief(names[1])}: {figure(value)}"
    square = tag("rect", cls=f"{colour} mark", x=left, y=0.0, width=side - 1, height=side - 1, data_tip=tip)
    if len(grid.names) > _WRITTEN:
        return square
    ink = "cell strong" if abs(step) >= 4 else "cell"
    return square + text(_short(value), left + (side - 1) / 2, side / 2 + 3.5, cls=ink, text_anchor="middle")


def _short(value: float) -> str:
    """Return two digits behind the point, without the 0 before it."""
    written = f"{value:.2f}"
    return "0" if float(written) == 0 else written.replace("0.", ".", 1)


def _size(cell: float) -> str:
    return "tick" if cell >= 16 else "tiny"


def _worst(grid: Grid) -> str:
    found = [
        (abs(value), value, row, column)
        for row, values in enumerate(grid.values)
        for column, value in enumerate(values)
        if column < row and not math.isnan(value)
    ]
    if not found:
        return "no pair was measured"
    _, value, row, column = max(found)
    return f"largest: {brief(grid.names[row])} with {brief(grid.names[column])}, {figure(value)}"


def _legend(grid: Grid, y: float) -> Markup:
    steps = range(-_STEPS if grid.signed else 0, _STEPS + 1)
    squares = [
        tag(
            "rect", cls=f"{'n' if step < 0 else 'p'}{abs(step)}", x=_LABEL + 20 * at, y=y, width=19, height=10
        )
        for at, step in enumerate(steps)
    ]
    low = figure(-grid.limit) if grid.signed else "0"
    end = _LABEL + 20 * len(steps)
    return joined(
        [
            *squares,
            text(low, _LABEL - 6, y + 9, cls="tick", text_anchor="end"),
            text(f"{figure(grid.limit)} or more", end + 6, y + 9, cls="tick"),
        ]
    )
