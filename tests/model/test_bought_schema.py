import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from understudy.errors import BudgetError
from understudy.model.bought_schema import buy_schema
from understudy.table.table import Table

TABLE = pa.table({"x": np.linspace(3.0, 500.0, 5_000), "s": ["a", "b"] * 2_500})


def test_everything_is_bought_and_nothing_is_observed():
    schema, certificate = buy_schema(TABLE, us.Budget(epsilon=2.0, delta=1e-6), progress=False)
    assert schema.observed() == []
    assert schema.column("s").levels.values == ("a", "b")
    assert schema.column("x").bounds.low <= 64 and schema.column("x").bounds.high == 512
    assert certificate.sound and certificate.epsilon(1e-6) <= 2.0
    assert {entry.phase for entry in certificate.entries} == {"schema"}


def test_the_whole_budget_goes_into_the_schema():
    _, certificate = buy_schema(TABLE, us.Budget(epsilon=0.5, delta=1e-6), progress=False)
    assert certificate.epsilon(1e-6) > 0.49


def test_a_run_folder_remembers_what_was_spent(tmp_path):
    budget = us.Budget(epsilon=0.5, delta=1e-6)
    buy_schema(TABLE, budget, run=tmp_path / "run", progress=False)
    with pytest.raises(BudgetError):
        buy_schema(TABLE, budget, run=tmp_path / "run", progress=False)


def test_a_schema_bought_of_a_part_that_was_picked_says_so():
    picked = Table(TABLE, condition="rows were picked by looking")
    _, certificate = buy_schema(picked, us.Budget(epsilon=2.0, delta=1e-6), progress=False)
    assert {entry.condition for entry in certificate.entries} == {"rows were picked by looking"}
