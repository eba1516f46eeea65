"""How likely a model finds somebody's rows: the exact log-density, where a method has one.

A level and a missing cell count by their probability, an exact quantity (whole numbers, decimals, times) by
the probability of its step, any other number by its density per unit of the column. Ids, constants and
ignored columns have no part in it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from understudy.model.sampler import Sampler
from understudy.table.columns import to_columns
from understudy.table.read import read
from understudy.table.schema import Schema

__all__ = ["log_density_of"]


def log_density_of(frame: object, schema: Schema, sampler: Sampler) -> npt.NDArray[np.float64]:
    """Return one number per row; -inf for a row that the model never draws, such as one out of its bounds."""
    arrow = read(frame).to_arrow()
    columns = to_columns(arrow, _with_room(schema))
    found = sampler.log_density(columns)
    # Without a column that is modelled a sampler cannot count the rows; there all of them are certain.
    return found if columns else np.zeros(arrow.num_rows)


def _with_room(schema: Schema) -> Schema:
    """Return the schema without what a row can break and still be asked about: bounds, and no nulls."""
    room = {"nullable": True, "bounds": None}
    columns = tuple(column.model_copy(update=room) for column in schema.columns)
    return schema.model_copy(update={"columns": columns})
