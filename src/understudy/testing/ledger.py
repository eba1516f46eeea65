"""Checks: the certificate says what was read, all of it."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from understudy.errors import BudgetError, ParameterError
from understudy.model.recipe import Recipe
from understudy.privacy import Budget, Certificate, Ledger, Vault
from understudy.progress import Silent
from understudy.rng import stream
from understudy.table.columns import to_columns
from understudy.table.schema import Schema
from understudy.table.table import Table
from understudy.testing.fitting import Check, as_bytes, fit, fit_people, refused
from understudy.testing.tables import people

__all__ = ["CHECKS"]


def the_certificate_is_the_ledger(recipe: Recipe) -> None:
    """The entries are those that learning writes, after those for what the schema left open."""
    table = Table(people())
    schema = Schema.infer(table)
    ledger = Ledger()
    vault = Vault(to_columns(table.to_arrow(), schema), ledger)
    recipe.learn(vault, schema, stream(0, "fit", recipe.name()), Silent())
    entries = fit_people(recipe).certificate.entries
    looks = tuple(entry for entry in entries if entry.phase == "schema")
    assert looks, "the domain was looked up in the rows, and no entry says so"
    assert entries == (*looks, *ledger.entries), "the certificate does not hold the entries of the ledger"


def rows_that_are_read_are_in_the_ledger(recipe: Recipe) -> None:
    """Two tables that differ in their rows alone give different samples only if a read was paid for."""
    real = people()
    schema = Schema.infer(Table(real)).declare()
    other = real.take(pa.array(list(range(40)) * (real.num_rows // 40)))
    models = [fit(recipe, rows, schema=schema) for rows in (real, other)]
    samples = [as_bytes(model.sample(200, seed=61)) for model in models]
    paid = [entry for model in models for entry in model.certificate.entries]
    assert paid or samples[0] == samples[1], "the sample depends on the rows, and the ledger is empty"
    assert all(len(model.certificate.entries) == len(models[0].certificate.entries) for model in models), (
        "how many entries there are depends on the rows"
    )


def a_certificate_with_an_infinite_entry_is_not_sound(recipe: Recipe) -> None:
    """Status and figures follow from the entries alone."""
    certificate = fit_people(recipe).certificate
    infinite = any(entry.infinite for entry in certificate.entries)
    assert certificate.sound is not infinite, "soundness does not follow from the entries"
    assert (certificate.status == "none") is infinite, "the status does not follow from the entries"
    assert math.isinf(certificate.epsilon(delta=1e-9)) is infinite, "epsilon does not follow from the entries"


def the_certificate_survives_json(recipe: Recipe) -> None:
    """Reading what was written gives an equal certificate."""
    certificate = fit_people(recipe).certificate
    assert Certificate.from_json(certificate.to_json()) == certificate, "the certificate changed in JSON"


def a_budget_is_refused_without_a_private_form(recipe: Recipe) -> None:
    """A recipe that cannot keep a budget refuses one; a recipe that can gives a sound certificate."""
    table, budget = people(60), Budget(epsilon=1.0, delta=1e-6)
    if not recipe.private:
        refused(lambda: fit(recipe, table, budget=budget), BudgetError, "a budget for a recipe without one")
        return
    schema = Schema.infer(Table(table)).declare()
    certificate = fit(recipe, table, schema=schema, budget=budget).certificate
    assert certificate.sound, "a fit within a budget gave a certificate that is not sound"
    assert certificate.epsilon(delta=1e-6) <= 1.0 + 1e-9, "the fit spent more than its budget"


def a_budget_that_is_none_is_refused(recipe: Recipe) -> None:
    """A bare number, text or a pair is no budget."""
    for budget in (1.0, "1", (1.0, 1e-9), {"epsilon": 1}):
        given: Any = budget
        refused(
            lambda given=given: fit(recipe, people(30), budget=given),  # type: ignore[misc]
            ParameterError,
            f"budget={budget!r}",
        )


CHECKS: tuple[Check, ...] = (
    the_certificate_is_the_ledger,
    rows_that_are_read_are_in_the_ledger,
    a_certificate_with_an_infinite_entry_is_not_sound,
    the_certificate_survives_json,
    a_budget_is_refused_without_a_private_form,
    a_budget_that_is_none_is_refused,
)
