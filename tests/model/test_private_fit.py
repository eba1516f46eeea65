"""A private fit from the bare table to the certificate, in every measure and on every odd table."""

import datetime as dt
import math
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import understudy as us
from understudy.errors import BudgetError
from understudy.federated.partition import PARTED, by_column
from understudy.model.private_fit import all_asks
from understudy.privacy import Ask
from understudy.privacy.replay import overreach, recording, replaying, strays, stubbed
from understudy.synth.gaussian_copula import GaussianCopula
from understudy.synth.histogram import Histogram
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.neighbours import extreme_row, neighbours, others
from understudy.testing.tables import hostile_tables, people

RECIPES = [Histogram(), GaussianCopula()]
every_recipe = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name())
MEASURES = [
    us.Budget(epsilon=1.0, delta=1e-6),
    us.Budget.gdp(mu=0.5),
    us.Budget.zcdp(rho=0.05),
    us.Budget.separation(0.1),
    us.Budget.advantage(0.1),
]
KINDS = [
    pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal128(38, 2), pa.large_string(), pa.date64(),
    pa.time32("s"), pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.duration("ms"),
    pa.dictionary(pa.int32(), pa.string()), pa.bool_(),
]  # fmt: skip


def fit(recipe, table, budget=MEASURES[0], **given):
    return recipe.fit(table, budget=budget, progress=False, **given)


def spent(certificate, budget):
    return {
        "epsilon": lambda: certificate.epsilon(budget.delta),
        "mu": certificate.mu,
        "rho": lambda: math.nan,
        "separation": certificate.separation,
        "advantage": lambda: certificate.delta(0.0),
    }[budget.measure]()


def declared(rows=60):
    return Schema.infer(Table(people(rows))).declare()


@every_recipe
@pytest.mark.parametrize("budget", MEASURES, ids=lambda budget: budget.measure)
def test_a_budget_in_any_measure_is_kept_and_nearly_used_up(recipe, budget):
    model = fit(recipe, people(60), budget, schema=declared())
    assert model.certificate.sound
    if budget.measure != "rho":
        assert 0.99 * budget.amount <= spent(model.certificate, budget) <= budget.amount


@every_recipe
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_the_certificate_is_within_one_percent_below_the_budget(recipe, epsilon):
    budget = us.Budget(epsilon=epsilon, delta=1e-9)
    certificate = fit(recipe, people(60), budget).certificate
    assert 0.99 * epsilon <= certificate.epsilon(1e-9) <= epsilon


@pytest.mark.parametrize("epsilon", [0, None, math.inf, -1, math.nan, "1", True])
def test_an_epsilon_that_bounds_nothing_has_no_budget(epsilon):
    with pytest.raises(BudgetError, match="epsilon must be a finite number > 0"):
        us.Budget(epsilon=epsilon)


def test_a_measure_without_delta_says_that_levels_must_be_declared():
    with pytest.raises(BudgetError, match="declare the levels"):
        fit(Histogram(), people(60), us.Budget.zcdp(rho=0.1))


@pytest.mark.parametrize("name", ["histogram", "gaussian_copula", "mst", "aim", "privsyn"])
def test_a_budget_of_mu_buys_levels_of_a_bare_table_and_keeps_to_its_mu(name):
    bare = pa.table({"town": ["A", "B", "B"] * 500, "age": list(range(50)) * 30})
    model = fit(us.synth.get(name)(), bare, us.Budget.gdp(mu=0.5))
    assert model.certificate.sound
    assert 0.49 <= model.certificate.mu() <= 0.5
    assert any(entry.name == "schema.delta" for entry in model.certificate.entries)
    assert model.certificate.epsilon(delta=0.0) == math.inf  # a chance is a chance
    assert set(model.sample(200, seed=0)["town"].to_pylist()) == {"A", "B"}


def test_what_is_declared_is_not_bought_and_what_is_left_open_is():
    full = declared()
    entries = fit(Histogram(), people(60), schema=full).certificate.entries
    assert {entry.phase for entry in entries} == {"measure"}
    open_age = full.model_copy(
        update={
            "columns": tuple(
                c.model_copy(update={"bounds": None}) if c.name == "age" else c for c in full.columns
            )
        }
    )
    model = fit(Histogram(), people(60), schema=open_age)
    bought = [entry for entry in model.certificate.entries if entry.phase == "schema"]
    assert [entry.columns for entry in bought] == [("age",), ("age",)]  # the rows, and their powers of two
    assert model.schema.column("age").bounds.source == "bought"
    assert model.schema.column("income").bounds.source == "declared"


def test_a_schema_that_was_looked_up_is_bought_like_one_that_was_not_given():
    seen = Schema.infer(Table(people(60)))
    model = fit(Histogram(), people(60), schema=seen)
    assert model.certificate.sound
    assert model.schema.observed() == []


@every_recipe
@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tables_of_hardly_any_rows_are_fitted_like_any_other(recipe, rows):
    model = fit(recipe, people(60).slice(0, rows))
    assert model.certificate.sound
    assert model.sample(30).num_rows == 30


@every_recipe
@pytest.mark.parametrize("what", sorted(set(hostile_tables()) - {"two_hundred_columns"}))
def test_odd_tables_are_fitted_too(recipe, what):
    table = hostile_tables()[what]
    fake = fit(recipe, table).sample(20)
    assert fake.schema.names == table.schema.names
    assert fake.schema.types == table.schema.types


@every_recipe
def test_two_hundred_columns_are_fitted_within_half_a_minute(recipe):
    table = hostile_tables()["two_hundred_columns"]
    start = time.perf_counter()
    model = fit(recipe, table, us.Budget(epsilon=1.0, delta=1e-9))
    assert model.sample(5).num_columns == 200
    assert time.perf_counter() - start < 30


def every_kind(rows=80):
    """Return a table of types that the contract's table does not have, mostly blanks and extremes."""
    schema = pa.schema([(f"c{place}", kind) for place, kind in enumerate(KINDS)])
    row = [extreme_row(schema), extreme_row(schema, low=True)]
    blank = pa.table([pa.nulls(1, kind) for kind in KINDS], schema=schema)
    return pa.concat_tables([*row, blank, row[0]] * (rows // 4)).combine_chunks()


@every_recipe
def test_record_and_replay_hold_for_every_type_of_cell(recipe):
    table, budget = every_kind(), us.Budget(epsilon=12.0, delta=1e-3)
    with recording() as recorded:
        fit(recipe, table, budget)
    for what, other in neighbours(table).items():
        with replaying(recorded) as replayed:
            fit(recipe, other, budget)
        assert strays(recorded, replayed) == [], what
        assert overreach(recorded, replayed) == [], what


@every_recipe
def test_no_row_of_any_type_reaches_a_sample_but_through_mechanisms(recipe):
    table, budget = every_kind(), us.Budget(epsilon=12.0, delta=1e-3)
    with recording() as recorded:
        fit(recipe, table, budget)
    samples = []
    for other in [table, *others(table).values()]:
        with stubbed(recorded):
            samples.append(fit(recipe, other, budget).sample(40, seed=3))
    assert all(sample.equals(samples[0]) for sample in samples)


def test_a_csv_and_a_pandas_frame_are_private_end_to_end(tmp_path):
    path = Table(people(60)).write(tmp_path / "people.csv")
    assert fit(Histogram(), path).certificate.sound
    assert fit(Histogram(), Table(people(60)).to_pandas()).certificate.sound


def test_no_level_that_is_rare_comes_back():
    words = ["common"] * 4_000 + [f"rare {number}" for number in range(200)]
    model = fit(Histogram(), pa.table({"w": words}), us.Budget(epsilon=2.0, delta=1e-6))
    assert set(model.sample(500).column("w").to_pylist()) == {"common"}


def test_a_column_without_a_common_word_gets_a_word_that_says_so():
    words = [f"word {number}" for number in range(300)]
    model = fit(Histogram(), pa.table({"w": words}))
    assert set(model.sample(50).column("w").to_pylist()) - {None} == {"other"}


def test_a_run_folder_keeps_the_ledger_and_another_fit_is_counted_beside_it(tmp_path):
    budget = us.Budget(epsilon=1.0, delta=1e-6)
    first = fit(Histogram(), people(60), budget, schema=declared(), run=tmp_path)
    assert first.certificate.sound
    with pytest.raises(BudgetError, match="does not fit the budget"):
        fit(Histogram(), people(60), budget, schema=declared(), run=tmp_path)


def test_the_schema_has_its_share_of_the_whole_whatever_the_recipe_asks_for():
    own = [Ask("a", "a", "measure", "counts", 3.0), Ask("b", "b", "measure", "sums", 1.0)]
    bought = [Ask("s", "s", "schema", "counts", 0.15), Ask("d", "d", "schema", "delta", 1.0)]
    shares = {ask.name: ask.share for ask in all_asks(bought, own)}
    assert shares == pytest.approx({"s": 0.15, "d": 1.0, "a": 0.85 * 0.75, "b": 0.85 * 0.25})


def test_the_noise_of_two_fits_is_not_the_same_with_one_seed():
    models = [fit(Histogram(), people(60), schema=declared(), seed=5) for _ in range(2)]
    first, second = (model.sampler.margins["age"].upper for model in models)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("kind", ["ignore", "all_missing"])
def test_nothing_observed_of_a_column_that_is_not_modelled_leaves_with_the_model(kind):
    secret = pa.array([None] * 5 + ["once"] + ["s"] * 294)
    table = pa.table({"x": np.arange(300) % 17, "secret": secret})
    seen = Schema.infer(Table(table))
    # model_copy checks nothing, so the levels stay in the column: the worst that a caller can hand over.
    columns = tuple(c.model_copy(update={"kind": kind}) if c.name == "secret" else c for c in seen.columns)
    model = fit(Histogram(), table, schema=Schema.model_construct(columns=columns))
    left = model.schema.column("secret")
    assert (left.levels, left.missing, left.template) == (None, None, None)
    assert "once" not in model.schema.to_json()
    assert model.schema.observed() == []
    assert model.certificate.sound


def test_a_number_without_a_common_value_gets_a_stand_in_and_no_refusal_after_noise_was_paid_for():
    table = pa.table({"code": np.arange(40), "x": np.arange(40) % 3})
    schema = Schema.from_json(
        '{"columns": [{"name": "code", "kind": "categorical"}, {"name": "x", "kind": "numerical"}]}'
    )
    model = fit(Histogram(), table, schema=schema)
    assert model.schema.column("code").levels.values == (0,)


@pytest.mark.parametrize("method", ["mst", "aim", "privsyn"])
def test_values_that_were_not_told_do_not_look_like_missing_cells(method):
    rng = np.random.default_rng(0)
    common = rng.random(6_000) < 0.7
    towns = np.where(common, rng.choice(["x", "y"], 6_000), [f"t{i}" for i in rng.integers(0, 3_000, 6_000)])
    rich = np.where(towns == "x", rng.random(6_000) < 0.9, rng.random(6_000) < 0.2)
    frame = pd.DataFrame({"town": towns, "rich": rich, "late": rng.random(6_000) < 0.5})
    model = us.synth.get(method)().fit(frame, budget=us.Budget(epsilon=20.0), progress=False)
    drawn = model.sample(6_000, seed=0)
    assert set(drawn["town"]) == {"x", "y"}  # and none is missing
    assert drawn["rich"].mean() == pytest.approx(rich.mean(), abs=0.02)
    # Half of the other rows are taken for this town.
    expected = np.average([0.9, 0.2], weights=[0.35, 0.15])
    assert drawn["rich"][drawn["town"] == "x"].mean() == pytest.approx(expected, abs=0.04)


CATEGORIES = {
    "whole numbers": [3, 7, 900],
    "floats": [0.5, 2.25, 9.0],
    "dates": [dt.date(1999, 3, 3), dt.date(2020, 1, 1), dt.date(2021, 5, 1)],
    "lengths of time": [dt.timedelta(days=1), dt.timedelta(days=2), dt.timedelta(days=9)],
    "truth values": [False, True],
}


@every_recipe
@pytest.mark.parametrize("what", CATEGORIES)
def test_categories_of_any_type_are_levels_and_come_back_as_they_were(recipe, what):
    cells = pd.Series(CATEGORIES[what] * 1_000).astype("category")
    found = fit(recipe, pd.DataFrame({"x": cells, "y": np.arange(len(cells))})).sample(200, seed=0)["x"]
    assert found.dtype == cells.dtype
    arrow = pa.table({"x": pa.array(CATEGORIES[what] * 1_000).dictionary_encode()})
    drawn = fit(recipe, arrow).sample(200, seed=0)
    assert drawn.schema.field("x").type == arrow.schema.field("x").type
    assert set(drawn["x"].to_pylist()) == set(CATEGORIES[what])


@every_recipe
@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["a", "b"])], ids=str)
def test_categories_of_polars_come_back_as_they_were(recipe, dtype):
    frame = pl.DataFrame({"x": pl.Series(["a", "b"] * 1_000, dtype=dtype)})
    assert fit(recipe, frame).sample(200, seed=0).schema == frame.schema


@pytest.mark.parametrize("name", ["histogram", "gaussian_copula", "mst", "aim", "privsyn"])
def test_ordered_categories_keep_their_order_and_those_not_told_are_left_out(name):
    kind = pd.CategoricalDtype(["low", "mid", "high", "never", "once"], ordered=True)
    cells = pd.Series((["low"] * 3 + ["mid"] + ["high"] * 2) * 500 + ["once"], dtype=kind)
    model = fit(us.synth.get(name)(), pd.DataFrame({"x": cells, "y": np.arange(len(cells)) % 7}))
    found = model.sample(2_000, seed=0)["x"]
    assert found.cat.ordered and list(found.cat.categories) == ["low", "mid", "high"]
    assert found.min() == "low" and found.max() == "high"
    assert 0.4 < (found == "low").mean() < 0.6 and 0.25 < (found == "high").mean() < 0.42


@pytest.mark.parametrize("name", ["histogram", "gaussian_copula", "mst", "aim", "privsyn"])
def test_a_column_without_a_type_stays_so_and_nothing_is_bought_for_it(name):
    table = pa.table({"none": pa.nulls(200), "age": list(range(50)) * 4})
    model = fit(us.synth.get(name)(), table)
    assert model.schema.column("none").kind == "all_missing"
    assert all("none" not in entry.columns for entry in model.certificate.entries)
    assert model.sample(30, seed=0).schema.field("none").type == pa.null()


@every_recipe
@pytest.mark.parametrize("given", [None, "declared"])
def test_a_fit_of_a_part_that_was_picked_is_conditional_in_every_entry(recipe, given, tmp_path):
    picked = Table(people(200), condition="rows were picked by looking")
    schema = declared() if given else None
    model = fit(recipe, picked, schema=schema, run=tmp_path / "run")
    assert model.certificate.status == "conditional"
    assert {entry.condition for entry in model.certificate.entries} == {"rows were picked by looking"}


def test_parts_of_a_federation_that_are_fitted_by_themselves_say_that_they_are_parts():
    part = by_column(Table(people(200)), 3, people(1).column_names[0])[0]
    certificate = fit(Histogram(), part).certificate
    assert {entry.condition for entry in certificate.entries} == {PARTED}
