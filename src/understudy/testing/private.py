"""Checks of private fits: what is read is paid for, and nothing else is read.

Record and replay (Cebere et al., PETS 2026): a fit is recorded, then made again on neighbouring tables
with every release taken from the tape. It must ask the same questions, and what each mechanism sees must
move by no more than its sensitivity. Taint: with all releases fixed, whatever the rows are, everything
that is made must be the same to the byte. A recipe without a private form has nothing to show here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any

import pyarrow as pa

from understudy.errors import UnderstudyError
from understudy.model.model import Model
from understudy.model.recipe import Recipe
from understudy.privacy import Budget
from understudy.privacy.events import Pure
from understudy.privacy.replay import Tape, overreach, recording, replaying, strays, stubbed
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.fitting import Check, as_bytes, fit
from understudy.testing.neighbours import neighbours, others
from understudy.testing.tables import people

__all__ = ["CHECKS"]

# So generous that levels are told and bounds are found: every path of the code is taken.
GENEROUS = Budget(epsilon=12.0, delta=1e-3)
ROWS = 240


def _of_private_recipes(check: Check) -> Check:
    """Leave out recipes without a private form, and count a refusal as a failure."""

    @wraps(check)
    def checked(recipe: Recipe) -> None:
        if not recipe.private:
            return
        try:
            check(recipe)
        except UnderstudyError as error:
            raise AssertionError(f"a private fit was refused with {type(error).__name__}: {error}") from error

    return checked


@_of_private_recipes
def a_private_fit_keeps_its_plan_and_its_budget(recipe: Recipe) -> None:
    """It reads no more than it reserved, its certificate is sound, and the budget is spent, not overspent."""
    model = fit(recipe, people(ROWS), budget=GENEROUS)
    certificate, amount = model.certificate, float(GENEROUS.amount or 0.0)
    assert certificate.sound, "a fit within a budget gave a certificate that is not sound"
    spent = certificate.epsilon(GENEROUS.delta)
    assert spent <= amount, f"a budget of {amount:g} was overspent: {spent:g}"
    assert spent >= 0.99 * amount, f"of a budget of {amount:g} only {spent:g} was put to use"


@_of_private_recipes
def a_private_fit_on_a_neighbour_asks_the_same_questions(recipe: Recipe) -> None:
    """With all releases fixed, one row decides neither what is read nor how often."""
    for schema in _schemas():
        for what, tape in _replays(recipe, schema).items():
            found = strays(_recorded(recipe, schema), tape)
            assert not found, f"with {what}, {found[0]}"


@_of_private_recipes
def what_a_mechanism_sees_moves_by_at_most_its_sensitivity(recipe: Recipe) -> None:
    """No row moves the input of a mechanism farther than the mechanism's noise is made for."""
    for schema in _schemas():
        for what, tape in _replays(recipe, schema).items():
            found = overreach(_recorded(recipe, schema), tape)
            assert not found, f"with {what}, {found[0]}"


@_of_private_recipes
def one_row_reaches_an_artefact_through_mechanisms_alone(recipe: Recipe) -> None:
    """With all releases fixed, files, schema and samples are the same to the byte with one row changed."""
    for schema in _schemas():
        _refuse_taint(recipe, schema, neighbours(people(ROWS)))


@_of_private_recipes
def all_rows_reach_an_artefact_through_mechanisms_alone(recipe: Recipe) -> None:
    """With all releases fixed, nothing of the rows is left in what is made, not even how many there are."""
    for schema in _schemas():
        _refuse_taint(recipe, schema, others(people(ROWS)))


@_of_private_recipes
def the_chances_that_mechanisms_take_are_reserved(recipe: Recipe) -> None:
    """The deltas of all mechanisms together are no more than the ledger holds for them."""
    with recording() as tape:
        entries = fit(recipe, people(ROWS), budget=GENEROUS).certificate.entries
    taken = sum(step.mechanism.chance for step in tape.steps)
    held = sum(entry.event.delta for entry in entries if isinstance(entry.event, Pure))
    assert taken <= held * (1 + 1e-9), f"mechanisms take a chance of {taken:g}; {held:g} is reserved"


@_of_private_recipes
def what_is_declared_costs_nothing(recipe: Recipe) -> None:
    """A schema that leaves nothing open is not bought: no entry of a private fit is for it."""
    certificate = fit(recipe, people(ROWS), schema=_declared(), budget=GENEROUS).certificate
    bought = [entry.what for entry in certificate.entries if entry.phase == "schema"]
    assert not bought, f"everything was declared, and there is an entry for {bought[0]!r}"
    assert certificate.assumptions, "declared bounds and levels are assumed to be public; nothing says so"


@lru_cache(maxsize=1)
def _declared() -> Schema:
    return Schema.infer(Table(people(ROWS))).declare()


def _schemas() -> tuple[Schema | None, Schema]:
    """Nothing declared, and everything."""
    return None, _declared()


@lru_cache(maxsize=4)
def _recorded(recipe: Recipe, schema: Schema | None) -> Tape:
    with recording() as tape:
        fit(recipe, people(ROWS), schema=schema, budget=GENEROUS)
    assert tape.steps, "a private fit read nothing through a mechanism"
    return tape


@lru_cache(maxsize=4)
def _replays(recipe: Recipe, schema: Schema | None) -> dict[str, Tape]:
    """Return what a fit of each neighbour sees when all releases are those of the recorded fit."""
    recorded, tapes = _recorded(recipe, schema), dict[str, Tape]()
    for what, table in neighbours(people(ROWS)).items():
        with replaying(recorded) as tapes[what]:
            fit(recipe, table, schema=schema, budget=GENEROUS)
    return tapes


def _refuse_taint(recipe: Recipe, schema: Schema | None, tables: dict[str, pa.Table]) -> None:
    recorded = _recorded(recipe, schema)
    first = _artefacts(lambda: _stubbed(recipe, schema, recorded, people(ROWS)))
    for what, table in tables.items():
        found = _artefacts(lambda table=table: _stubbed(recipe, schema, recorded, table))  # type: ignore[misc]
        changed = sorted(name for name in first.keys() | found.keys() if first.get(name) != found.get(name))
        assert not changed, f"with {what}, {changed[0]} is another, though every release is the same"


def _stubbed(recipe: Recipe, schema: Schema | None, recorded: Tape, table: pa.Table) -> Model:
    with stubbed(recorded):
        return fit(recipe, table, schema=schema, budget=GENEROUS)


def _artefacts(act: Callable[[], Model]) -> dict[str, bytes]:
    """Return everything that a fit makes: the files of the model, a sample, and what it tells of itself."""
    model: Any = act()
    with tempfile.TemporaryDirectory() as place:
        folder = model.save(Path(place) / "model")
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    said = repr((model, model.settings, model.frame, model.certificate)).encode()
    schema = model.schema.to_json().encode()
    sample = as_bytes(model.sample_table(200, seed=71).to_arrow())
    return files | {"the schema": schema, "a sample": sample, "what it tells of itself": said}


CHECKS: tuple[Check, ...] = (
    a_private_fit_keeps_its_plan_and_its_budget,
    a_private_fit_on_a_neighbour_asks_the_same_questions,
    what_a_mechanism_sees_moves_by_at_most_its_sensitivity,
    one_row_reaches_an_artefact_through_mechanisms_alone,
    all_rows_reach_an_artefact_through_mechanisms_alone,
    the_chances_that_mechanisms_take_are_reserved,
    what_is_declared_costs_nothing,
)
