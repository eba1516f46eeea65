"""What a study of federations found: a table with intervals, and figures beside paper 003's 4, 5, 7, 8 and 9.

Seeds are few, so one deviation is estimated for each table and measure: that of trainings which differ in the
seed alone, pooled over all cases. An interval is 95 % of the mean of a case's own seeds by that deviation.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

from understudy.report.svg import Scale, joined, picture, polyline, tag, text

RISKS = ("singling_out", "linkability", "inference")
MEASURES = ("privacy", "guessed", "utility", "fidelity")
SAID = {"privacy": "risk", "guessed": "right guesses", "singling_out": "singling out"}
PLAIN = {"sites": 5, "local_steps": 100, "strategy": "fedavg", "epsilon": 1.0, "parted": "column"}
QUESTIONS = {
    "local steps": ("local_steps", "local steps, non-IID (4a)"),
    "local steps, IID": ("local_steps", "local steps, IID (4b)"),
    "epsilon": ("epsilon", "epsilon (5)"),
    "sites": ("sites", "sites (8)"),
    "strategy": ("strategy", "strategy (9)"),
    "one site": ("epsilon", "all rows at one site"),
}
COLOURS = {
    "credit_default": "#0b6e99",
    "adult": "#b5460f",
    "bank_marketing": "#3c7a1a",
    "city_payments": "#7a3c9a",
}
WIDE, HIGH, BETWEEN = 190.0, 120.0, (250.0, 172.0)

Line = dict[str, Any]


class Key(NamedTuple):
    """One point of the study: what is asked, of which table, at which value."""

    question: str
    table: str
    value: str


def questions_of(line: Line) -> list[str]:
    """Return the questions that a training is part of the answer to.

    >>> questions_of({**PLAIN, "sites": 10})
    ['sites']
    """
    if line["sites"] == 1:
        return ["one site"]
    if line["parted"] == "even":
        return ["local steps, IID"]
    odd = {name for name, value in PLAIN.items() if line[name] != value}
    asked = ("local steps", "epsilon", "sites", "strategy")
    return [question for question in asked if odd <= {QUESTIONS[question][0]}]


class Study:
    """The trainings of a file, by what they answer."""

    def __init__(self, lines: list[Line]) -> None:
        self.groups: dict[Key, list[Line]] = defaultdict(list)
        for line in lines:
            for question in questions_of(line):
                self.groups[Key(question, line["table"], _value(line[QUESTIONS[question][0]]))].append(line)
        self.tables = [name for name in COLOURS if any(line["table"] == name for line in lines)]
        self.lines = lines

    def values(self, question: str) -> list[str]:
        """Return what a question varies, in order."""
        return sorted({key.value for key in self.groups if key.question == question}, key=_order)

    def mean(self, key: Key, measure: str) -> tuple[float, float] | None:
        """Return the mean of a case and half of its interval, which is NaN where nothing is known of it."""
        found = [line[measure] for line in self.groups.get(key, [])]
        if not found:
            return None
        deviation, freedom = self.deviation(key.table, measure)
        reach = t.ppf(0.975, freedom) * deviation / np.sqrt(len(found)) if freedom else np.nan
        return float(np.mean(found)), float(reach)

    def deviation(self, table: str, measure: str) -> tuple[float, int]:
        """Return the deviation between seeds, pooled over cases, and its degrees of freedom."""
        cases: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        for line in self.lines:
            if line["table"] == table:
                cases[tuple(line[name] for name in PLAIN)].append(line[measure])
        freedom = sum(len(found) - 1 for found in cases.values())
        squares = sum(float(np.var(found)) * len(found) for found in cases.values())
        return (float(np.sqrt(squares / freedom)), freedom) if freedom else (float("nan"), 0)


def lines_of(path: Path) -> list[Line]:
    """Return the trainings of a file; one that was cut off in the middle of its line is not there."""
    found = []
    for text_line in path.read_text().splitlines() if path.exists() else []:
        try:
            found.append(json.loads(text_line))
        except json.JSONDecodeError:
            print(f"{path.name}: a line was cut off; it is run again")
    return found


def told(path: Path, where: Path | None = None) -> None:
    """Print the table, and draw the figures beside the file or where they are wanted."""
    study = Study(lines_of(path))
    columns = ("privacy", *RISKS, "guessed", "utility", "fidelity")
    names = ["question", "table", "value", *(SAID.get(name, name) for name in columns)]
    print(f"| {' | '.join(names)} |\n{'|---' * len(names)}|")
    order = list(QUESTIONS)
    for key in sorted(
        study.groups, key=lambda key: (order.index(key.question), key.table, _order(key.value))
    ):
        cells = [_said(study.mean(key, name)) for name in columns]
        print(f"| {' | '.join(key)} | {' | '.join(cells)} |")
    for table in study.tables:
        line = next(line for line in study.lines if line["table"] == table)
        print(f"{table}: real rows teach {line['real']:.3f}, the larger class is {line['majority']:.3f}")
    (where or path.with_suffix(".svg")).write_text(drawn(study))


def drawn(study: Study) -> str:
    """Return one picture: a column for each question, a row for each measure, then the three risks."""
    asked = [question for question in QUESTIONS if question != "one site"]
    panels = [
        _panel(study, question, measure, (60 + BETWEEN[0] * column, 44 + BETWEEN[1] * row))
        for column, question in enumerate(asked)
        for row, measure in enumerate(MEASURES)
    ]
    below = 44 + BETWEEN[1] * len(MEASURES)
    panels += [
        _panel(study, "epsilon", risk, (60 + BETWEEN[0] * column, below), "epsilon (7)")
        for column, risk in enumerate(RISKS)
    ]
    aside = 60 + BETWEEN[0] * len(RISKS)
    legend = [
        text(name, aside, below + 20 + 22 * row, fill=COLOURS[name], font_size="14", font_weight="bold")
        for row, name in enumerate(study.tables)
    ]
    words = [
        "Marks: means over seeds; bars: 95 % by the pooled deviation.",
        "Dashed: always guessing the larger class.",
        "In brackets: paper 003's figure.",
    ]
    under = below + 20 + 22 * len(study.tables)
    legend += [text(said, aside, under + 18 * row, font_size="12") for row, said in enumerate(words)]
    size = (60 + BETWEEN[0] * len(asked), below + BETWEEN[1])
    svg = picture(
        size, "The questions of paper 003", "risk, right guesses, utility and fidelity", [*panels, *legend]
    )
    ground = tag("rect", width=size[0], height=size[1], fill="#fff")
    named = '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" '
    return str(svg).replace("<svg ", named, 1).replace("</desc>", f"</desc>{ground}", 1) + "\n"


def _panel(study: Study, question: str, measure: str, at: tuple[float, float], of: str = "") -> str:
    values = study.values(question)
    x = Scale((0, max(len(values) - 1, 1)), (at[0] + 14, at[0] + WIDE - 14))
    y = _scale(study, measure, at[1])
    parts = [tag("path", d=f"M{at[0]} {at[1]}V{at[1] + HIGH}H{at[0] + WIDE}", fill="none", stroke="#777")]
    parts += [
        text(f"{tick:g}", at[0] - 5, y(tick) + 4, font_size="11", text_anchor="end") for tick in y.ticks(6)
    ]
    parts += [
        text(value, x(k), at[1] + HIGH + 15, font_size="11", text_anchor="middle")
        for k, value in enumerate(values)
    ]
    title = f"{SAID.get(measure, measure)}: {of or QUESTIONS[question][1]}"
    parts.append(text(title, at[0], at[1] - 9, font_size="12"))
    for place, table in enumerate(study.tables):
        aside = 3.0 * (place - (len(study.tables) - 1) / 2)
        parts += _line(study, (question, table, measure), values, (x, y), aside)
    return joined(parts)


def _line(
    study: Study, what: tuple[str, str, str], values: list[str], scales: tuple[Scale, Scale], aside: float
) -> list[str]:
    question, table, measure = what
    x, y = scales
    colour, points, parts = COLOURS[table], [], []
    for place, value in enumerate(values):
        found = study.mean(Key(question, table, value), measure)
        if found is None:
            continue
        mean, reach = found
        points.append((x(place) + aside, y(mean)))
        if np.isfinite(reach):
            ends = [(points[-1][0], y(mean - reach)), (points[-1][0], y(mean + reach))]
            parts.append(polyline(ends, fill="none", stroke=colour, stroke_width="1.4"))
        parts.append(tag("circle", cx=points[-1][0], cy=points[-1][1], r=3.0, fill=colour))
    if len(points) > 1 and question != "strategy":  # strategies have no order
        parts.append(polyline(points, fill="none", stroke=colour))
    if measure == "utility":
        level = y(next(line["majority"] for line in study.lines if line["table"] == table))
        ends = [(x(0) - 14, level), (x(0) - 14 + WIDE, level)]
        parts.append(polyline(ends, fill="none", stroke=colour, stroke_width="0.8", stroke_dasharray="4 3"))
    return parts


def _scale(study: Study, measure: str, top: float) -> Scale:
    """Return one scale for all panels of a measure, so that questions can be compared by eye."""
    found = [study.mean(key, measure) for key in study.groups if key.question != "one site"]
    known = [(mean, 0.0 if np.isnan(reach) else reach) for mean, reach in filter(None, found)]
    low, high = min(m - reach for m, reach in known), max(m + reach for m, reach in known)
    room = max(0.04 * (high - low), 0.002)
    return Scale((low - room, high + room), (top + HIGH, top))


def _said(found: tuple[float, float] | None) -> str:
    if found is None:
        return ""
    mean, reach = found
    return f"{mean:.3f} ± {reach:.3f}" if np.isfinite(reach) else f"{mean:.3f}"


def _value(value: object) -> str:
    return "none" if value is None else str(value)


def _order(value: str) -> tuple[float, str]:
    try:
        return float(value), ""
    except ValueError:
        return float("inf"), value
