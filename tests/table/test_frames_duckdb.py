from __future__ import annotations

import duckdb
import pytest

from understudy.errors import FrameError
from understudy.table.frames import Frame, ingest

CANARY = "canary-6c0d"
EXPRESSIONS = [
    "1::TINYINT", "1::SMALLINT", "1::INTEGER", "1::BIGINT", "1::UTINYINT", "1::USMALLINT", "1::UINTEGER",
    "1::UBIGINT", "170141183460469231731687303715::HUGEINT", "1.5::FLOAT", "1.5::DOUBLE", "true",
    "'a'::VARCHAR",
    "1.50::DECIMAL(4,2)", "1.50::DECIMAL(18,2)", "1.5::DECIMAL(38,10)", "DATE '2020-02-03'",
    "TIME '10:11:12.5'",
    "TIMESTAMP '2020-01-01 00:00:00.1'", "TIMESTAMP_S '2020-01-01 00:00:00'",
    "TIMESTAMP_MS '2020-01-01 00:00:00'",
    "TIMESTAMP_NS '2020-01-01 00:00:00'", "TIMESTAMPTZ '2020-01-01 00:00:00+00'",
    "'00000000-0000-0000-0000-000000000001'::UUID", "'it''s'::ENUM('b', 'it''s', 'un\"used')",
]  # fmt: skip


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        yield opened


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_column_comes_back_identical(connection, expression):
    before = connection.sql(f'SELECT {expression} AS "a ""quoted"" name" UNION ALL SELECT NULL')
    arrow, frame = ingest(before)
    after = Frame.from_json(frame.to_json()).restore(arrow)
    assert isinstance(after, duckdb.DuckDBPyRelation)
    assert after.types == before.types
    assert after.columns == before.columns
    assert after.to_arrow_table().to_pylist() == before.to_arrow_table().to_pylist()


def test_a_relation_outlives_the_connection_it_came_from():
    with duckdb.connect() as opened:
        arrow, frame = ingest(opened.sql("SELECT 1 AS x"))
    assert frame.restore(arrow).fetchall() == [(1,)]


def test_the_stored_frame_holds_no_level(connection):
    text = ingest(connection.sql(f"SELECT 'a'::ENUM('a', '{CANARY}') AS x"))[1].to_json()
    assert CANARY not in text


def test_made_up_text_in_a_uuid_column_stays_text(connection):
    arrow, frame = ingest(connection.sql("SELECT uuid() AS x"))
    made_up = arrow.set_column(0, "x", [["not-a-uuid"]])
    assert frame.restore(made_up).fetchall() == [("not-a-uuid",)]


@pytest.mark.parametrize(
    "expression",
    [
        "[1]",
        "{'a': 1}",
        "'x'::BLOB",
        "INTERVAL 1 MONTH",
        "MAP {'a': 1}",
        "'101'::BIT",
        "'{}'::JSON",
        "[1]::INTEGER[1]",
        "TIMETZ '10:00:00+02'",
        "['a'::ENUM('a')]",
    ],
)
def test_a_type_without_a_place_is_refused_by_name(connection, expression):
    relation = connection.sql(f'SELECT {expression} AS "the column"')
    with pytest.raises(FrameError, match="'the column'"):
        ingest(relation)


def test_a_relation_that_fails_is_refused_without_its_cells(connection):
    relation = connection.sql(f"SELECT CAST(x AS INTEGER) AS y FROM (VALUES ('{CANARY}')) t(x)")
    with pytest.raises(FrameError, match="duckdb") as caught:
        ingest(relation)
    assert CANARY not in str(caught.value)


def test_two_columns_of_one_name_are_refused(connection):
    with pytest.raises(FrameError):
        ingest(connection.sql("SELECT 1 AS a, 2 AS a"))
