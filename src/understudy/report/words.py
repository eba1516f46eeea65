"""How a report writes text and figures: names made harmless, three digits, a word for every verdict."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Literal

from understudy.markup import spelled
from understudy.report.dossier import Line
from understudy.result import Result

__all__ = ["Against", "against", "brief", "figure", "line_to_share", "note_to_share", "span", "spoken"]

Against = Literal["worse", "even", "better", "unlike", "unknown"]

_RISK = {
    "worse": "more than chance",
    "even": "like chance",
    "better": "less than chance",
}
_SCORE = {
    "worse": "worse than fresh rows",
    "even": "like fresh rows",
    "better": "closer than fresh rows",
    "unlike": "unlike fresh rows",
}
_LONG = re.compile(r"(?<![\w.,])0\.0*[1-9]\d{3,}(?![\w.])|(?<![\w.,])[1-9]\d*\.\d{2,}(?![\w.])")
_N = r"(?<!fewer than )(?<![\w.,/-])\d[\d,]*(?<!,)(?![\w.]*\d|\s?%)"
_KINDS = "real|train|training|test|holdout|reference|synthetic|fresh|different|distinct|smaller|shadow|wanted"
_OF_ROWS = rf"(?=\s+(?:(?:{_KINDS})\s+){{0,3}}(?:rows?|records?|targets|members|predicates|groups)\b)"
_SOME = re.compile(rf"{_N} of {_N}{_OF_ROWS}")
_COUNTS = (
    re.compile(rf"{_N}(?= with {_N}{_OF_ROWS})"),
    re.compile(rf"{_N}{_OF_ROWS}"),
    re.compile(rf"(?<=\bgot ){_N}"),
    re.compile(rf"(?<=\bof each of ){_N}(?: and {_N})*"),
    re.compile(r"(?<![\w.,/-])\d{1,3}(?:,\d{3})+(?![\w.]*\d)"),  # only counts are written with commas here
)
_QUOTED = re.compile(r"""((?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|(?<!\w)"(?:[^"\\]|\\.)*"(?!\w))""")


def brief(text: str, most: int = 24) -> str:
    """Return the text spelled out, cut to a width.

    >>> brief("marital-status", 8)
    'marital…'
    """
    plain = spelled(text)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def figure(value: float) -> str:
    """Return a number with three significant digits: always three, so that nobody can ask for more.

    >>> [figure(value) for value in (0.0, 0.51234, 0.01161, 12345.6, 0.0000123, float("nan"))]
    ['0', '0.512', '0.0116', '12,300', '1.23e-05', '—']
    """
    if math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    if abs(value) >= 999.5:
        return f"{float(f'{value:.3g}'):,.0f}"
    # Zeros behind keep columns of figures aligned; behind many zeros in front they only take room.
    return f"{value:#.3g}".removesuffix(".") if abs(value) >= 0.01 else f"{value:.3g}"


def span(low: float, high: float) -> str:
    """Return an interval.

    >>> span(0.1, 0.25)
    '0.100 to 0.250'
    """
    return "—" if math.isnan(low) or math.isnan(high) else f"{figure(low)} to {figure(high)}"


def against(result: Result) -> Against:
    """Compare the whole interval with the null, by the same words as the judges.

    >>> against(Result("fidelity.toy", 0.3, 0.2, 0.4, null=0.1, better="lower", saw_real_rows=True))
    'worse'
    """
    if any(math.isnan(each) for each in (result.value, result.low, result.high, result.null)):
        return "unknown"
    if result.low <= result.null <= result.high:
        return "even"
    if result.better == "null":
        return "unlike"
    return "better" if (result.high < result.null) is (result.better == "lower") else "worse"


def spoken(result: Result) -> str:
    """Return the verdict in words: risks are compared with chance, the rest with fresh real rows."""
    if math.isnan(result.value):
        return "not measured"
    if against(result) == "unknown":
        return "nothing to compare with"
    risk = result.name.startswith("privacy.") and result.better != "null"
    return (_RISK if risk else _SCORE)[against(result)]


def line_to_share(line: Line) -> Line:
    """Return a line of a policy whose figures have three digits; why it was not judged is a note.

    >>> line_to_share(Line("copies", "at most 0.02", "0.99840 (0.99729 to 0.99840)", "broken")).found
    '0.998 (0.997 to 0.998)'
    """
    if line.verdict == "not judged":
        return replace(line, found=note_to_share(line.found))
    return replace(line, found=_LONG.sub(lambda found: figure(float(found.group())), line.found))


def note_to_share(note: str) -> str:
    """Return a note without counts of rows, which would tell how many real ones there are.

    What stands in quotes is a name, and so is a number that counts no rows: both stay.

    >>> note_to_share("1,000 of 32,561 train rows were targets")
    'some of the train rows were targets'
    >>> note_to_share("the null compares 750 with 750 real rows; 95 % of 0.125")
    'the null compares … with … real rows; 95 % of 0.125'
    >>> note_to_share("naive guesses did as well as the attack (2023, 2024); target: '2023 rows'")
    "naive guesses did as well as the attack (2023, 2024); target: '2023 rows'"
    """
    parts = _QUOTED.split(note)  # the quoted ones are at odd places
    return "".join(part if at % 2 else _uncounted(part) for at, part in enumerate(parts))


def _uncounted(text: str) -> str:
    text = _SOME.sub("some of the", text)
    for count in _COUNTS:
        text = count.sub("…", text)
    return text
