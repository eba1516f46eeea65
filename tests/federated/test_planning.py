from dataclasses import replace

import pytest
from dp_accounting import dp_event
from dp_accounting.pld import pld_privacy_accountant

from federated.parties import SCHEMA, SMALL, terms
from understudy.errors import InputError, ParameterError, SchemaError
from understudy.federated.planning import plan_openly, plan_privately, refuse_other_columns, refuse_unpaid
from understudy.federated.terms import columns_of
from understudy.privacy import Ask, Budget, Certificate, Entry, allot
from understudy.privacy.accounting import account
from understudy.privacy.events import DiscreteGaussian, Pure, SampledGaussian
from understudy.privacy.meeting import cost
from understudy.table.schema import Schema

BUDGET = Budget.zcdp(rho=1.0)
BARE = Schema.from_json(
    """{"columns": [{"name": "age", "kind": "numerical", "type": "int64", "resolution": 1.0},
                   {"name": "town", "kind": "categorical", "type": "string"}]}"""
)


def test_all_rounds_of_a_stage_are_one_event():
    planned = plan_privately(terms(private=True, rounds=5, local_steps=7, rate=0.2), SCHEMA, BUDGET, None)
    event = planned.events["training.denoiser"]
    assert isinstance(event, SampledGaussian) and (event.rate, event.steps) == (0.2, 35)
    assert cost(planned.events.values(), BUDGET) <= 1.0
    assert [entry.name for entry in planned.entries] == [ask.name for ask in planned.asks]


def test_a_batch_over_declared_rows_is_the_rate():
    agreed = terms(private=True, batch=16)
    assert plan_privately(agreed, SCHEMA, BUDGET, 160).rate == 0.1
    assert plan_privately(agreed, SCHEMA, BUDGET, 8).rate == 1.0
    with pytest.raises(ParameterError, match="declare it"):
        plan_privately(agreed, SCHEMA, BUDGET, None)


@pytest.mark.slow
def test_smaller_sites_of_one_batch_take_more_noise():
    agreed, budget = terms(private=True, batch=16, rounds=20), Budget(epsilon=1.0, delta=1e-6)
    small, large = (plan_privately(agreed, SCHEMA, budget, rows) for rows in (100, 4_000))
    assert small.noise > large.noise


def test_noise_is_at_least_what_the_terms_say():
    planned = plan_privately(terms(private=True, least_noise=50.0), SCHEMA, BUDGET, None)
    assert planned.noise == 50.0 and cost(planned.events.values(), BUDGET) < 1.0


def test_both_stages_of_a_recipe_are_planned():
    planned = plan_privately(terms("tldm", private=True), SCHEMA, BUDGET, None)
    assert {"training.autoencoder", "training.diffusion"} <= set(planned.events)


def test_recipes_that_do_not_federate_are_refused():
    with pytest.raises(ParameterError, match="does not federate"):
        plan_privately(terms("arf", private=True, settings={}), SCHEMA, BUDGET, None)


def test_the_price_is_that_of_dp_accounting():
    agreed = terms(private=True, rounds=6, local_steps=10)
    planned = plan_privately(agreed, SCHEMA, Budget.zcdp(rho=2.0), None)
    accountant = pld_privacy_accountant.PLDAccountant()
    for event in planned.events.values():
        if isinstance(event, SampledGaussian):
            step = dp_event.PoissonSampledDpEvent(event.rate, dp_event.GaussianDpEvent(event.noise))
            # Round by round: what a site does, and not the sum that it planned with.
            for _ in range(agreed.rounds):
                accountant.compose(dp_event.SelfComposedDpEvent(step, agreed.local_steps))
        else:
            assert isinstance(event, DiscreteGaussian)
            # It knows no discrete Gaussian; at such scales the continuous one is as good as the same.
            counts = dp_event.GaussianDpEvent(event.sigma)
            accountant.compose(dp_event.SelfComposedDpEvent(counts, event.count))
    price = account(tuple(planned.events.values())).epsilon(1e-6)
    assert price == pytest.approx(accountant.get_epsilon(1e-6), rel=0.02)


@pytest.mark.slow
def test_the_noise_of_paper_003_is_that_of_the_notes():
    """Census at five equal sites, 3,000 rounds of 100 steps, batches of 16: by an accountant of their own."""
    for epsilon, noise in ((0.2, 34.9), (1.0, 7.44), (10.0, 1.10)):
        ask = Ask("s", "s", "train", "steps", 1.0, 300_000, 16 / 6_512)
        (event,) = allot([ask], Budget(epsilon=epsilon, delta=1e-9)).values()
        assert event.noise == pytest.approx(noise, rel=0.01)


def test_without_a_budget_nothing_is_priced():
    assert plan_openly(terms()).events == {} and plan_openly(terms()).noise == 0.0


def test_another_schema_is_refused_by_the_names_that_differ():
    other = Schema(columns=(SCHEMA.columns[0].model_copy(update={"type": "double"}), SCHEMA.columns[1]))
    with pytest.raises(SchemaError, match="differ in 'age'") as error:
        refuse_other_columns(terms(schema=columns_of(other)), SCHEMA)
    assert "town" not in str(error.value)
    with pytest.raises(SchemaError, match="rules"):
        refuse_other_columns(terms(schema={**columns_of(SCHEMA), "": "x"}), SCHEMA)
    refuse_other_columns(terms(schema=columns_of(SCHEMA)), SCHEMA)


LAST = Entry("steps of a run before", "train", SampledGaussian(9.0, 0.1, 6), name="training.denoiser")


def claimed(**changes):
    """Return the entries that an honest site would have, with the steps of its training changed."""
    planned = plan_privately(terms(private=True, least_noise=1.0), SCHEMA, BUDGET, None)
    return tuple(
        replace(entry, event=replace(entry.event, **changes)) if entry.name == "training.denoiser" else entry
        for entry in planned.entries
    )


@pytest.mark.parametrize(
    ("recipe", "schema", "budget"),
    [*((recipe, SCHEMA, BUDGET) for recipe in SMALL), ("mst", BARE, Budget.gdp(mu=1.0))],
    ids=[*SMALL, "bare"],
)
def test_what_a_site_plans_is_what_a_server_looks_for(recipe, schema, budget):
    agreed = terms(recipe, private=True, schema=columns_of(schema))
    planned = plan_privately(agreed, schema, budget, None)
    refuse_unpaid(agreed, schema, Certificate((LAST, *planned.entries)), None)


@pytest.mark.parametrize(
    "entries",
    [
        (),
        claimed()[1:],
        claimed()[:-1],
        claimed(steps=3),
        claimed(rate=0.05),
        claimed(noise=0.5),
        (LAST, *(entry for entry in claimed() if entry.name != LAST.name)),
        tuple(replace(entry, event=Pure(0.0, 1e-9)) for entry in claimed()),
    ],
    ids=["none", "no margins", "no steps", "few steps", "rate", "noise", "earlier steps", "kind"],
)
def test_a_certificate_without_what_was_planned_is_refused(entries):
    agreed = terms(private=True, least_noise=1.0)
    refuse_unpaid(agreed, SCHEMA, Certificate(claimed()), None)
    with pytest.raises(InputError, match="not paid for as the terms plan it"):
        refuse_unpaid(agreed, SCHEMA, Certificate(entries), None)
