import numpy as np
import pyarrow as pa
import pytest

from understudy.testing.neighbours import extreme_row, neighbours, others
from understudy.testing.tables import people


def test_every_neighbour_has_one_row_more_or_one_row_less():
    for what, table in neighbours(people(60)).items():
        assert abs(table.num_rows - 60) == 1, what
        assert table.schema == people(60).schema


def test_neighbours_share_all_rows_but_one():
    rows = [str(row) for row in people(60).to_pylist()]
    for table in neighbours(people(60)).values():
        mine = [str(row) for row in table.to_pylist()]
        assert sum(row not in mine for row in rows) <= 1
        assert sum(row not in rows for row in mine) <= 1


def test_an_extreme_row_is_outside_everything_that_was_seen():
    real, row = people(60), extreme_row(people(60).schema).to_pylist()[0]
    assert row["age"] > max(real.column("age").to_pylist())
    assert row["sex"] not in real.column("sex").to_pylist()


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.decimal128(38, 4), pa.bool_(),
        pa.string(), pa.large_string(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"),
        pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.duration("us"),
        pa.dictionary(pa.int8(), pa.string()),
    ],
    ids=str,
)  # fmt: skip
def test_every_type_has_its_extremes(kind):
    schema = pa.schema([("x", kind)])
    low, high = (extreme_row(schema, low=low).column("x") for low in (True, False))
    assert low.type == high.type == kind
    assert low.to_pylist() != high.to_pylist()


def test_other_tables_share_nothing_but_names_and_types():
    found = others(people(60))
    assert {table.num_rows for table in found.values()} >= {0, 1, 121}
    assert len({table.num_rows for table in found.values()}) == len(found)
    assert all(table.schema == people(60).schema for table in found.values())
    assert np.isneginf(extreme_row(pa.schema([("x", pa.float64())]), low=True).column("x")[0].as_py())
