"""A schema that the rows deny is refused with a count, and one that they bear out is not."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from understudy.errors import SchemaError
from understudy.table.contradictions import refuse_contradictions
from understudy.table.infer import complete
from understudy.table.schema import Column, Levels, Missing, Schema
from understudy.table.table import Table

NOON = dt.datetime(2024, 1, 1, 12)


def said(cells, **parts):
    array = cells if isinstance(cells, pa.Array) else pa.array(cells)
    return complete(Schema(columns=(Column(name="c", **parts),)), Table(pa.table({"c": array})))


@pytest.mark.parametrize(("cells", "parts", "message"), [
    ([1, None, 2], {"kind": "all_missing"}, "2 rows hold a value; take another kind"),
    ([1.5, float("nan")], {"kind": "all_missing"}, "1 rows hold a value"),
    (["a", "b", "c"], {"kind": "boolean"}, "exactly two levels; got 3"),
    ([0, 0], {"kind": "boolean"}, "exactly two levels; got 1"),
    (["a", "b"], {"kind": "boolean", "levels": Levels(values=("a", "b", "c"))}, "exactly two levels; got 3"),
    ([1, 2, 2], {"kind": "constant", "levels": Levels(values=(1,))}, "2 rows hold another value"),
    (["x"], {"kind": "constant", "type": "int64", "levels": Levels(values=(1,))}, "does not fit"),
    ([1] * 100, {"kind": "numerical", "missing": Missing(rate=0.5)}, "said to be 0.5, and its rows' is 0"),
    (["a", "b"] * 50, {"kind": "categorical", "missing": Missing(rate=0.5)}, "leave `missing` out"),
    ([None, "a"] * 50, {"kind": "categorical", "missing": Missing(rate=0.0)}, "leave `missing` out"),
    ([f"k{i}" for i in range(100)], {"kind": "id", "missing": Missing(rate=0.5)}, "leave `missing` out"),
    ([10, 25, 30, None], {"kind": "numerical", "resolution": 10.0}, "1 rows lie between two steps"),
    ([0.25, 0.5], {"kind": "numerical", "resolution": 0.1}, "1 rows lie between two steps"),
    ([Decimal("0.25")], {"kind": "numerical", "resolution": 0.1}, "1 rows lie between two steps"),
    ([NOON, NOON], {"kind": "datetime", "resolution": "day"}, "2 rows lie between two steps"),
    ([dt.timedelta(seconds=90)], {"kind": "duration", "resolution": "minute"}, "1 rows lie between"),
])  # fmt: skip
def test_a_statement_that_the_rows_deny_is_refused(cells, parts, message):
    with pytest.raises(SchemaError, match=f"^column 'c': .*{message}"):
        said(cells, **parts)


@pytest.mark.parametrize(("cells", "parts"), [
    (pa.nulls(3, pa.int64()), {"kind": "all_missing"}),
    ([float("nan")], {"kind": "all_missing"}),
    ([1, 2, 3], {"kind": "ignore"}),
    ([True, True], {"kind": "boolean"}),
    (["yes", "no", None], {"kind": "boolean"}),
    ([1, 1], {"kind": "boolean", "levels": Levels(values=(0, 1))}),
    ([1, None], {"kind": "constant", "levels": Levels(values=(1,))}),
    ([1.5, float("nan")], {"kind": "constant"}),
    ([1, None] * 50, {"kind": "numerical", "missing": Missing(rate=0.45)}),
    ([1] * 999 + [None], {"kind": "numerical", "missing": Missing(rate=0.0)}),
    (pa.array([], pa.int64()), {"kind": "all_missing", "missing": Missing(rate=0.5)}),
    ([10, 20, None], {"kind": "numerical", "resolution": 10.0}),
    ([0.1 + 0.2, 1e9 + 0.1], {"kind": "numerical", "resolution": 0.1}),
    (pa.array([0.1, 16_777.3], pa.float32()), {"kind": "numerical", "resolution": 0.1}),
    (pa.array([0.5, float("nan")], pa.float16()), {"kind": "numerical", "resolution": 0.1}),
    ([Decimal("0.50")], {"kind": "numerical", "resolution": 0.1}),
    ([NOON], {"kind": "datetime", "resolution": "hour"}),
])  # fmt: skip
def test_a_statement_that_the_rows_bear_out_is_accepted(cells, parts):
    assert said(cells, **parts).column("c").kind == parts["kind"]


def test_an_error_never_shows_a_cell():
    column = Column(name="c", kind="all_missing", type="string")
    with pytest.raises(SchemaError) as caught:
        refuse_contradictions(column, column, pa.chunked_array([["secret"]]))
    assert "secret" not in str(caught.value)
