"""From a column of the schema, and its rows where they are needed, to its slot in the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.codec.bins import Bins
from understudy.codec.domain import bounds_of, can_be_missing, dtype_of, levels_of
from understudy.codec.encoder import CodeEncoder, NumberEncoder, Rng
from understudy.codec.layout import Part
from understudy.codec.levels import Grouped
from understudy.codec.listed import Listed, few_values
from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.scale import Scale
from understudy.codec.slot import CodeSlot, Gaps, NumberSlot, Slot
from understudy.codec.style import Style
from understudy.errors import SchemaError
from understudy.missing import is_missing
from understudy.table.schema import LEVEL_KINDS, Column

__all__ = ["known_parts", "learned", "no_rows", "slot_of"]

Values = npt.NDArray[Any]
Ends = tuple[int | float, int | float]

_SHAPE = {
    "quantile_normal": "quantiles",
    "quantile_uniform": "quantiles",
    "standard": "mean and deviation",
    "modes": "modes",
}


def learned(column: Column, style: Style) -> list[str]:
    """Say what has to be read from the rows of a column; nothing when its schema is enough.

    >>> age = Column(name="age", kind="numerical", type="int64", bounds={"low": 0, "high": 99})
    >>> learned(age, Style(numbers="minmax")), learned(age, Style(numbers="modes"))
    ([], ['modes'])
    """
    if column.kind in LEVEL_KINDS:
        return ["level counts"] if style.rare else []
    shape = (
        "quantile bins"
        if style.numbers == "bins" and style.edges == "quantile"
        else _SHAPE.get(style.numbers)
    )
    found = [shape] if shape else ["bounds"] if column.bounds is None else []
    gaps = style.numbers != "bins" and style.missing == "at_random"
    found += ["missing rate"] if gaps and column.missing is None else []
    return found + (["distinct values"] if style.few else [])


def known_parts(column: Column, style: Style) -> tuple[Part, ...] | None:
    """Return what will be written for a column; None when even its width has to be learned."""
    gaps, bounds = can_be_missing(column), bounds_of(column)
    if column.kind in LEVEL_KINDS:
        return (
            None if style.rare else _code_slot(column, style, _levels(column, style, no_rows(column))).parts
        )
    if (
        style.few
        or style.numbers == "modes"
        or (style.numbers == "bins" and (style.edges == "quantile" or bounds is None))
    ):
        return None
    if style.numbers == "bins" and bounds is not None:
        return _code_slot(
            column, style, Bins.even(bounds[0], bounds[1], style.bins, can_be_missing=gaps)
        ).parts
    return (
        (Part("number", 1), Part("flag", 1))
        if gaps and style.missing == "indicator"
        else (Part("number", 1),)
    )


def slot_of(column: Column, style: Style, values: Values, rng: Rng) -> Slot:
    """Return the column's slot; `values` may be empty where nothing has to be learned."""
    if column.kind in LEVEL_KINDS:
        return _code_slot(column, style, _levels(column, style, values))
    ends, present = _ends(column, values)
    if (listed := few_values(present, style.few, style.shared)) is not None:
        return _code_slot(column, style, Listed(listed, can_be_missing(column)))
    if style.numbers == "bins":
        return _code_slot(column, style, _bins(column, style, ends, present))
    missing, rate = _gaps(column, style, values)
    return NumberSlot(column.name, _number(style, ends, present, rng), missing, rate)


def _code_slot(column: Column, style: Style, encoder: CodeEncoder) -> CodeSlot:
    return CodeSlot(column.name, encoder, onehot=style.levels == "onehot")


def _bins(column: Column, style: Style, ends: Ends, present: Values) -> Bins:
    gaps = can_be_missing(column)
    # Without a row to learn from, bins of equal width are as good as any.
    if style.edges == "quantile" and len(present):
        return Bins.quantile(present, style.bins, can_be_missing=gaps)
    return Bins.even(ends[0], ends[1], style.bins, can_be_missing=gaps)


def _levels(column: Column, style: Style, values: Values) -> Grouped:
    count, gaps = levels_of(column), can_be_missing(column)
    if style.rare:
        return Grouped.fit(values, count, rare=style.rare, can_be_missing=gaps)
    return Grouped.all(count, can_be_missing=gaps)


def _number(style: Style, ends: Ends, present: Values, rng: Rng) -> NumberEncoder:
    if style.numbers == "minmax":
        return Scale.minmax(*ends)
    # Where no row holds a number, the bounds are all there is to learn from.
    present = present if len(present) else np.array(ends)
    if style.numbers == "standard":
        return Scale.standard(present)
    if style.numbers == "modes":
        return Modes.fit(present, style.modes, rng, onehot=style.levels == "onehot")
    return Quantile.fit(present, style.knots, normal=style.numbers == "quantile_normal")


def _ends(column: Column, values: Values) -> tuple[Ends, Values]:
    """Return the bounds, of the rows where the schema leaves them open, and the entries that are there."""
    present = values[~is_missing(values)]
    bounds = bounds_of(column)
    if bounds is not None:
        return bounds, present
    if len(present) == 0:
        raise SchemaError(
            f"column {column.name!r}: no row holds a number; declare its bounds or make it all_missing."
        )
    return (present.min().item(), present.max().item()), present


def _gaps(column: Column, style: Style, values: Values) -> tuple[Gaps, float]:
    if not can_be_missing(column):
        return "never", 0.0
    if style.missing == "indicator":
        return "indicator", 0.0
    rate = column.missing.rate if column.missing is not None else float(is_missing(values).mean())
    return "at_random", rate


def no_rows(column: Column) -> Values:
    """Return an empty array of the column's type."""
    return np.empty(0, dtype=dtype_of(column))
