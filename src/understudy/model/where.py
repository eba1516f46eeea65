"""`where={"sex": "Female", "age": (30, 40)}` in the caller's words -> conditions on columns.

A scalar means equal to it, a tuple of two an inclusive range (None leaves an end open), a list or
set one of these, None missing. Moments without an offset are in the zone of their column; lengths of
time are text such as `01:30:00` or timedeltas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.engines.condition import Among, Between, Condition, Conditions, IsMissing
from understudy.errors import NothingMatches, WhereError
from understudy.model.scale import highest, lowest
from understudy.model.where_length import as_length
from understudy.model.where_moment import in_zone
from understudy.table.arrow_types import from_text, value_type
from understudy.table.columns import level_array, modelled, one_zero
from understudy.table.grid import read_cell
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["parse_where"]

_UNREADABLE = (
    pa.ArrowInvalid,
    pa.ArrowTypeError,
    pa.ArrowNotImplementedError,
    OverflowError,
    TypeError,
    ValueError,
)


def parse_where(where: Mapping[str, Any] | None, schema: Schema) -> Conditions:
    """Return the conditions, or say which column or value cannot be asked for."""
    if where is None:
        return {}
    if not isinstance(where, Mapping):
        raise WhereError(f"where: expected a mapping of column to value; got {type(where).__name__}.")
    known = {column.name: column for column in modelled(schema)}
    fixed = {column.name: column for column in schema.columns if column.kind in {"constant", "all_missing"}}
    conditions: dict[str, Condition] = {}
    for name, wanted in where.items():
        if name in fixed:
            _refuse_other_value(fixed[name], wanted)
        elif name in known:
            column = known[name]
            conditions[name] = (
                _levels(column, wanted) if column.kind in LEVEL_KINDS else _range(column, wanted)
            )
        else:
            few = _few([*known, *fixed])
            raise WhereError(f"where: {name!r} is not a column that can be asked for; choose from {few}.")
    return conditions


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:8]) or "none"
    return shown if len(names) <= 8 else shown + ", ..."


def _refuse_other_value(column: Column, wanted: Any) -> None:
    """A column with one value satisfies a condition always or never."""
    if column.kind == "all_missing":
        met = wanted is None or (isinstance(wanted, list | set | frozenset) and None in wanted)
    else:
        met = bool(_levels(column, wanted).allowed[0])
    if not met:
        raise NothingMatches(f"where: column {column.name!r} holds one value only, and another is asked for.")


def _levels(column: Column, wanted: Any) -> Among:
    levels = level_array(column)
    allowed = np.zeros(len(levels) + 1, dtype=bool)
    if isinstance(wanted, tuple):
        allowed[:-1] = _ordered_range(column, levels, wanted)
    elif isinstance(wanted, list | set | frozenset):
        for value in wanted:
            allowed[_code(column, levels, value)] = True
    else:
        allowed[_code(column, levels, wanted)] = True
    if not allowed.any():
        raise WhereError(f"where: column {column.name!r}: no level is asked for.")
    return Among(allowed)


def _code(column: Column, levels: pa.Array, value: Any) -> int:
    if value is None:
        return -1
    try:
        code = pc.index_in(_scalar(value, levels.type), value_set=levels).as_py()
    except _UNREADABLE:
        code = None
    if code is None:
        raise WhereError(
            f"where: column {column.name!r} has no such level; the schema lists its {len(levels):,}."
            + _if_bought(column)
        )
    return int(code)


def _if_bought(column: Column) -> str:
    """Return what may have become of a level where a budget paid for those that there are."""
    if column.levels is None or column.levels.source != "bought":
        return ""
    return " The budget may have been too small to tell it: declare the levels in a schema."


def _scalar(value: Any, kind: pa.DataType) -> pa.Scalar:
    """Return the value as a cell; text is read as the column's type, so that a command line can ask."""
    if isinstance(value, bool | np.bool_) is not pa.types.is_boolean(kind) and not isinstance(value, str):
        raise ValueError("a truth value is asked of numbers or words, or the other way round")
    if isinstance(value, str) and pa.types.is_boolean(kind):
        value = value.lower()
    value = _meant(value, kind)
    if isinstance(value, str) and pa.types.is_temporal(kind):
        return read_cell(value, kind)[0]
    cell = pa.scalar(value, _long(value, kind))
    if isinstance(value, bytes) or not cell.is_valid:
        raise ValueError("bytes are no text, and a missing value is asked for by None")
    return one_zero(cell.cast(kind))


def _long(value: Any, kind: pa.DataType) -> pa.DataType | None:
    """Return the type of a whole number that is too long for the one that Arrow takes by itself."""
    if not isinstance(value, int | np.integer) or -(2**63) <= int(value) < 2**63:
        return None
    return kind if pa.types.is_decimal(kind) else pa.uint64()


def _ordered_range(column: Column, levels: pa.Array, wanted: tuple[Any, ...]) -> npt.NDArray[np.bool_]:
    if column.kind != "ordinal":
        raise WhereError(
            f"where: column {column.name!r} has no order; ask for a list of levels, not a range."
        )
    low, high = _ends(column, wanted)
    places = np.arange(len(levels))
    first = 0 if low is None else _code(column, levels, low)
    last = len(levels) - 1 if high is None else _code(column, levels, high)
    return np.asarray((places >= first) & (places <= last))


def _range(column: Column, wanted: Any) -> Between | IsMissing:
    if wanted is None:
        return IsMissing()
    if isinstance(wanted, list | set | frozenset):
        raise WhereError(
            f"where: column {column.name!r} is a quantity; ask for one value or a (low, high) range."
        )
    low, high = _ends(column, wanted if isinstance(wanted, tuple) else (wanted, wanted))
    kind = value_type(from_text(str(column.type)))
    floor, ceiling = lowest(column, _meant(low, kind)), highest(column, _meant(high, kind))
    if floor > ceiling:
        raise WhereError(
            f"where: column {column.name!r}: the range is empty: its low end is above its high end, "
            "or no value of the column's resolution lies in it."
        )
    return Between(floor, ceiling)


def _meant(value: Any, kind: pa.DataType) -> Any:
    """Return a time in the words of the scale, which are those of a schema file; all else as it is."""
    return as_length(in_zone(value, kind), kind)


def _ends(column: Column, wanted: tuple[Any, ...]) -> tuple[Any, Any]:
    if len(wanted) != 2:
        raise WhereError(f"where: column {column.name!r}: a range is (low, high); got {len(wanted)} values.")
    return wanted[0], wanted[1]
