"""How likely a model finds somebody's rows: the exact log-density, where a method has one.

A level and a missing cell count by their probability, an exact quantity (whole numbers, decimals, times) by
the probability of its step, any other number by its density per unit of the column. Ids, constants and
ignored columns have no part in it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.model.sampler import Sampler
from understudy.table.columns import modelled, to_columns, unknown_levels
from understudy.table.read import read
from understudy.table.schema import Schema

__all__ = ["log_density_of"]


def log_density_of(frame: object, schema: Schema, sampler: Sampler) -> npt.NDArray[np.float64]:
    """Return one number per row; -inf for a row that the model never draws, such as one out of its bounds."""
    arrow = read(frame).to_arrow()
    told = _told(arrow, schema)
    columns = to_columns(arrow.filter(pa.array(told)), _with_room(schema))
    found = np.full(arrow.num_rows, -np.inf)
    # Without a column that is modelled a sampler cannot count the rows; there all of them are certain.
    found[told] = sampler.log_density(columns) if columns else 0.0
    return found


def _told(arrow: pa.Table, schema: Schema) -> npt.NDArray[np.bool_]:
    """Say which rows have no level that a budget left untold; where none was bought, such are mistakes."""
    told = np.ones(arrow.num_rows, dtype=bool)
    for column in modelled(schema):
        bought = column.levels is not None and column.levels.source == "bought"
        if bought and column.name in arrow.column_names:
            told &= ~unknown_levels(arrow, column)
    return told


def _with_room(schema: Schema) -> Schema:
    """Return the schema without what a row can break and still be asked about: bounds, and no nulls."""
    room = {"nullable": True, "bounds": None}
    columns = tuple(column.model_copy(update=room) for column in schema.columns)
    return schema.model_copy(update={"columns": columns})
