from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.tables import HOSTILE_WORDS, half_missing, hostile_tables, hostile_words, people


def test_people_has_every_kind_of_column():
    kinds = {column.kind for column in Schema.infer(Table(people())).columns}
    assert kinds >= {
        "id", "numerical", "categorical", "ordinal", "boolean", "date", "datetime", "time", "duration",
        "constant", "all_missing",
    }  # fmt: skip


def test_half_missing_is_missing_at_its_stated_rates():
    table = half_missing()
    rates = {name: table.column(name).null_count / len(table) for name in table.schema.names}
    assert {name: round(4 * rate) for name, rate in rates.items()} == {
        "number": 2, "count": 1, "word": 2, "grade": 3, "truth": 2, "moment": 1,
    }  # fmt: skip


def test_hostile_words_are_distinct_names_and_levels():
    table = hostile_words()
    assert len(set(HOSTILE_WORDS)) == len(HOSTILE_WORDS) == table.num_columns
    assert set(table.column(0).to_pylist()) == {*HOSTILE_WORDS, ""}


def test_the_odd_tables_are_as_odd_as_they_are_called():
    tables = hostile_tables()
    assert tables["one_row"].num_rows == 1
    assert tables["two_rows"].num_rows == 2
    assert tables["two_hundred_columns"].num_columns == 200
    assert tables["all_missing"].drop_null().num_rows == 0
    kinds = {name: [c.kind for c in Schema.infer(Table(table)).columns] for name, table in tables.items()}
    assert kinds["only_ids"] == ["id"]
    assert kinds["only_constants"] == ["constant", "constant"]
    assert set(kinds["no_numbers"]) == {"categorical"}
    assert set(kinds["no_levels"]) == {"numerical"}


def test_tables_are_the_same_every_time():
    people.cache_clear()
    first = people(50)
    people.cache_clear()
    assert people(50).equals(first)
