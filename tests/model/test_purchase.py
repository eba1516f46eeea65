import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings, strategies as st

from understudy.errors import SchemaError
from understudy.model import purchase
from understudy.privacy import Ask, Budget, Entry, Ledger, Vault, allot
from understudy.privacy.mechanisms.levels import CommonLevels
from understudy.privacy.replay import recording
from understudy.synth.histogram import Histogram
from understudy.table.arrow_types import from_text
from understudy.table.grid import grid_of
from understudy.table.level_order import in_order_of_types
from understudy.table.public import by_type
from understudy.table.raw import ends_of, raw_columns
from understudy.table.read import read
from understudy.table.schema import Bounds, Column, Levels, Missing, Schema
from understudy.table.table import Table
from understudy.testing.tables import people

BUDGET = Budget(epsilon=10.0, delta=1e-6)
ROWS = 5_000


def buy(arrow, schema=None, budget=BUDGET, seed=1):
    """Buy with noise that comes back on the next run."""
    with recording(seed):
        return really_buy(arrow, schema, budget)


def really_buy(arrow, schema, budget):
    table = Table(arrow)
    bare = by_type(table, schema)
    asks = purchase.asks(bare)
    events, ledger = allot(asks, budget), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in asks]
    stream = ledger.reserve(entries, budget)
    return purchase.buy(Vault(raw_columns(arrow, bare), ledger, stream), bare, events)


def column(cells, **given):
    return buy(pa.table({"x": cells}), **given).column("x")


def test_everything_that_is_open_is_asked_for_in_three_reads_and_a_chance():
    asks = purchase.asks(by_type(Table(people(60))))
    assert [ask.form for ask in asks] == ["counts", "counts", "counts", "delta"]
    assert asks[0].count == 1
    assert asks[1].count == len(asks[1].columns)
    assert asks[2].columns == asks[3].columns
    assert all(ask.phase == "schema" for ask in asks)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([f"P{row}" for row in range(300)], {"x": True}),
        ([f"P{row}" for row in range(60)] + ["A"] * 300, {"x": False}),
        (["A", "B"] * 200, {}),
        (list(range(300)), {}),
    ],
)
def test_columns_with_a_single_bought_level_are_known_and_whether_it_is_a_stand_in(cells, said):
    assert purchase.alone(buy(pa.table({"x": cells}))) == said


def test_a_single_level_that_is_declared_was_not_bought():
    levels = Levels(values=("other",))
    schema = Schema(columns=(Column(name="x", kind="categorical", type="string", levels=levels),))
    assert purchase.alone(schema) == {}


def test_nothing_is_asked_for_when_everything_is_declared():
    table = Table(people(60))
    assert purchase.asks(by_type(table, Schema.infer(table).declare())) == ()


def test_a_bought_schema_has_nothing_open_and_everything_bought():
    schema = buy(people(2_000))
    for bought in schema.columns:
        if bought.kind in {"numerical", "date", "datetime", "duration", "categorical", "boolean"}:
            assert bought.missing.source == "bought"
            assert (bought.bounds or bought.levels) is not None
    assert schema.observed() == []


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        (np.linspace(17, 90, ROWS), 16, 128),
        (np.linspace(-90, -17, ROWS), -128, -16),
        (np.linspace(-3, 40, ROWS), -4, 64),
        (np.linspace(0.001, 0.002, ROWS), 2.0**-10, 2.0**-8),
        (np.zeros(ROWS), 0, 0),
    ],
)
def test_bounds_are_the_powers_of_two_that_hold_the_rows(cells, low, high):
    found = column(pa.array(cells)).bounds
    assert (found.low, found.high, found.source) == (low, high, "bought")


def test_one_enormous_row_does_not_widen_the_bounds():
    assert column(pa.array([*np.linspace(17, 90, ROWS), 1e30])).bounds.high == 128


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pa.array([200, 255] * 2_000, pa.uint8()), int),
        (pa.array([2**63 - 1, -(2**63)] * 2_000), int),
        (pa.array([2**64 - 1] * 4_000, pa.uint64()), int),
        (pa.array([dt.time(23, 59)] * 4_000), str),
        (pa.array([dt.date(9999, 12, 31)] * 4_000), str),
        (pa.array([2**62] * 4_000, pa.timestamp("ns")), str),
    ],
)
def test_bounds_stay_within_what_the_type_can_hold(cells, kind):
    bounds = column(cells).bounds
    assert isinstance(bounds.high, kind)
    Schema(columns=(Column(name="x", kind=column(cells).kind, type=str(cells.type), bounds=bounds),))


NUMBERS = [
    "int8", "int64", "uint8", "uint64", "halffloat", "float", "double",
    "decimal128(3, 3)", "decimal128(5, 2)", "decimal128(38, 0)", "decimal128(38, 10)", "decimal256(70, 3)",
]  # fmt: skip
FAR = [0, 1, -1, 100, 127, -128, 65_504, 10**6, -(10**12), 2**62, 2**63 - 1, -(2**63), 10**30, -(10**37)]


def _cells(kind, values):
    if pa.types.is_floating(kind):
        with np.errstate(over="ignore"):  # what is boundless has a cell too
            return pa.array(np.array([float(value) for value in values], kind.to_pandas_dtype()))
    most = 10 ** (kind.precision - kind.scale) - 1 if pa.types.is_decimal(kind) else None
    low, high = (-most, most) if most is not None else (np.iinfo(kind.to_pandas_dtype()).min, None)
    high = np.iinfo(kind.to_pandas_dtype()).max if high is None else high
    within = [max(int(low), min(int(high), value)) for value in values]
    return pa.array([Decimal(value) for value in within] if most is not None else within, kind)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(NUMBERS),
    st.sampled_from(NUMBERS),
    st.lists(st.sampled_from(FAR), min_size=1, max_size=3),
    st.sampled_from([None, 1.0, 0.01, 1e-6, 10.0, 1000.0]),
)
@example("halffloat", "int64", [10**6], None)
@example("halffloat", "halffloat", [65_504], None)
@example("halffloat", "decimal128(38, 0)", [10**6], 0.01)
@example("float", "int64", [2**63 - 1], 1.0)
@example("uint64", "uint64", [2**63 - 1], 10.0)
def test_whatever_is_told_the_bounds_bought_are_cells_of_the_declared_type(declared, held, values, step):
    cells = _cells(from_text(held), values * 300)
    schema = Schema(columns=(Column(name="x", kind="numerical", type=declared, resolution=step),))
    table = pa.table({"x": cells})
    try:
        raw_columns(table, by_type(Table(table), schema))
    except SchemaError:
        return  # refused for its types, before anything is paid for
    schema = Schema.from_json(buy(table, schema).to_json())
    low, high = ends_of(schema.column("x"))
    grid = grid_of(schema.column("x"))
    assert low <= high
    if grid is None:
        assert np.isfinite(np.array([low, high], from_text(declared).to_pandas_dtype())).all()
    else:
        assert len(grid.to_steps(grid.from_steps(np.array([low, high])), "x")) == 2


def test_a_fit_of_far_numbers_declared_as_half_floats_ends_after_it_was_paid_for():
    schema = Schema(columns=(Column(name="x", kind="numerical", type="halffloat"),))
    model = Histogram().fit(pa.table({"x": [10**6] * 2_000}), schema, BUDGET, progress=False)
    assert np.isfinite(np.asarray(model.sample_table(50).to_arrow()["x"], np.float64)).all()


def test_levels_are_those_that_many_rows_have_in_their_own_order():
    cells = pa.array(["b"] * 2_000 + ["a"] * 900 + ["once"] + [None] * 100)
    found = column(cells)
    assert found.levels.values == ("a", "b")
    assert found.missing.rate == pytest.approx(100 / 3_001, abs=0.01)


def test_columns_whose_levels_are_told_have_no_table_of_their_own():
    table = pa.table({"word": ["a", None] * 900, "size": np.linspace(1.0, 9.0, 1_800)})
    rows, counts, levels, _ = purchase.asks(by_type(Table(table)))
    assert (rows.columns, counts.columns, levels.columns) == (("size",), ("size",), ("word",))
    found = buy(table)
    assert found.column("word").missing.rate == pytest.approx(0.5, abs=0.02)
    assert (found.column("size").missing.rate, found.column("size").bounds.high) == (0.0, 16.0)


def test_counts_of_bounds_are_those_of_their_own_column():
    cells = {"a": ["x", "y"] * 1_000, "c": np.linspace(1_000, 4_000, 2_000), "b": np.linspace(0, 1, 2_000)}
    table, none = pa.table(cells), Missing(rate=0.0, source="bought")
    schema = Schema(columns=(
        Column(name="a", kind="categorical", levels=Levels(values=("x", "y"), source="bought")),
        Column(name="c", kind="numerical"),
        Column(name="b", kind="numerical", bounds=Bounds(low=0.0, high=1.0, source="bought"), missing=none),
    ))  # fmt: skip
    bare = by_type(Table(table), schema)
    asks = purchase.asks(bare)
    events, ledger = allot(asks, BUDGET), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in asks]
    vault = Vault(raw_columns(table, bare), ledger, ledger.reserve(entries, BUDGET))
    bought = purchase.buy(vault, bare, events)
    assert "b" not in purchase.told_powers(vault, bought, events)


def test_words_alone_are_read_by_a_number_of_rows_that_is_bought():
    words = pa.table({"word": ["a"] * 900 + [None] * 900})
    assert [ask.form for ask in purchase.asks(by_type(Table(words)))] == ["counts", "counts", "delta"]
    assert buy(words).column("word").missing.rate == pytest.approx(0.5, abs=0.02)


def test_a_missing_rate_that_is_declared_is_not_bought_with_the_levels():
    missing = '{"rate": 0.25, "source": "declared"}'
    schema = Schema.from_json(
        f'{{"columns": [{{"name": "x", "kind": "categorical", "missing": {missing}}}]}}'
    )
    cells = pa.table({"x": ["a"] * 900 + [None] * 900})
    assert [ask.form for ask in purchase.asks(by_type(Table(cells), schema))] == ["counts", "delta"]
    assert buy(cells, schema).column("x").missing == schema.column("x").missing


def test_missing_rates_are_bought_and_noise_alone_is_none():
    cells = pa.array([None if place % 4 == 0 else 1.5 for place in range(ROWS)])
    assert column(cells).missing.rate == pytest.approx(0.25, abs=0.01)
    rates = [column(pa.array([1.5] * ROWS), seed=seed).missing.rate for seed in range(20)]
    assert sum(rate > 0 for rate in rates) <= 4


@pytest.mark.parametrize(
    "cells", [pa.nulls(400, pa.float64()), pa.nulls(400, pa.string()), pa.array([], pa.int64())]
)
def test_a_column_without_values_is_bought_like_any_other(cells):
    found = column(cells)
    assert found.missing is not None
    assert (found.bounds or found.levels) is not None


def test_the_chance_is_shared_between_the_columns_without_levels():
    table = pa.table({name: ["a", "b"] * 500 for name in "xyz"})
    with recording() as tape:
        really_buy(table, None, BUDGET)
    chances = [step.mechanism.chance for step in tape.steps if step.mechanism.chance]
    assert len(chances) == 3
    assert math.fsum(chances) == pytest.approx(0.1 * BUDGET.delta)


def test_numbers_times_and_truths_can_be_levels():
    schema = Schema.from_json('{"columns": [{"name": "x", "kind": "ordinal"}]}')
    assert column(pa.array([3, 1, 2] * 500), schema=schema).levels.values == (1, 2, 3)
    days = [dt.date(2020, 1, 1), dt.date(2021, 1, 1)] * 500
    assert column(pa.array(days), schema=schema).levels.values == ("2020-01-01", "2021-01-01")
    assert column(pa.array([True, False] * 500)).levels.values == (False, True)


def test_a_float_that_no_schema_can_write_down_is_no_level():
    schema = Schema.from_json('{"columns": [{"name": "x", "kind": "categorical"}]}')
    cells = pa.array([1.0, math.nan, math.inf, -math.inf] * 500)
    assert column(cells, schema=schema).levels.values == (1.0,)


def test_bounds_of_wide_decimals_are_both_numbers_or_both_text():
    cells = pa.array([Decimal(10) ** 13, Decimal(9) * 10**15] * 200, pa.decimal128(20, 2))
    bounds = column(cells).bounds
    assert isinstance(bounds.low, str) == isinstance(bounds.high, str)


def test_levels_go_through_a_filter_where_there_is_one_and_leave_it_the_rest():
    table = people(2_000)
    bare = by_type(Table(table))
    rounds = Ask("rounds", "rounds", "measure", "adaptive", 0.5)
    planned, lent = purchase.asks(bare), purchase.lent([*purchase.asks(bare), rounds])
    assert purchase.lent(planned) == list(planned)
    assert [ask.form for ask in lent] == ["counts", "counts", "delta", "adaptive"]
    assert lent[-1].share == pytest.approx(0.5 + purchase.LEVELS_SHARE)
    events, ledger = allot(lent, BUDGET), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in lent]
    vault = Vault(raw_columns(table, bare), ledger, ledger.reserve(entries, BUDGET))
    with recording(1) as tape:
        schema = purchase.buy(vault, bare, events)
    left = purchase.left(vault, bare, schema, events)
    assert 0 < left["rounds"].mu < events["rounds"].mu
    assert {**left, "rounds": None} == {**events, "rounds": None}
    counts = purchase.told_counts(vault, schema, left)  # as a recipe asks for them
    mechanisms = [step.mechanism for step in tape.steps if isinstance(step.mechanism, CommonLevels)]
    looks = {each.column: each.price.sigma for each in mechanisms}
    assert counts and {name: sigma for name, (_, sigma) in counts.items()}.items() <= looks.items()
    for name, (each, sigma) in counts.items():
        real = table[name].value_counts().to_pylist()
        exact = {entry["values"]: entry["counts"] for entry in real}
        levels = schema.column(name).levels.values
        assert np.allclose(each, [exact[level] for level in levels], atol=6 * sigma)


def test_counts_of_levels_are_those_of_their_own_column_whichever_were_bought_before():
    rng = np.random.default_rng(0)
    even, odd = rng.choice(["x", "y"], 2_000), rng.choice(["x", "y"], 2_000, p=[0.9, 0.1])
    table = pa.table({"before": even, "now": odd})
    bare = by_type(Table(table))
    known = Levels(values=("x", "y"), source="bought")
    columns = (bare.columns[0].model_copy(update={"levels": known}), bare.columns[1])
    bare = bare.model_copy(update={"columns": columns})
    events, ledger = allot(purchase.asks(bare), BUDGET), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in purchase.asks(bare)]
    vault = Vault(raw_columns(table, bare), ledger, ledger.reserve(entries, BUDGET))
    schema = purchase.buy(vault, bare, events)
    (counts,) = purchase.told_counts(vault, schema, events).items()
    assert counts[0] == "now"
    assert counts[1][0][0] > 1_500


def test_shares_of_levels_stand_in_the_order_of_the_schema_and_not_of_the_telling():
    cells = pd.Categorical(["z"] * 3_000 + ["b"] * 1_000 + ["a"] * 500, ["z", "b", "a"], ordered=True)
    table = read(pd.DataFrame({"x": cells}))
    bare = by_type(table)
    asks = purchase.asks(bare)
    events, ledger = allot(asks, BUDGET), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in asks]
    with recording(1):
        vault = Vault(raw_columns(table.to_arrow(), bare), ledger, ledger.reserve(entries, BUDGET))
        schema = in_order_of_types(purchase.buy(vault, bare, events), table)
        shares = np.array(purchase.told_shares(vault, schema, events)["x"])
    assert schema.column("x").levels.values == ("z", "b", "a")
    assert shares / shares.sum() == pytest.approx([2 / 3, 2 / 9, 1 / 9], abs=0.02)
