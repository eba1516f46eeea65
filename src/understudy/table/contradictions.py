"""What a schema says of a column and its rows deny.

Whoever writes a schema means it. A statement that the rows contradict is refused with a count, never
passed over. Private fits do not come here: there a refusal would tell something about the rows.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.errors import SchemaError
from understudy.table.arrow_types import from_text, value_type
from understudy.table.columns import level_array
from understudy.table.grid import Grid, grid_of
from understudy.table.schema import TIME_KINDS, Column

__all__ = ["refuse_contradictions"]

_SURPRISE = 6.0  # standard errors between a stated missing rate and the rows' own: never by chance
_FLOAT_NOISE = 1e-6  # of a step: 0.1 + 0.2 is still meant to lie on a grid of 0.1


def refuse_contradictions(said: Column, full: Column, cells: pa.ChunkedArray) -> None:
    """Refuse a column of a schema if its rows deny what was said; `full` is the same, completed.

    >>> said = Column(name="x", kind="all_missing", type="int64")
    >>> refuse_contradictions(said, said, pa.chunked_array([[1, 2]]))
    Traceback (most recent call last):
    understudy.errors.SchemaError: column 'x': said to be all missing, and 2 rows hold a value; \
take another kind, or ignore to leave it out.
    """
    who, there = f"column {said.name!r}", len(cells) - _missing(cells)
    if said.kind == "ignore":
        return
    if said.kind == "all_missing" and there:
        raise SchemaError(
            f"{who}: said to be all missing, and {there:,} rows hold a value; "
            "take another kind, or ignore to leave it out."
        )
    if said.kind == "boolean":
        _refuse_more_than_two(full, who)
    if said.kind == "constant":
        _refuse_other_than_the_constant(full, cells, who)
    if said.missing is not None and len(cells):
        _refuse_other_rate(said.missing.rate, 1 - there / len(cells), len(cells), who)
    if said.resolution is not None and (said.kind in TIME_KINDS or said.kind == "numerical"):
        _refuse_off_grid(full, cells, who)


def _missing(cells: pa.ChunkedArray) -> int:
    return int(pc.sum(pc.is_null(cells, nan_is_null=True)).as_py() or 0)


def _refuse_more_than_two(full: Column, who: str) -> None:
    kind = value_type(from_text(str(full.type)))
    count = len(full.levels.values) if full.levels is not None else 0
    if not pa.types.is_boolean(kind) and count != 2:
        raise SchemaError(
            f"{who}: a boolean column of type {kind} needs exactly two levels; got {count:,}. "
            "Declare two, or make it categorical."
        )


def _refuse_other_than_the_constant(full: Column, cells: pa.ChunkedArray, who: str) -> None:
    level = level_array(full)[0]
    try:
        same = pc.equal(cells.cast(level.type), level)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise SchemaError(f"{who}: type {cells.type} does not fit the schema's {level.type}.") from None
    other = len(cells) - _missing(cells) - int(pc.sum(same).as_py() or 0)
    if other:
        raise SchemaError(
            f"{who}: said to be constant, and {other:,} rows hold another value; take another kind."
        )


def _refuse_other_rate(said: float, found: float, rows: int, who: str) -> None:
    error = max(math.sqrt(rate * (1 - rate) / rows) for rate in (said, found))
    if abs(said - found) > _SURPRISE * error:
        raise SchemaError(
            f"{who}: its missing rate is said to be {said:.3g}, and its rows' is {found:.3g}; "
            "leave `missing` out, it is learned from the rows."
        )


def _refuse_off_grid(full: Column, cells: pa.ChunkedArray, who: str) -> None:
    grid = grid_of(full)
    assert grid is not None, "a resolution makes a grid"
    flat = pc.drop_null(cells).combine_chunks().cast(grid.kind)
    flat = flat if isinstance(flat, pa.Array) else pa.concat_arrays(flat.chunks)
    back = grid.from_steps(grid.to_steps(flat, who))
    beside = _beside(flat, back, grid)
    if beside:
        raise SchemaError(
            f"{who}: {beside:,} rows lie between two steps of its resolution; "
            "take a finer one, leave it out, or round the rows."
        )


def _beside(flat: pa.Array, back: pa.Array, grid: Grid) -> int:
    """Count the cells that the grid does not give back."""
    if not pa.types.is_floating(grid.kind):
        return int(pc.sum(pc.not_equal(flat, back)).as_py() or 0)
    values, found = (np.asarray(cells.cast(pa.float64()).fill_null(np.nan)) for cells in (flat, back))
    values, found = values[~np.isnan(values)], found[~np.isnan(values)]
    spacing = np.spacing(np.abs(values).astype(grid.kind.to_pandas_dtype())).astype(np.float64)
    noise = _FLOAT_NOISE * 10.0**-grid.decimals + 4 * spacing
    return int((np.abs(values - found) > noise).sum())
