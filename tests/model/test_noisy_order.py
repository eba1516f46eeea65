import numpy as np
import pyarrow as pa
import pytest

from understudy.engines.margin import LevelMargin
from understudy.model import noisy_correlation, noisy_margins, noisy_order
from understudy.privacy import Budget, Entry, Ledger, Vault, allot
from understudy.privacy.replay import recording
from understudy.table.columns import to_columns
from understudy.table.schema import Schema
from understudy.table.table import Table

BUDGET = Budget(epsilon=10.0, delta=1e-6)
HIDDEN = "cafbed"  # the true order of the levels, which their spelling does not tell


def bought(arrow, budget=BUDGET, *, order=True):
    schema = Schema.infer(Table(arrow)).declare()
    asks = (*noisy_margins.asks(schema, 0.6), *noisy_correlation.asks(schema, 0.4, order=order))
    events, ledger = allot(asks, budget), Ledger()
    entries = [Entry(ask.what, ask.phase, events[ask.name], name=ask.name) for ask in asks]
    vault = Vault(to_columns(arrow, schema), ledger, ledger.reserve(entries, budget))
    with recording() as tape:  # noise that comes back on the next run
        binned = noisy_margins.buy(vault, schema, events)
    return binned, tape


def ordered_words(rows=20_000):
    rng = np.random.default_rng(0)
    latent = rng.normal(size=rows)
    place = np.clip(np.digitize(latent, [-1.2, -0.5, 0.0, 0.5, 1.2]), 0, 5)
    others = {name: latent * slope + rng.normal(size=rows) for name, slope in (("x", 1.0), ("y", -2.0))}
    return pa.table({"w": np.array(list(HIDDEN))[place], **others})


def test_levels_come_in_the_order_that_explains_the_other_columns():
    binned, _ = bought(ordered_words())
    margin = binned.margins["w"]
    assert isinstance(margin, LevelMargin)
    words = "".join("abcdef"[code] for code in margin.codes if code >= 0)
    assert words in {HIDDEN, HIDDEN[::-1]}


def test_shares_stay_with_their_levels():
    plain, _ = bought(ordered_words(), order=False)
    binned, _ = bought(ordered_words())
    first, second = (
        dict(zip(b.margins["w"].codes.tolist(), b.shares["w"].tolist(), strict=True)) for b in (plain, binned)
    )
    assert plain.margins["w"].codes.tolist() == [0, 1, 2, 3, 4, 5, -1]
    assert all(abs(first[code] - second[code]) < 0.02 for code in first)


def test_nothing_is_read_where_no_order_was_planned():
    assert all(step.name != noisy_order.NAME for step in bought(ordered_words(), order=False)[1].steps)
    assert [step.name for step in bought(ordered_words())[1].steps][-1] == noisy_order.NAME


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"x": np.arange(50) * 1.5, "y": np.arange(50) * 0.5}),
        pa.table({"w": ["a", "b", "c"] * 20}),
        pa.table({"t": [True, False] * 30, "x": np.arange(60) * 1.5}),
    ],
)
def test_no_order_is_asked_for_without_unordered_levels_and_another_column(table):
    assert noisy_order.asks(Schema.infer(Table(table)), 1.0) == ()


def test_what_one_row_adds_lies_in_the_place_of_its_levels_and_never_says_a_column_twice():
    _, tape = bought(ordered_words(500))
    mechanism = tape.steps[-1].mechanism
    schema = Schema.infer(Table(ordered_words(500)))
    columns = to_columns(ordered_words(500), schema)
    row = {name: values[:1] for name, values in columns.items()}
    added = mechanism.vectors(row).reshape(7, 3)
    assert np.flatnonzero(added.any(axis=1)).size == 1
    assert not added[:, 0].any(), "a column does not explain itself"


def test_a_very_wide_plan_leaves_levels_as_they_are(monkeypatch):
    monkeypatch.setattr(noisy_order, "WIDEST", 5)
    binned, tape = bought(ordered_words())
    assert binned.margins["w"].codes.tolist() == [0, 1, 2, 3, 4, 5, -1]
    assert all(step.name != noisy_order.NAME for step in tape.steps)


def test_whatever_the_noise_every_level_is_kept_once():
    binned, _ = bought(ordered_words(40), Budget(epsilon=0.05, delta=1e-6))
    assert sorted(binned.margins["w"].codes.tolist()) == [-1, 0, 1, 2, 3, 4, 5]
    assert binned.margins["w"].upper[-1] == pytest.approx(1.0)
