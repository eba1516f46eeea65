"""Fitting a recipe and comparing what it gives, in one wording for all checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.testing.tables import people

__all__ = ["Check", "as_bytes", "fit", "fit_people", "in_arrow", "refused"]

Check = Callable[[Recipe], None]


def fit(recipe: Recipe, table: object, **given: Any) -> Model:
    """Fit without a progress bar, with seed 0 unless another is given."""
    return recipe.fit(table, **({"seed": 0, "progress": False} | given))


@lru_cache(maxsize=4)
def fit_people(recipe: Recipe) -> Model:
    """Fit the table with every kind of column; many checks only sample, and share this model."""
    return fit(recipe, people())


def in_arrow(sample: Any) -> pa.Table:
    """Return a sample of a model that was fitted to an Arrow table, after checking that it is one."""
    assert isinstance(sample, pa.Table), f"an Arrow table was fitted and a {type(sample).__name__} came back"
    return sample


def as_bytes(sample: Any) -> bytes:
    """Return the bytes of a table: equal bytes are equal names, types, order and cells."""
    sink = pa.BufferOutputStream()
    table = in_arrow(sample).combine_chunks()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def refused(act: Callable[[], object], wanted: type[UnderstudyError], what: str) -> None:
    """Assert that the act is refused with an error of the wanted type."""
    try:
        act()
    except wanted:
        return
    except Exception as error:
        got = type(error).__name__
        raise AssertionError(f"{what}: expected {wanted.__name__}; got {got}") from error
    raise AssertionError(f"{what}: expected {wanted.__name__}; it was accepted")
