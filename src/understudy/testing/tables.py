"""The small tables that the checks fit, all of them generated."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from understudy.rng import stream
from understudy.table.builtin import load

__all__ = ["HOSTILE_WORDS", "half_missing", "hostile_tables", "hostile_words", "people"]

HOSTILE_WORDS = [
    "naïve café", "漢字", "العربية", "🙂", "a.b", "a/b", "..", "__class__", "names", "correlation", "0.upper",
    '"quoted"', "x'; DROP TABLE people; --", "tab\there", "line\nbreak", "{}", "%s", "null", "None", "NaN",
    " blank before", "blank after ", "=1+1", "-", "\\", "e\u0301", "é", "a" * 500, "seed", "rows",
]  # fmt: skip


@lru_cache(maxsize=8)
def people(rows: int = 240) -> pa.Table:
    """Return a table with every kind of column, missing values included."""
    return load("people", rows=rows).to_arrow()


@lru_cache(maxsize=4)
def half_missing(rows: int = 1_000) -> pa.Table:
    """Return a table in which every kind of column is often missing, at rates 1/2, 1/4 and 3/4."""
    rng = stream(1, "half missing")
    word = pa.array(rng.choice(["red", "green", "blue"], rows))
    columns = {
        "number": (pa.array(rng.normal(size=rows)), 0.5),
        "count": (pa.array(rng.integers(0, 500, rows)), 0.25),
        "word": (word, 0.5),
        "grade": (pa.array(rng.integers(1, 6, rows)), 0.75),
        "truth": (pa.array(rng.random(rows) < 0.5), 0.5),
        "moment": (pa.array(rng.integers(0, 10**9, rows)).view(pa.timestamp("s")), 0.25),
    }
    return pa.table(
        {name: _with_holes(cells, rng.random(rows) < rate) for name, (cells, rate) in columns.items()}
    )


def hostile_words(rows: int = 120) -> pa.Table:
    """Return a table whose names and levels are the words that break careless code."""
    rng = stream(2, "hostile words")
    names = [word for word in HOSTILE_WORDS if word.strip()]
    columns = {name: pa.array(rng.normal(size=rows)) for name in names[1:]}
    levels = [*HOSTILE_WORDS, ""]
    return pa.table(
        {names[0]: pa.array(levels * (rows // len(levels)) + levels[: rows % len(levels)]), **columns}
    )


@lru_cache(maxsize=1)
def hostile_tables() -> dict[str, pa.Table]:
    """Return tables of an odd shape or with odd values, each under the name of what is odd."""
    rng = stream(3, "hostile tables")
    return {**_small(), **_one_kind(rng), **_odd_values(rng)}


def _small() -> dict[str, pa.Table]:
    pair = pa.table({"n": [1, 2], "x": [0.5, None], "s": ["a", "b"], "t": [True, False]})
    return {
        "one_row": pair.slice(0, 1),
        "two_rows": pair,
        "one_column": pa.table({"x": stream(4, "one column").normal(size=60)}),
    }


def _one_kind(rng: np.random.Generator) -> dict[str, pa.Table]:
    words = [f"w{code}" for code in range(4)]
    ids = [f"K-{number:05d}" for number in rng.permutation(90_000)[:60]]
    mixed = {"n": pa.array(rng.integers(0, 99, 60)), "s": pa.array(rng.choice(words, 60))}
    return {
        "no_numbers": pa.table({f"s{i}": rng.choice(words, 60) for i in range(3)}),
        "no_levels": pa.table({f"x{i}": rng.normal(size=60) for i in range(3)}),
        "only_ids": pa.table({"key": ids}),
        "ids_among_others": pa.table({"key": ids, **mixed}),
        "two_hundred_columns": pa.table({f"x{i}": rng.normal(size=60) for i in range(200)}),
    }


def _odd_values(rng: np.random.Generator) -> dict[str, pa.Table]:
    number = pa.array(rng.normal(size=60))
    level = pa.DictionaryArray.from_arrays(pa.array([0] * 60, pa.int8()), pa.array(["only"]))
    return {
        "only_constants": pa.table({"a": [7] * 60, "b": ["x"] * 60}),
        "all_missing": pa.table({"a": pa.nulls(60, pa.float64()), "b": pa.nulls(60, pa.string())}),
        "a_missing_column": pa.table({"a": pa.nulls(60, pa.int64()), "x": number}),
        "one_level": pa.table({"s": level, "x": number}),
        "huge_and_tiny_numbers": pa.table({"x": _extremes(), "n": [-(2**61), 2**61, 0, 1] * 15}),
    }


def _extremes() -> pa.Array:
    return pa.array([1e300, -1e300, 5e-324, -0.0, 0.0, 1.0] * 10)


def _with_holes(cells: pa.Array, holes: np.ndarray) -> pa.Array:
    return pa.array(cells.to_pylist(), type=cells.type, mask=holes)
