"""Networks from tables: expectations of released tables only, choices of sensitivity 1, rows that agree."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from understudy.engines.marginals.network import Family, Network
from understudy.engines.marginals.structure import Limits
from understudy.model import noisy_margins
from understudy.model.cells import Cells
from understudy.model.network_fit import Reads, asks, entropic_root, fit_network, fit_nothing, grow_by_errors
from understudy.model.tables import ExactTables, NoisyTables
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import DiscreteGaussian, Selection
from understudy.privacy.replay import recording
from understudy.table.schema import Schema
from understudy.table.table import Table

SIZES = (2, 3, 2, 2)
READS = Reads("choose", "measure", 2.0)


def cells():
    return {
        name: Cells.of(np.ones(size) / size, np.arange(size, dtype=np.int32))
        for name, size in zip("abcd", SIZES, strict=True)
    }


def columns(n=3_000):
    """Return a, b, a copy of b's parity with mistakes, and a parity of a and c."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, n), rng.integers(0, 3, n)
    c = np.where(rng.random(n) < 0.9, b % 2, rng.integers(0, 2, n))
    return {name: v.astype(np.int32) for name, v in {"a": a, "b": b, "c": c, "d": a ^ c}.items()}


def noisy(epsilon=100.0):
    events = {"choose": Selection(epsilon, 3), "measure": DiscreteGaussian(2.0, 3)}
    ledger = Ledger()
    entries = [Entry(name, "measure", event, name=name) for name, event in events.items()]
    stream = ledger.reserve(entries, Budget(epsilon=1e6, delta=1e-6))
    one_way = ExactTables.of(cells(), columns()).one_way
    return NoisyTables.of(Vault(columns(), ledger, stream), cells(), one_way, 3_000.0, events)


def grown(tables, parents=2, **settings):
    rng = np.random.default_rng(0)
    return grow_by_errors(tables, READS, Limits(parents, 1e6), rng, root=1, penalised=True, **settings)


@pytest.mark.parametrize("private", [False, True], ids=["open", "private"])
def test_the_same_network_is_grown_from_exact_and_from_hardly_noisy_tables(private):
    tables = noisy() if private else ExactTables.of(cells(), columns())
    network, measured = grown(tables)
    assert network.families[:2] == (Family(1), Family(2, (1,)))
    assert [each.of for each in measured] == [each.of for each in network.families[1:]]


def test_rows_of_a_network_keep_the_tables_of_its_families():
    tables = ExactTables.of(cells(), columns())
    network = Network((Family(1), Family(2, (1,)), Family(0, (2,)), Family(3, (0, 2))))
    measured = tables.measure("measure", [each.of for each in network.families[1:]])
    sampler = fit_network(tables, network, measured, smoothing=1e-3, steps=1)
    values = sampler.draw(3_000, np.random.default_rng(1), {})
    drawn = {name: each.encode(values[name]) for name, each in cells().items()}
    assert np.mean(drawn["d"] == drawn["a"] ^ drawn["c"]) > 0.999
    kept, real = (np.mean(each["c"] == each["b"] % 2) for each in (drawn, columns()))
    assert kept == pytest.approx(real, abs=0.01)


def test_no_row_moves_a_score_of_any_round_by_more_than_one():
    with recording() as tape:
        grown(noisy())
    choices = [step.mechanism for step in tape.steps if isinstance(step.mechanism.event, Selection)]
    assert len(choices) == 3
    rows = list(itertools.product(*(range(size) for size in SIZES)))
    for choice, size in itertools.product(choices, (0, 1, 2)):
        assert choice.sensitivity.value == 1.0
        for table in itertools.combinations_with_replacement(rows[::3], size):
            before = choice.statistic(_columns_of(table))
            for row in rows:
                after = choice.statistic(_columns_of([*table, row]))
                assert choice.distance(before, after) <= 1 + 1e-9


def _columns_of(rows):
    table = np.array(rows, dtype=np.int32).reshape(-1, 4)
    return {name: table[:, place] for place, name in enumerate("abcd")}


def test_noisy_tables_that_are_at_odds_are_brought_together():
    tables = noisy()
    network, measured = grown(tables)
    model = fit_network(tables, network, measured, smoothing=0.1, steps=300).model
    for each in measured:
        assert np.abs(model.marginal(each.of) - each.table).max() < 25


def test_the_root_is_the_column_of_most_entropy():
    assert entropic_root(ExactTables.of(cells(), columns())) == 1


def test_every_family_but_the_root_is_planned_and_shares_add_up():
    table = Table(pa.table({name: [f"v{value}" for value in values] for name, values in columns(50).items()}))
    schema = Schema.infer(table).declare()
    *margins, choices, tables = asks(schema, ("choose", "measure"), 0.3, 0.2)
    assert tuple(margins) == noisy_margins.asks(schema, share=0.3)
    assert (choices.name, tables.name) == ("choose", "measure") and choices.count == tables.count == 3
    assert (choices.share, tables.share) == pytest.approx((0.2, 0.5))


def test_one_column_is_not_chosen_for():
    table = Table(pa.table({"a": ["v", "w"] * 20}))
    planned = asks(Schema.infer(table).declare(), ("choose", "measure"), 0.3, 0.2)
    assert [each.name for each in planned] == [noisy_margins.COUNTS]


def test_no_columns_give_rows_of_nothing():
    assert fit_nothing(ExactTables.of({}, {})).draw(3, np.random.default_rng(0), {}) == {}


def test_reads_take_their_noise_from_the_plan():
    assert Reads.planned("a", "b", {"b": DiscreteGaussian(7.0, 3)}).sigma == 7.0
    assert Reads.planned("a", "b", {}).sigma == 1.0
