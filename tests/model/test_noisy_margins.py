import numpy as np
import pyarrow as pa
import pytest

from understudy.model import noisy_margins
from understudy.privacy import Budget, Entry, Ledger, Vault, allot
from understudy.privacy.replay import recording
from understudy.table.columns import to_columns
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.table.table import Table

BUDGET = Budget(epsilon=10.0, delta=1e-6)
ROWS = 20_000


def bought(columns, schema, budget=BUDGET, seed=1):
    asks = noisy_margins.asks(schema, share=1.0)
    events, ledger = allot(asks, budget), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in asks]
    vault = Vault(columns, ledger, ledger.reserve(entries, budget))
    with recording(seed):  # noise that comes back on the next run
        return noisy_margins.buy(vault, schema, events)


def of_table(arrow, **given):
    schema = Schema.infer(Table(arrow)).declare()
    return bought(to_columns(arrow, schema), schema, **given)


def test_margins_take_some_rounds_of_one_table_per_column_and_some_more():
    schema = Schema.infer(Table(pa.table({"x": np.arange(99) * 1.5, "w": ["a", "b", "c"] * 33}))).declare()
    (counts,) = noisy_margins.asks(schema, share=0.8)
    assert (counts.count, counts.share) == (2 * noisy_margins.ROUNDS + 1, 0.8)
    assert counts.columns == ("x", "w")


def test_a_table_without_columns_to_model_asks_for_nothing():
    schema = Schema(columns=(Column(name="k", kind="id", type="string"),))
    assert noisy_margins.asks(schema, share=1.0) == ()
    assert bought({}, schema).margins == {}


def test_levels_have_about_the_shares_of_their_rows():
    words = ["a"] * 12_000 + ["b"] * 6_000 + ["c"] * 2_000
    margin = of_table(pa.table({"w": words})).margins["w"]
    assert np.diff(margin.upper, prepend=0) == pytest.approx([0.6, 0.3, 0.1, 0.0], abs=0.01)


@pytest.mark.parametrize("whole", [True, False])
def test_quantiles_of_a_quantity_are_about_those_of_its_rows(whole):
    rng = np.random.default_rng(0)
    values = rng.gamma(2.0, 30.0, ROWS)
    values = np.rint(values).astype(np.int64) if whole else values
    margin = of_table(pa.table({"x": values})).margins["x"]
    at = np.linspace(0.02, 0.98, 49)
    real, found = np.quantile(values, at), margin.quantile(at)
    assert np.abs(found - real).max() < 0.05 * np.ptp(real)
    assert margin.quantile(np.array([0.0]))[0] >= values.min()
    assert margin.quantile(np.array([1.0]))[0] <= values.max()


def test_bounds_that_lie_far_beyond_the_rows_draw_no_rows_there():
    values = np.random.default_rng(1).integers(16_000, 18_000, ROWS)
    column = Column(
        name="x",
        kind="numerical",
        type="int64",
        resolution=1.0,
        bounds=Bounds(low=0, high=2**40),
        missing=Missing(rate=0.0),
    )
    margin = bought({"x": values}, Schema(columns=(column,))).margins["x"]
    found = margin.quantile(np.linspace(0, 1, 1_001)[1:-1])
    assert (found > 100_000).mean() < 0.02


def test_the_number_of_rows_is_told_with_noise():
    tables = pa.table({"w": ["a", "b"] * 5_000})
    assert of_table(tables).rows == pytest.approx(10_000, rel=0.01)
    little = Budget(epsilon=0.01, delta=1e-6)
    assert len({of_table(tables, budget=little, seed=seed).rows for seed in range(3)}) == 3


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_hardly_any_rows_have_margins_too(rows):
    schema = Schema(
        columns=(
            Column(
                name="x",
                kind="numerical",
                type="double",
                bounds=Bounds(low=0, high=1),
                missing=Missing(rate=0.0),
            ),
            Column(
                name="w",
                kind="categorical",
                type="string",
                levels=Levels(values=("a",)),
                missing=Missing(rate=0.5),
            ),
        )
    )
    columns = {"x": np.full(rows, 0.5), "w": np.zeros(rows, dtype=np.int32)}
    found = bought(columns, schema, budget=Budget(epsilon=0.1, delta=1e-6))
    assert found.rows >= 1
    assert np.isfinite(found.margins["x"].quantile(np.linspace(0, 1, 11))).all()
    assert found.margins["w"].upper[-1] == pytest.approx(1.0)


def test_few_whole_numbers_are_counted_more_often_than_many():
    rng = np.random.default_rng(0)
    many = {f"x{place}": rng.normal(0.0, 1.0, ROWS) for place in range(5)}
    found = of_table(pa.table({"n": rng.integers(3, 9, ROWS), **many}))
    assert found.noise["n"] == pytest.approx(found.noise["x1"] * (2 / 5) ** 0.5)
    assert set(found.noise) == set(found.margins)


def test_a_rare_whole_number_among_few_is_not_spread_over_its_neighbours():
    values = np.repeat([5, 6, 7, 8], [8_000, 6_000, 5_000, 1_000])
    ends = Bounds(low=4, high=15, source="declared")
    none = Missing(rate=0.0, source="declared")
    column = Column(name="n", kind="numerical", type="int64", bounds=ends, missing=none)
    found = bought({"n": values}, Schema(columns=(column,)))
    shares = dict(zip(found.edges["n"][:-1].tolist(), found.shares["n"], strict=False))
    assert shares[8] == pytest.approx(0.05, abs=0.01)
    assert max(shares[place] for place in range(9, 16)) < 0.01
