"""What the parts of one column of a schema must be to fit each other.

Each rule raises ValueError, which pydantic turns into an error that names the place in the file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from understudy.errors import FrameError, SchemaError
from understudy.table.arrow_types import from_text
from understudy.table.rule import Comparison, Condition, Implies, Match, Rule
from understudy.table.rules_text import parse_rule

__all__ = [
    "LEVEL_KINDS",
    "TIME_KINDS",
    "refuse_unfit_bounds",
    "refuse_unfit_parts",
    "refuse_unfit_resolution",
    "refuse_unfit_rule",
    "refuse_unfit_template",
    "refuse_unknown_type",
    "sort_of",
    "without_outdated",
]

LEVEL_KINDS = frozenset({"boolean", "categorical", "ordinal"})
TIME_KINDS = frozenset({"datetime", "date", "time", "duration"})

_TAKEN_BY = {
    "resolution": TIME_KINDS | {"numerical"},
    "bounds": TIME_KINDS | {"numerical"},
    "levels": LEVEL_KINDS | {"constant"},
    "template": frozenset({"id"}),
}
_SOURCED = ("bounds", "levels", "missing")


def refuse_unfit_parts(kind: str, given: Collection[str]) -> None:
    """Refuse parts that a kind does not take, all of them at once.

    >>> refuse_unfit_parts("text", ["template", "bounds"])
    Traceback (most recent call last):
    ValueError: a column of kind text takes no bounds and no template; delete them, or take another kind
    """
    unfit = [part for part, kinds in _TAKEN_BY.items() if part in given and kind not in kinds]
    if unfit:
        which = "it" if unfit in (["resolution"], ["template"]) else "them"
        parts = " and no ".join(unfit)
        raise ValueError(f"a column of kind {kind} takes no {parts}; delete {which}, or take another kind")


def without_outdated(column: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column of a schema file without what was looked up for a kind that it no longer has.

    Whoever corrects a kind corrects that word alone. What is observed is looked up again; what is declared
    somebody meant, and it stays, to be refused. Resolution and template carry no source: they were looked up
    where anything else was.

    >>> without_outdated({"kind": "id", "resolution": 1, "missing": {"rate": 0.0, "source": "observed"}})
    {'kind': 'id', 'missing': {'rate': 0.0, 'source': 'observed'}}
    """
    observed = {part for part in _SOURCED if _is_observed(column.get(part))}
    if observed:
        observed |= {"resolution", "template"}
    kind = str(column.get("kind"))
    return {
        part: value
        for part, value in column.items()
        if part not in observed or kind in _TAKEN_BY.get(part, {kind})
    }


def _is_observed(part: object) -> bool:
    return isinstance(part, dict) and part.get("source") == "observed"


def refuse_unknown_type(text: str) -> None:
    """Refuse a type that no table can hold."""
    try:
        from_text(text)
    except FrameError:
        raise ValueError(
            "type must be an Arrow type that a table can hold, such as int64 or string"
        ) from None


def refuse_unfit_resolution(kind: str, resolution: float | str | None) -> None:
    """Refuse a resolution that does not fit the kind, or is no power of ten."""
    if resolution is None:
        return
    if kind not in TIME_KINDS | {"numerical"}:
        raise ValueError(f"a column of kind {kind} takes no resolution")
    if isinstance(resolution, str) is (kind == "numerical"):
        raise ValueError("resolution is a power of ten for a numerical column and a unit for a time")
    if not isinstance(resolution, str) and not _is_power_of_ten(resolution):
        raise ValueError("resolution must be a power of ten such as 1, 0.01 or 1e-6")


def refuse_unfit_bounds(kind: str, low: object, high: object) -> None:
    """Refuse bounds of the wrong sort for the kind, and text that is no number where one is needed."""
    if kind not in TIME_KINDS | {"numerical"}:
        raise ValueError(f"a column of kind {kind} takes no bounds")
    if kind in TIME_KINDS and not isinstance(low, str):
        raise ValueError("bounds are numbers for a numerical column and ISO text for a time")
    if kind == "numerical" and isinstance(low, str) and _decimal(low) > _decimal(high):
        raise ValueError("low must not be above high")


def _decimal(text: object) -> Decimal:
    try:
        number = Decimal(str(text))
    except InvalidOperation:
        raise ValueError("bounds are numbers for a numerical column and ISO text for a time") from None
    if not number.is_finite():
        raise ValueError("bounds must be finite")
    return number


def sort_of(value: object) -> type:
    """Return what a level is: text, a truth value, or a number of any type."""
    return type(value) if isinstance(value, str | bool) else float


def _is_power_of_ten(value: float) -> bool:
    return value > 0 and float(f"1e{round(math.log10(value))}") == value


def refuse_unfit_template(kind: str, template: str | None) -> None:
    """Refuse a template where no id is made, and one that ends in the middle of a pair."""
    if template is None:
        return
    if kind != "id":
        raise ValueError(f"a column of kind {kind} takes no template")
    if re.sub(r"\\.", "", template, flags=re.DOTALL).endswith("\\"):
        raise ValueError("a backslash in a template stands before the character that it keeps")


def refuse_unfit_rule(text: str, kinds: Mapping[str, str], levels: Mapping[str, tuple[object, ...]]) -> None:
    """Refuse a rule that cannot be read, names no column of the schema, or compares what has no order."""
    try:
        rule: Rule = parse_rule(text)
    except SchemaError as error:
        raise ValueError(str(error).removeprefix("rule: ").rstrip(".")) from None
    for name in rule.columns:
        if kinds.get(name, "ignore") == "ignore":
            raise ValueError(f"there is no column {name!r} that is not ignored")
    for part in (rule.condition, rule.consequence) if isinstance(rule, Implies) else (rule,):
        _refuse_unfit_condition(part, kinds, levels)


def _refuse_unfit_condition(
    part: Condition, kinds: Mapping[str, str], levels: Mapping[str, tuple[object, ...]]
) -> None:
    if isinstance(part, Comparison):
        times = [name for name in part.columns if kinds[name] in TIME_KINDS]
        if times and (len(times) < len(part.columns) or part.left.constant or part.right.constant):
            raise ValueError(f"column {times[0]!r} holds times: compare it with times, or with a quoted one")
    elif isinstance(part, Match) and kinds[part.column] == "numerical":
        raise ValueError(f"column {part.column!r} holds numbers: write a number, without quotes")
    elif isinstance(part, Match) and kinds[part.column] in TIME_KINDS:
        if isinstance(part.value, bool):
            raise ValueError(f"column {part.column!r} holds times, and true and false are none")
    elif isinstance(part, Match):
        _refuse_unfit_level(part, kinds[part.column], levels.get(part.column))


def _refuse_unfit_level(part: Match, kind: str, levels: tuple[object, ...] | None) -> None:
    if part.operator not in {"==", "!="} and (kind != "ordinal" or levels is None):
        raise ValueError(f"column {part.column!r} has no order: only ordinal columns that state levels have")
    known = None if levels is None else {str(level).lower() for level in levels}
    if known is not None and str(part.value).lower() not in known:
        raise ValueError(f"column {part.column!r} states levels, and the word in quotes is none of them")
