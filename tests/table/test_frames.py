from __future__ import annotations

import json
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.frames import Frame, FrameColumn, ingest, to_pandas, to_polars

NOT_FRAMES = [
    None, 1, 1.5, True, b"bytes", object(), print, [], [[1, 2]], {}, {"a": [1]}, (1, 2), {1}, range(3),
    np.ones((2, 2)),
    pd.Series([1]), pd.Index([1]), pl.Series([1]), pa.array([1]), pa.chunked_array([[1]]), pa.schema([]),
    json,
]  # fmt: skip


@pytest.mark.parametrize("data", NOT_FRAMES, ids=lambda data: type(data).__name__)
def test_what_is_no_frame_is_refused_with_advice(data):
    with pytest.raises(FrameError):
        ingest(data)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "1", '"x"', "{}", '{"kind": "pandas"}', '{"kind": "pandas", "columns": 1}',
     '{"kind": "excel", "columns": []}', '{"kind": [], "columns": []}', '{"kind": "pandas", "columns": [1]}',
     '{"kind": "pandas", "columns": [{"name": "a"}]}',
     '{"kind": "pandas", "columns": [{"name": 1, "dtype": "a", "type": "b"}]}',
     '{"kind": "pandas", "columns": [{"name": "a", "dtype": "b", "type": "c", "rows": 1}]}', "[" * 100_000],
    ids=lambda text: text[:60],
)  # fmt: skip
def test_json_that_is_no_frame_is_refused(text):
    with pytest.raises(FrameError):
        Frame.from_json(text)


def test_a_frame_is_a_value():
    column = FrameColumn("a", "int64", "int64")
    assert Frame("pandas", (column,)) == Frame("pandas", (column,))
    with pytest.raises(AttributeError):
        Frame("pandas", ()).kind = "polars"


def test_a_subclass_of_a_pandas_frame_is_read_as_pandas():
    class Own(pd.DataFrame):
        pass

    assert ingest(Own({"a": [1]}))[1].kind == "pandas"


def test_global_random_state_is_not_touched():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the state that must stay as it is
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    arrow, frame = ingest(pd.DataFrame({"a": [1, 2], "b": ["x", None]}))
    frame.restore(arrow)
    to_pandas(arrow)
    to_polars(arrow)
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002


def test_unicode_and_hostile_names_survive_every_kind_of_frame():
    names = [
        "é",
        "🙂",
        "a b",
        "a\nb",
        "a,b",
        '"',
        "'",
        ";",
        "--",
        "__proto__",
        "../x",
        "{}",
        "%s",
        "\u202e",
        "=1+1",
    ]
    arrow = pa.table({name: [1] for name in names})
    import duckdb

    for data in (arrow, arrow.to_pandas(), pl.from_arrow(arrow), duckdb.from_arrow(arrow)):
        rows, frame = ingest(data)
        assert rows.schema.names == names
        assert list(frame.restore(rows).columns if frame.kind != "arrow" else names) == names
