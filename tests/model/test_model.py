"""A fitted model: row counts, seeds, rejection, the mark it leaves."""

import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from testing.planted import Planted
from understudy.errors import NothingMatches, ParameterError
from understudy.model import model as module
from understudy.synth import load as load_model
from understudy.synth.histogram import Histogram
from understudy.table.builtin import load
from understudy.table.schema import Schema
from understudy.table.table import Table


@pytest.fixture(scope="module")
def drawn_again():
    """A model that cannot honour conditions itself, so that rejection has to."""
    return Planted().fit(load("people", rows=200), progress=False)


def test_a_model_says_what_it_is_and_what_it_promises(drawn_again):
    assert repr(drawn_again) == "Model(planted, 15 columns, certificate: none)"


def test_the_sample_of_a_table_is_a_table_with_a_mark_that_files_carry(drawn_again, tmp_path):
    fake = drawn_again.sample(10)
    assert isinstance(fake, Table)
    assert fake.to_arrow().schema.metadata[b"understudy.synthetic"].startswith(b"planted, understudy")
    path = fake.write(tmp_path / "fake.parquet")
    assert b"understudy.synthetic" in pa.parquet.read_schema(path).metadata


def test_numpy_whole_numbers_are_whole_numbers(drawn_again):
    assert len(drawn_again.sample(np.int64(5), seed=np.int64(3))) == 5


@pytest.mark.parametrize("rows", [-1, 10**10 + 1, 2.0, "3", None, True, [1]], ids=repr)
def test_a_row_count_outside_its_range_is_refused(drawn_again, rows):
    with pytest.raises(ParameterError, match="rows must be a whole number"):
        drawn_again.sample(rows)


def test_no_rows_have_all_columns_also_under_a_condition(drawn_again):
    empty = drawn_again.sample(0, where={"sex": "female"}).to_arrow()
    assert empty.num_rows == 0
    assert empty.schema == drawn_again.sample(3).to_arrow().schema


@pytest.mark.parametrize("where", [{"age": (1_000, None)}, {"age": 40.0, "income": (-5, -4)}], ids=str)
def test_conditions_that_cannot_be_met_are_refused_for_no_rows_too(drawn_again, where):
    for rows in (0, 1):
        with pytest.raises(NothingMatches, match=r"Values of '(age|income)' lie from"):
            drawn_again.sample(rows, where=where)


def test_rejection_gives_exactly_the_rows_that_match(drawn_again):
    where = {"sex": "female", "age": (30, 50), "member": True}
    fake = drawn_again.sample(40, seed=1, where=where).to_arrow()
    assert fake.num_rows == 40
    assert set(fake.column("sex").to_pylist()) == {"female"}
    assert set(fake.column("member").to_pylist()) == {True}
    ages = fake.column("age")
    assert 30 <= pc.min(ages).as_py() <= pc.max(ages).as_py() <= 50


def test_rejection_draws_from_the_conditional_distribution(drawn_again):
    free = drawn_again.sample(40_000, seed=2).to_arrow()
    kept = free.filter(pc.equal(free.column("sex"), "male"))
    asked = drawn_again.sample(10_000, seed=3, where={"sex": "male"}).to_arrow()
    wanted, found = (pc.mean(table.column("age")).as_py() for table in (kept, asked))
    spread = pc.stddev(kept.column("age")).as_py()
    assert abs(wanted - found) < 5 * spread * np.sqrt(1 / 10_000 + 1 / kept.num_rows)


def test_rejection_gives_up_when_nothing_ever_matches(drawn_again):
    began = time.monotonic()
    with pytest.raises(NothingMatches, match="0 of 1,000,000 rows matched in 2,000,000 drawn"):
        drawn_again.sample(1_000_000, where={"age": (18, 19), "education": "doctorate", "sector": "farming"})
    assert time.monotonic() - began < 30


def test_rejection_gives_up_when_too_little_matches(drawn_again, monkeypatch):
    monkeypatch.setattr(module, "TRIES_PER_ROW", 1)
    monkeypatch.setattr(module, "FEWEST_TRIES", 100)
    rare = drawn_again.sample(1).to_arrow().column("height_cm")[0].as_py()
    with pytest.raises(NothingMatches, match="loosen the conditions or ask for fewer rows"):
        drawn_again.sample(5_000, where={"height_cm": rare})


def test_rejection_is_decided_by_the_seed(drawn_again):
    one, two = (drawn_again.sample(9, seed=4, where={"sex": "male"}).to_arrow() for _ in range(2))
    assert one.equals(two)


def test_ids_do_not_depend_on_what_was_drawn_before_them():
    model = Histogram().fit(load("people", rows=100), progress=False)
    free, bound = (
        model.sample(5, seed=1).to_arrow(),
        model.sample(5, seed=1, where={"sex": "male"}).to_arrow(),
    )
    assert free.column("person_id").equals(bound.column("person_id"))


@pytest.fixture(scope="module")
def ruled():
    """A model of people of whom a rule is said that many of them break."""
    table = load("people", rows=200)
    schema = Schema.infer(table).model_copy(update={"rules": ("age >= 40", "country is not missing")})
    return Planted().fit(table, schema=schema, progress=False)


def test_rules_hold_in_every_row_also_under_a_condition_and_after_saving(ruled, tmp_path):
    for model in (ruled, load_model(ruled.save(tmp_path / "model"), recipe=Planted)):
        for where in (None, {"sex": "male", "age": (None, 50)}):
            fake = model.sample(60, seed=3, where=where).to_arrow()
            assert fake.num_rows == 60
            assert pc.min(fake.column("age")).as_py() >= 40


def test_no_rows_keep_every_rule(ruled):
    assert ruled.sample(0).to_arrow().num_rows == 0


def test_a_condition_that_no_rule_allows_matches_nothing(ruled):
    with pytest.raises(NothingMatches):
        ruled.sample(0, where={"age": (None, 35)})
    with pytest.raises(NothingMatches, match="keeps rule 1 of the schema"):
        ruled.sample(5, where={"age": (None, 35)})
