"""What the parts of one column of a schema must be to fit each other.

Each rule raises ValueError, which pydantic turns into an error that names the place in the file.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

from understudy.errors import FrameError
from understudy.table.arrow_types import from_text

__all__ = [
    "LEVEL_KINDS",
    "TIME_KINDS",
    "refuse_unfit_bounds",
    "refuse_unfit_resolution",
    "refuse_unfit_template",
    "refuse_unknown_type",
    "sort_of",
]

LEVEL_KINDS = frozenset({"boolean", "categorical", "ordinal"})
TIME_KINDS = frozenset({"datetime", "date", "time", "duration"})


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
