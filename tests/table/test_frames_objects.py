from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.errors import FrameError
from understudy.table.frames_objects import ingest_objects, restore_objects

CANARY = "canary-90ab"


def objects(values) -> pd.Series:
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, Decimal("NaN")], ids=repr)
def test_every_spelling_of_missing_is_missing(missing):
    array, word = ingest_objects("x", objects(["a", missing]))
    assert array.to_pylist() == ["a", None]
    assert word == "str"


@pytest.mark.parametrize(
    ("values", "word", "kind"),
    [
        (["a"], "str", pa.string()),
        ([np.str_("a")], "str", pa.string()),
        ([True, np.bool_(False)], "bool", pa.bool_()),
        ([1, np.int64(2)], "int", pa.int64()),
        ([2**63], "int", pa.decimal128(38, 0)),
        ([10**38], "int", pa.decimal256(76, 0)),
        ([1.5, np.float64(2)], "float", pa.float64()),
        ([Decimal("1.5"), Decimal("1.25")], "Decimal", pa.decimal128(38, 2)),
        ([Decimal("1E+3")], "Decimal", pa.decimal128(38, 0)),
        ([Decimal(10**40)], "Decimal", pa.decimal256(76, 0)),
        ([dt.date(2020, 1, 1)], "date", pa.date32()),
        ([dt.time(1)], "time", pa.time64("us")),
        ([None], "none", pa.string()),
        ([], "none", pa.string()),
    ],
)
def test_one_kind_of_object_has_one_type(values, word, kind):
    array, found = ingest_objects("x", objects(values))
    assert (found, array.type) == (word, kind)
    back = restore_objects("x", pa.chunked_array([array]), word, kind)
    assert list(back) == values


@pytest.mark.parametrize(
    "values",
    [
        [CANARY, 1], [1, 2.5], [True, 1], [1, Decimal(1)], [dt.date(2020, 1, 1), dt.datetime(2020, 1, 1)],
        [CANARY, b"x"], [b"x"], [[1]], [{"a": 1}], [(1, 2)], [{1}], [1j], [object()], [dt.datetime(2020, 1,
        1)],
        [pd.Timestamp("2020")], [dt.timedelta(1)], [np.datetime64("2020")], [np.timedelta64(1, "s")],
        [dt.time(1, tzinfo=dt.UTC)], [Decimal("Infinity")], [Decimal("sNaN"), Decimal(1)], ["\ud800"],
        [10**80],
        [Decimal("1e-100")], [pd.Period("2020")], [pd.Interval(0, 1)], [np.array([1])], [print], [type],
        [...],
    ],
    ids=lambda values: type(values[-1]).__name__,
)  # fmt: skip
def test_any_other_object_is_refused_by_column_and_never_shown(values):
    with pytest.raises(FrameError, match="'the column'") as caught:
        ingest_objects("the column", objects(values))
    assert CANARY not in str(caught.value)


def test_the_series_itself_is_not_changed():
    series = objects(["a", np.nan])
    ingest_objects("x", series)
    assert isinstance(series[1], float)
