"""Every real table goes through both methods and both kinds of file, and keeps dtypes and missing rates."""

import numpy as np
import pyarrow.compute as pc
import pytest

import understudy as us
from understudy.synth.gaussian_copula import GaussianCopula
from understudy.synth.histogram import Histogram

NAMES = [
    "abalone", "adult", "bank_marketing", "bean", "cardio", "city_payments", "credit_default", "faults",
    "housing", "insurance", "loan", "phishing", "robot", "wine",
]  # fmt: skip
RECIPES = {"histogram": Histogram(), "gaussian_copula": GaussianCopula()}


def missing_rates(arrow):
    return np.array([arrow.column(name).null_count / max(arrow.num_rows, 1) for name in arrow.schema.names])


def go_through(table, recipe, rows, folder):
    real = table.to_arrow()
    fake = recipe.fit(table, progress=False).sample(rows, seed=1)
    arrow = fake.to_arrow()
    assert arrow.schema.names == real.schema.names
    assert arrow.schema.types == real.schema.types
    # Hoeffding at 1e-8 for each column, so below 1e-6 for any table here.
    assert (abs(missing_rates(arrow) - missing_rates(real)) <= np.sqrt(np.log(2e8) / (2 * rows))).all()
    again = us.read(fake.write(folder / "fake.parquet")).to_arrow()
    assert again.equals(arrow)
    text = us.read(fake.write(folder / "fake.csv"), guarded=True).to_arrow()
    assert text.schema.names == arrow.schema.names
    for name in arrow.schema.names:
        wanted, found = arrow.column(name), text.column(name)
        assert found.type == wanted.type, name
        assert found.equals(wanted), name


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", NAMES)
def test_a_real_table_keeps_its_types_and_missing_rates_through_csv_and_parquet(
    datasets, name, recipe, tmp_path
):
    go_through(us.read(datasets / f"{name}.csv.gz"), RECIPES[recipe], 3_000, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", NAMES)
def test_a_real_table_does_so_at_its_full_size(datasets, name, recipe, tmp_path):
    table = us.read(datasets / f"{name}.csv.gz")
    go_through(table, RECIPES[recipe], len(table), tmp_path)


def test_the_list_is_all_that_there_is(datasets):
    assert sorted(path.name.removesuffix(".csv.gz") for path in datasets.glob("*.csv.gz")) == NAMES


@pytest.mark.parametrize("recipe", RECIPES)
def test_rows_of_a_condition_come_from_a_real_table(datasets, recipe):
    model = RECIPES[recipe].fit(datasets / "adult.csv.gz", progress=False)
    fake = model.sample(500, seed=2, where={"sex": "Female", "age": (30, 40)}).to_arrow()
    assert set(fake.column("sex").to_pylist()) == {"Female"}
    ages = pc.min_max(fake.column("age")).as_py()
    assert 30 <= ages["min"] <= ages["max"] <= 40
