"""Levels are told in one look or two, and what a filter is not asked for is left in it."""

import math

import numpy as np
import pytest

from understudy.errors import BudgetError
from understudy.model.discovery import DELTA, LEVELS, MOST, Discovery, told_levels
from understudy.privacy import Budget, Entry, Ledger, Vault
from understudy.privacy.events import DiscreteGaussian, GaussianDP, Pure
from understudy.privacy.gdp import sigma_of_counts
from understudy.privacy.mechanisms.levels import CommonLevels
from understudy.privacy.replay import recording
from understudy.table.schema import Column

ROUNDS = "some.rounds"
PRICE, CHANCE = 0.02, 1e-8  # in mu^2
PLANNED = {LEVELS: DiscreteGaussian(20.0, 2), DELTA: Pure(0.0, CHANCE)}
FILTERED = {ROUNDS: GaussianDP(math.sqrt(PRICE)), DELTA: Pure(0.0, CHANCE)}
CLEAR = ["a"] * 3_000 + ["b"] * 2_000
BLURRED = ["a"] * 4_580 + ["rarely"] * 210 + ["seldom"] * 210
ROWS = (5_000.0, 40.0)


def vault_of(columns, events):
    ledger = Ledger()
    entries = [Entry("levels", "schema", event, name=name) for name, event in events.items()]
    stream = ledger.reserve(entries, Budget(epsilon=5.0, delta=1e-6))
    return Vault({name: np.array(cells, dtype=object) for name, cells in columns.items()}, ledger, stream)


def discovered(columns, events, rows=ROWS):
    """Return the levels that are told, the deviations of all looks, and what is left."""
    wanted = tuple(Column(name=name, kind="categorical", type="string") for name in columns)
    vault, found = vault_of(columns, events), Discovery(wanted, events, rows)
    with recording(7) as tape:
        levels = found.read(vault)
    looks = [(each.mechanism.column, each.mechanism.price.sigma) for each in tape.steps]
    assert math.fsum(each.mechanism.chance for each in tape.steps) <= CHANCE * (1 + 1e-9)
    told = told_levels(vault, [found.name])
    assert told == levels
    assert {name: each.sigma for name, each in told.items()} == dict(looks)  # that of the last look
    return {name: tuple(told) for name, told in levels.items()}, looks, found.left(vault)


def test_a_plan_has_every_column_looked_at_once_at_its_noise():
    levels, looks, left = discovered({"x": CLEAR, "y": BLURRED}, PLANNED)
    assert looks == [("x", 20.0), ("y", 20.0)]
    assert levels == {"x": ("a", "b"), "y": ("a", "rarely", "seldom")}
    assert left == PLANNED


def test_levels_that_a_coarse_look_tells_leave_the_rest_of_the_price():
    levels, looks, left = discovered({"x": CLEAR}, FILTERED)
    assert levels == {"x": ("a", "b")}
    assert len(looks) == 1
    assert left[ROUNDS].mu ** 2 == pytest.approx(PRICE * (1 - MOST / 4))


def test_a_column_of_which_rows_are_untold_is_looked_at_again_and_no_other():
    columns = {"x": CLEAR, "y": BLURRED}
    events = {ROUNDS: GaussianDP(math.sqrt(PRICE / 2)), DELTA: Pure(0.0, CHANCE)}
    levels, looks, left = discovered(columns, events)
    assert [name for name, _ in looks] == ["x", "y", "y"]
    assert looks[2][1] < looks[1][1] == looks[0][1]
    assert levels == {"x": ("a", "b"), "y": ("a", "rarely", "seldom")}
    assert left[ROUNDS].mu ** 2 == pytest.approx(PRICE / 2 * (1 - MOST * (1 / 4 + 3 / 8)))


@pytest.mark.parametrize("rows", [None, (1_000.0, 40.0)])
def test_few_rows_or_nobody_knows_how_many_are_looked_at_once_at_the_whole_price(rows):
    _, looks, left = discovered({"x": CLEAR[::5]}, FILTERED, rows)
    assert len(looks) == 1
    assert left[ROUNDS].mu ** 2 == pytest.approx(PRICE * (1 - MOST))


def test_missing_rows_are_not_untold():
    column = Column.model_validate(
        {"name": "x", "kind": "categorical", "type": "string", "missing": {"rate": 0.4, "source": "bought"}}
    )
    vault = vault_of({"x": [*CLEAR[:3_000], *[None] * 2_000]}, FILTERED)
    with recording(7) as tape:
        Discovery((column,), FILTERED, ROWS).read(vault)
    assert len(tape.steps) == 1


def test_what_is_left_is_what_the_filter_still_lets_through():
    columns = {"x": CLEAR, "y": BLURRED}
    vault = vault_of(columns, FILTERED)
    wanted = tuple(Column(name=name, kind="categorical", type="string") for name in columns)
    found = Discovery(wanted, FILTERED, ROWS)
    found.read(vault)
    rest = found.left(vault)[ROUNDS]
    with pytest.raises(BudgetError, match="reserved for less"):
        vault.read(ROUNDS, CommonLevels("x", DiscreteGaussian(sigma_of_counts(1.001 * rest.mu)), 1e-30))
    vault.read(ROUNDS, CommonLevels("x", DiscreteGaussian(sigma_of_counts(0.999 * rest.mu)), 1e-30))


def test_nothing_is_read_where_nothing_is_asked_for():
    assert Discovery((), {}, None).read(vault_of({"x": CLEAR}, FILTERED)) == {}
