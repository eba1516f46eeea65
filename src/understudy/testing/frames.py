"""Checks: whatever kind of frame goes in comes out, with its dtypes, and is not touched."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa

from understudy.model.recipe import Recipe
from understudy.table.read import read
from understudy.table.table import Table
from understudy.testing.fitting import Check, as_bytes, fit
from understudy.testing.tables import people

__all__ = ["CHECKS"]

_ROWS = 60


def pandas_frames_keep_their_dtypes(recipe: Recipe) -> None:
    """Dtypes of numpy, categories, zoned moments and text."""
    _same_pandas(recipe, _pandas())


def pandas_frames_with_nullable_dtypes_keep_them(recipe: Recipe) -> None:
    """Int64, Float64, boolean and string, with and without missing values."""
    _same_pandas(recipe, _pandas().convert_dtypes())


def pandas_frames_on_arrow_keep_their_dtypes(recipe: Recipe) -> None:
    """Every column held by Arrow inside pandas."""
    pandas = importlib.import_module("pandas")
    real = _plain().to_pandas(types_mapper=pandas.ArrowDtype)
    _same_pandas(recipe, real)


def polars_frames_keep_their_types(recipe: Recipe) -> None:
    """A polars frame comes back as one, with the same schema."""
    polars = importlib.import_module("polars")
    real = polars.from_arrow(people())
    fake = fit(recipe, real).sample(_ROWS, seed=81)
    assert isinstance(fake, polars.DataFrame), f"polars went in and {type(fake).__name__} came out"
    assert fake.schema == real.schema, _differs(real.schema.items(), fake.schema.items())


def arrow_tables_keep_their_types(recipe: Recipe) -> None:
    """Narrow integers, decimals, large text and dictionaries stay what they are."""
    real = _narrow()
    fake = fit(recipe, real).sample(_ROWS, seed=82)
    assert isinstance(fake, pa.Table), f"pyarrow went in and {type(fake).__name__} came out"
    pairs = (zip(table.schema.names, table.schema.types, strict=True) for table in (real, fake))
    assert fake.schema.types == real.schema.types, _differs(*pairs)


def duckdb_relations_keep_their_types(recipe: Recipe) -> None:
    """A duckdb relation comes back as one, with the same types."""
    duckdb = importlib.import_module("duckdb")
    real = duckdb.from_arrow(people().drop_columns(["waited"]))  # it has no length of time, only intervals
    fake = fit(recipe, real).sample(_ROWS, seed=83)
    assert isinstance(fake, duckdb.DuckDBPyRelation), f"duckdb went in and {type(fake).__name__} came out"
    pairs = (zip(frame.columns, map(str, frame.types), strict=True) for frame in (real, fake))
    assert list(map(str, fake.types)) == list(map(str, real.types)), _differs(*pairs)


def tables_and_paths_give_tables(recipe: Recipe) -> None:
    """A Table gives a Table, and so does a file: there is no frame to give back."""
    table = Table(people())
    with tempfile.TemporaryDirectory() as place:
        path = table.write(Path(place) / "people.parquet")
        sources = ((table, table), (path, read(path)), (str(path), read(path)))
        samples = [(fit(recipe, source).sample(_ROWS, seed=84), real) for source, real in sources]
    for fake, real in samples:
        assert isinstance(fake, Table), f"a table or a path went in and {type(fake).__name__} came out"
        assert fake.to_arrow().schema.types == real.to_arrow().schema.types, "the columns have other types"


def the_input_is_untouched(recipe: Recipe) -> None:
    """Fitting and sampling change neither the frame nor its memory."""
    frame, arrow = _pandas(), people()
    kept, before = frame.copy(deep=True), as_bytes(arrow)
    for source in (frame, arrow):
        fit(recipe, source).sample(_ROWS, seed=85)
    same = list(kept.dtypes) == list(frame.dtypes) and kept.equals(frame) and kept.index.equals(frame.index)
    assert same, "the pandas frame was changed by fitting"
    assert as_bytes(arrow) == before, "the Arrow table was changed by fitting"


def _pandas() -> Any:
    pandas = importlib.import_module("pandas")
    frame = _plain().to_pandas(date_as_object=False)
    frame["sector"] = frame["sector"].astype("category")
    schools = ["primary", "secondary", "bachelor", "master", "doctorate"]
    frame["education"] = pandas.Categorical(frame["education"], categories=schools, ordered=True)
    frame["small"] = frame["age"].astype("int8")
    frame["truth"] = frame["age"] > 40
    return frame


def _plain() -> pa.Table:
    """Return people without dictionaries, which the Arrow dtypes of pandas do not hold in all versions."""
    table = people().drop_columns(["starts_at", "fax"])
    for place, name in enumerate(table.schema.names):
        if pa.types.is_dictionary(table.schema.field(name).type):
            table = table.set_column(place, name, table.column(name).cast(pa.string()))
    return table


def _narrow() -> pa.Table:
    table = people()
    extra = {
        "int8": table.column("age").cast(pa.int8()),
        "uint16": table.column("age").cast(pa.uint16()),
        "float32": table.column("height_cm").cast(pa.float32()),
        "decimal": table.column("age").cast(pa.decimal128(21, 2)),
        "large": table.column("sex").cast(pa.large_string()),
        "nanoseconds": table.column("joined").cast(pa.timestamp("ns", tz="Europe/Berlin")),
    }
    for name, cells in extra.items():
        table = table.append_column(name, cells)
    return table


def _same_pandas(recipe: Recipe, real: Any) -> None:
    fake = fit(recipe, real).sample(_ROWS, seed=86)
    assert type(fake) is type(real), f"pandas went in and {type(fake).__name__} came out"
    assert list(fake.columns) == list(real.columns), "the columns have other names or another order"
    assert list(fake.dtypes) == list(real.dtypes), _differs(real.dtypes.items(), fake.dtypes.items())


def _differs(real: Any, fake: Any) -> str:
    for (name, wanted), (_, found) in zip(real, fake, strict=False):
        if wanted != found:
            return f"column {name!r}: {wanted} became {found}"
    return "the columns differ in number"


CHECKS: tuple[Check, ...] = (
    pandas_frames_keep_their_dtypes,
    pandas_frames_with_nullable_dtypes_keep_them,
    pandas_frames_on_arrow_keep_their_dtypes,
    polars_frames_keep_their_types,
    arrow_tables_keep_their_types,
    duckdb_relations_keep_their_types,
    tables_and_paths_give_tables,
    the_input_is_untouched,
)
