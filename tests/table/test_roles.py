import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import InputError, SchemaError
from understudy.table.coded import CodedColumn, CodedTable
from understudy.table.roles import overlap, refuse_unfit_tables, row_keys, said_of_roles
from understudy.table.schema import Schema
from understudy.table.table import Table

RNG = np.random.default_rng(0)


def keys(values):
    return np.asarray(values).astype(np.int64).view(np.uint64)


def fresh(rows, levels, seed):
    return keys(np.random.default_rng(seed).integers(levels, size=rows))


def test_equal_rows_have_equal_keys_and_others_do_not():
    domain = (CodedColumn("x", quantity=True), CodedColumn("s", levels=9, known=9))
    x, s = np.arange(100_000) % 300 / 7, (np.arange(100_000) // 300 % 9).astype(np.int32)
    found = row_keys(CodedTable(domain, {"x": x, "s": s}))
    assert len(np.unique(found)) == len({*zip(x.tolist(), s.tolist(), strict=True)})


def test_missing_cells_and_both_zeros_have_one_key_each():
    other_nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    table = CodedTable((CodedColumn("x", quantity=True),), {"x": np.array([np.nan, other_nan, 0.0, -0.0])})
    found = row_keys(table)
    assert found[0] == found[1] != found[2] == found[3]


def test_the_same_cells_in_exchanged_columns_are_another_row():
    domain = (CodedColumn("a", quantity=True), CodedColumn("b", quantity=True))
    found = row_keys(CodedTable(domain, {"a": np.array([1.0, 2.0]), "b": np.array([2.0, 1.0])}))
    assert found[0] != found[1]


def test_a_shuffled_table_is_a_copy():
    shared = overlap(keys(range(40)), RNG.permutation(keys(range(40))))
    assert shared.is_copy and shared.found == 40


def test_tables_of_few_different_rows_agree_by_chance_and_are_no_copies():
    assert not overlap(keys([0, 1, 1, 0]), keys([1, 0, 1, 0])).is_copy
    assert not overlap(keys([0] * 500), keys([0] * 500)).is_copy


@pytest.mark.parametrize("levels", [2, 30, 1_000, 100_000, 10**9])
def test_two_fresh_samples_of_any_law_are_never_suspect(levels):
    for seed in range(20):
        shared = overlap(fresh(2_000, levels, 2 * seed), fresh(700, levels, 2 * seed + 1))
        assert not shared.is_copy and not shared.is_suspect


@pytest.mark.parametrize("rows", [5, 20, 200])
def test_small_training_tables_make_no_sample_suspect(rows):
    for seed in range(50):
        assert not overlap(fresh(rows, 10, seed), fresh(3_000, 10, seed + 50)).is_suspect


def test_a_twentieth_of_training_rows_in_the_holdout_is_suspect():
    train, other = fresh(5_000, 10**9, 0), fresh(2_000, 10**9, 1)
    assert not overlap(train, other).is_suspect
    assert overlap(train, np.concatenate([other[100:], train[:100]])).is_suspect


def test_what_duplicates_explain_is_said():
    shared = overlap(keys([1, 1, 2, 3]), keys([1, 2, 9, 9]))
    assert str(shared) == "50.0% of its rows (duplicates explain 50.0%)"


def test_real_roles_with_the_same_rows_are_refused_in_any_order():
    rows = fresh(60, 10**9, 0)
    for twin in (rows, rows[::-1]):
        with pytest.raises(InputError, match="holdout and reference hold the same rows"):
            said_of_roles({"train": fresh(60, 10**9, 1), "holdout": rows, "reference": twin})


def test_a_synthetic_copy_is_said_and_not_refused():
    rows = fresh(60, 10**9, 0)
    assert said_of_roles({"train": rows, "synthetic": rows}) == [
        "the synthetic table is the train table, row for row"
    ]
    assert said_of_roles({"train": rows, "synthetic": rows[::-1]}) == [
        "the synthetic table is the train table in another order"
    ]
    part = np.concatenate([rows[:55], fresh(5, 10**9, 1)])
    assert said_of_roles({"train": rows, "synthetic": part})[0].startswith(
        "the synthetic table shares rows with the train table: 91.7% of its rows"
    )


def test_fresh_tables_need_no_word():
    assert (
        said_of_roles({"train": fresh(90, 5, 0), "holdout": fresh(30, 5, 1), "synthetic": fresh(9, 5, 2)})
        == []
    )


ONE = Table(pa.table({"a": [1], "b": [2]}))


def test_other_columns_and_empty_tables_are_refused():
    with pytest.raises(SchemaError, match="column 'b' is not in both the train and the synthetic table"):
        refuse_unfit_tables({"train": ONE, "synthetic": Table(pa.table({"a": [1]}))}, None)
    with pytest.raises(InputError, match="the holdout table has no rows"):
        refuse_unfit_tables({"train": ONE, "holdout": Table(ONE.to_arrow().slice(0, 0))}, None)


def schema(**kinds):
    return Schema.model_validate({"columns": [{"name": n, "kind": k} for n, k in kinds.items()]})


def test_a_schema_of_other_columns_is_refused():
    with pytest.raises(SchemaError, match="the schema names column 'c', which the tables lack"):
        refuse_unfit_tables({"train": ONE, "synthetic": ONE}, schema(a="id", b="id", c="id"))
    with pytest.raises(SchemaError, match="the schema does not name column 'b'"):
        refuse_unfit_tables({"train": ONE, "synthetic": ONE}, schema(a="id"))


def test_an_ignored_column_may_be_absent():
    without = Table(pa.table({"a": [1]}))
    refuse_unfit_tables({"train": ONE, "synthetic": without}, schema(a="numerical", b="ignore"))
