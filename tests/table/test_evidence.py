import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from understudy.errors import FrameError, InputError, ReadError, SchemaError
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema
from understudy.table.table import Table


def people(rows=60, seed=0, **changes):
    rng = np.random.default_rng(seed)
    columns = {
        "age": pa.array(rng.integers(18, 90, rows)),
        "income": pa.array(rng.normal(3e4, 1e4, rows).round(2)),
        "sex": pa.array(rng.choice(["F", "M"], rows)),
    }
    return pa.table({**columns, **changes})


TRAIN, HOLDOUT, SYNTHETIC = people(), people(30, 1), people(50, 2)


def test_a_table_is_found_in_its_role_and_an_absent_one_is_asked_for():
    evidence = Evidence(train=TRAIN, synthetic=SYNTHETIC)
    assert evidence.has("train") and not evidence.has("holdout")
    assert len(evidence.table("synthetic")) == 50
    with pytest.raises(
        InputError, match=r"this needs a holdout table; give --holdout, or holdout= in Python"
    ):
        evidence.table("holdout")
    with pytest.raises(InputError, match="this needs a holdout table"):
        evidence.coded("holdout")


@pytest.mark.parametrize("role", ["train", "synthetic"])
def test_both_a_train_and_a_synthetic_table_are_needed(role):
    tables = {"train": TRAIN, "synthetic": SYNTHETIC, role: None}
    with pytest.raises(InputError, match=f"a {role} table is needed; got None"):
        Evidence(**tables)


def test_what_is_no_table_is_refused():
    for thing in ([1, 2], {"a": [1]}, 7, np.zeros((2, 2))):
        with pytest.raises(FrameError):
            Evidence(train=thing, synthetic=SYNTHETIC)
    with pytest.raises(ReadError):
        Evidence(train="no such file.csv", synthetic=SYNTHETIC)
    with pytest.raises(InputError, match="schema must be a Schema; got dict"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC, schema={"columns": []})


def test_frames_tables_and_paths_give_the_same_codes(tmp_path):
    polars = pytest.importorskip("polars")
    csv, parquet = tmp_path / "train.csv", tmp_path / "train.parquet"
    Table(TRAIN).write(csv)
    Table(TRAIN).write(parquet)
    kinds = [TRAIN.to_pandas(), polars.from_arrow(TRAIN), Table(TRAIN), csv, str(parquet)]
    wanted = Evidence(train=TRAIN, holdout=HOLDOUT, synthetic=SYNTHETIC)
    for train in kinds:
        found = Evidence(train=train, holdout=HOLDOUT, synthetic=SYNTHETIC)
        for role in ("train", "holdout", "synthetic"):
            for name in ("age", "income", "sex"):
                assert np.array_equal(found.coded(role)[name], wanted.coded(role)[name])


def test_the_caller_s_frame_is_not_touched():
    frame = TRAIN.to_pandas()
    before = frame.copy(deep=True)
    Evidence(train=frame, synthetic=SYNTHETIC).coded("train")
    pd.testing.assert_frame_equal(frame, before)


def test_codes_cannot_be_written_into():
    with pytest.raises(ValueError, match="read-only"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC).coded("train")["age"][0] = 1.0


def test_the_order_of_columns_is_that_of_the_training_rows():
    evidence = Evidence(train=TRAIN, synthetic=SYNTHETIC.select(["sex", "income", "age"]))
    assert evidence.coding.names == ("age", "income", "sex")
    assert [column.name for column in evidence.coded("synthetic").domain] == ["age", "income", "sex"]


def test_a_synthetic_frame_with_another_type_in_every_column_is_read_in_real_terms():
    other = SYNTHETIC.to_pandas().astype({"age": "float32", "income": "str", "sex": "category"})
    wanted = Evidence(train=TRAIN, synthetic=SYNTHETIC).coded("synthetic")
    found = Evidence(train=TRAIN, synthetic=other).coded("synthetic")
    for name in ("age", "income", "sex"):
        assert np.array_equal(found[name], wanted[name])


def test_real_tables_of_different_types_are_read_as_one():
    holdout = HOLDOUT.to_pandas().astype({"age": "float64", "sex": "category"})
    holdout.loc[0, "age"] = np.nan
    evidence = Evidence(train=TRAIN, holdout=holdout, synthetic=SYNTHETIC)
    assert evidence.schema.column("age").kind == "numerical"
    assert evidence.schema.column("sex").kind == "categorical"
    assert evidence.coded("holdout").column("age").has_missing


def test_a_holdout_without_any_value_in_a_column_leaves_the_kind_to_the_others():
    holdout = people(30, 1, income=pa.nulls(30, pa.string()))
    assert (
        Evidence(train=TRAIN, holdout=holdout, synthetic=SYNTHETIC).schema.column("income").kind
        == "numerical"
    )


def test_real_tables_that_contradict_each_other_are_refused_by_column():
    holdout = people(30, 1, income=pa.array([1] * 30, pa.int64()).view(pa.duration("s")))
    with pytest.raises(SchemaError, match="column 'income' is of type double and duration"):
        Evidence(train=TRAIN, holdout=holdout, synthetic=SYNTHETIC)


def test_other_columns_are_refused_by_name():
    with pytest.raises(SchemaError, match="column 'income' is not in both the train and the synthetic"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC.drop_columns(["income"]))


def test_a_table_without_rows_is_refused():
    with pytest.raises(InputError, match="the synthetic table has no rows"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC.slice(0, 0))


@pytest.mark.parametrize("order", ["same", "shuffled", "as a frame of other types"])
def test_the_same_rows_in_two_real_roles_are_refused(order):
    twin = TRAIN.take(pa.array(np.random.default_rng(3).permutation(60))) if order != "same" else TRAIN
    if order == "as a frame of other types":
        twin = twin.to_pandas().astype({"age": "float64", "sex": "category"})
    with pytest.raises(InputError, match="train and reference hold the same rows"):
        Evidence(train=TRAIN, reference=twin, synthetic=SYNTHETIC)


def test_a_holdout_with_many_training_rows_is_said():
    mixed = pa.concat_tables([TRAIN.slice(0, 45), HOLDOUT.slice(0, 5)])
    notes = Evidence(train=TRAIN, holdout=mixed, synthetic=SYNTHETIC).notes
    assert any("the holdout table shares rows with the train table: 90.0%" in note for note in notes)


def test_rows_that_repeat_by_nature_are_no_offence():
    rng = np.random.default_rng(0)
    one, two = (pa.table({"a": rng.choice(["x", "y"], 500), "b": rng.integers(0, 3, 500)}) for _ in range(2))
    assert Evidence(train=one, holdout=two, synthetic=one.slice(0, 100)).notes == ()


def test_a_synthetic_copy_is_judged_and_said():
    assert Evidence(train=TRAIN, synthetic=TRAIN).notes == (
        "the synthetic table is the train table, row for row",
    )
    shuffled = TRAIN.take(pa.array(np.random.default_rng(3).permutation(60)))
    assert Evidence(train=TRAIN, synthetic=shuffled).notes == (
        "the synthetic table is the train table in another order",
    )


def test_columns_that_are_not_judged_are_counted():
    keys = [[f"K{place}-{t.num_rows}" for place in range(t.num_rows)] for t in (TRAIN, SYNTHETIC)]
    tables = [t.append_column("key", pa.array(k)) for t, k in zip((TRAIN, SYNTHETIC), keys, strict=True)]
    evidence = Evidence(train=tables[0], synthetic=tables[1])
    assert evidence.notes == ("not judged (ids, free text, ignored): 1 column",)


def test_infinite_cells_are_said_to_be_cut_short():
    far = TRAIN.set_column(0, "age", pa.array([float("inf"), *[30.0] * (TRAIN.num_rows - 1)]))
    evidence = Evidence(train=far, synthetic=SYNTHETIC)
    assert any("cut short: age" in note for note in evidence.notes)


def test_the_target_is_the_one_named_or_the_last_column():
    assert Evidence(train=TRAIN, synthetic=SYNTHETIC).target == "sex"
    named = Evidence(train=TRAIN, synthetic=SYNTHETIC, target="age")
    assert named.target == "age" and named.chose_target
    with pytest.raises(InputError, match="the target 'height' is no column that can be judged"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC, target="height")


def schema(*columns):
    return Schema.model_validate({"columns": list(columns)})


def test_a_given_schema_decides_kinds_and_its_levels_are_known():
    given = schema(
        {"name": "age", "kind": "ordinal"},
        {"name": "income", "kind": "numerical", "bounds": {"low": 0, "high": 100000}},
        {"name": "sex", "kind": "categorical", "levels": {"values": ["X", "M", "F"]}},
    )
    evidence = Evidence(train=TRAIN, synthetic=SYNTHETIC, schema=given)
    assert evidence.coded("train").column("sex").known == 3
    assert not evidence.coded("train").column("age").quantity
    assert evidence.schema.column("income").type == "double"


def test_a_given_schema_must_name_the_columns_of_the_tables():
    given = schema({"name": "age", "kind": "numerical"}, {"name": "sex", "kind": "categorical"})
    with pytest.raises(SchemaError, match="the schema does not name column 'income'"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC, schema=given)


def test_an_ignored_column_need_not_be_in_the_synthetic_table():
    given = schema(
        {"name": "age", "kind": "numerical"},
        {"name": "income", "kind": "ignore"},
        {"name": "sex", "kind": "categorical"},
    )
    evidence = Evidence(train=TRAIN, synthetic=SYNTHETIC.drop_columns(["income"]), schema=given)
    assert evidence.coding.names == ("age", "sex")


def test_a_given_schema_that_the_cells_do_not_fit_is_refused():
    given = schema(
        {"name": "age", "kind": "numerical"},
        {"name": "income", "kind": "numerical"},
        {"name": "sex", "kind": "numerical", "type": "int64"},
    )
    with pytest.raises(SchemaError, match="column 'sex' holds numbers; got cells of type string"):
        Evidence(train=TRAIN, synthetic=SYNTHETIC, schema=given)


def test_a_table_that_was_never_read_is_made_plain():
    strange = pa.table({
        "x": pa.array([1.0, float("nan"), 2.0] * 20, pa.float32()),
        "d": pa.array([86_400_000] * 30 + [0] * 30, pa.int64()).view(pa.date64()),
        "s": pa.array(["a", "b", None] * 20).cast(pa.string_view()),
    })  # fmt: skip
    evidence = Evidence(train=Table(strange), synthetic=Table(strange.slice(0, 30)))
    assert np.isnan(evidence.coded("train")["x"][1])
    assert evidence.coded("train")["s"][:3].tolist() == [0, 1, -1]


def test_infinities_and_missing_columns_of_the_synthetic_table_are_judged():
    odd = people(50, 2, age=pa.nulls(50, pa.string()), income=pa.array([np.inf, -np.inf] * 25))
    coded = Evidence(train=TRAIN, synthetic=odd).coded("synthetic")
    assert np.isnan(coded["age"]).all() and np.isfinite(coded["income"]).all()


def test_what_was_made_once_is_kept():
    evidence = Evidence(train=TRAIN, synthetic=SYNTHETIC)
    assert evidence.cached(("total",), lambda: [1]) is evidence.cached(("total",), lambda: [2])


def test_no_error_tells_a_cell():
    secret = people(50, 2, income=pa.array(["SECRET-4711"] * 50))
    with pytest.raises(SchemaError) as caught:
        Evidence(train=TRAIN, synthetic=secret)
    assert "SECRET" not in str(caught.value)


def test_the_parts_of_adult_share_no_more_rows_than_duplicates_explain(datasets):
    from understudy.table.read import read

    whole = read(datasets / "adult.csv.gz").to_arrow()
    train, holdout = whole.slice(0, 32_561), whole.slice(32_561)
    assert Evidence(train=train, synthetic=holdout.slice(0, 8_000), holdout=holdout.slice(8_000)).notes == ()
    leaked = pa.concat_tables([holdout.slice(8_000), train.slice(0, 300)])
    assert len(Evidence(train=train, synthetic=holdout.slice(0, 8_000), holdout=leaked).notes) == 1


@pytest.mark.slow
def test_a_million_rows_of_twenty_columns_are_coded_in_seconds():
    rng, rows = np.random.default_rng(0), 1_000_000
    words = pa.array([f"level-{place}" for place in range(40)])

    def table():
        numbers = {f"x{i}": rng.normal(size=rows) for i in range(10)}
        text = {f"s{i}": words.take(pa.array(rng.integers(0, 40, rows))) for i in range(8)}
        coded = {
            f"d{i}": words.take(pa.array(rng.integers(0, 40, rows))).dictionary_encode() for i in range(2)
        }
        return pa.table({**numbers, **text, **coded})

    train, synthetic = table(), table()
    start = time.perf_counter()
    Evidence(train=train, synthetic=synthetic).coded("synthetic")
    assert time.perf_counter() - start < 20


def test_evidence_loads_no_slow_package():
    slow = "('pandas', 'sklearn', 'torch')"
    code = f"import sys, understudy.table.evidence; print([m for m in {slow} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
