import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import understudy as us
from federated.parties import BUDGET, SCHEMA, Losing, fitted, same, sites, terms, weights_of
from understudy.errors import InputError
from understudy.federated.exchange import InProcess
from understudy.federated.federation import Federation
from understudy.federated.site import Site
from understudy.federated.terms import columns_of
from understudy.privacy import Budget, Entry
from understudy.privacy.events import Open, Parallel


def test_a_federation_makes_a_model_that_samples_and_saves(tmp_path):
    model = fitted(sites(), terms())
    assert model.sample_table(7).to_arrow().num_rows == 7
    model.save(tmp_path / "model")
    assert same(us.load(tmp_path / "model"), model)


@pytest.mark.parametrize("recipe", ["tabddpm", "tldm", "tvae"])
@pytest.mark.parametrize("private", [False, True], ids=["open", "private"])
def test_other_recipes_of_networks_federate(recipe, private):
    found = sites(BUDGET if private else None)
    federation = Federation(found, terms(recipe, private=private))
    model = federation.fit(seed=3)
    assert not federation.problems and model.sample_table(5).to_arrow().num_rows == 5
    assert model.certificate.status == ("sound" if private else "none")


@pytest.mark.parametrize("private", [False, True], ids=["open", "private"])
def test_the_order_of_sites_is_irrelevant(private):
    if not private:
        assert same(fitted(sites(), terms()), fitted(sites()[::-1], terms()))
    else:
        agreed = terms(private=True, weights="noisy")
        federation = Federation(sites(BUDGET)[::-1], agreed)
        federation.fit()
        assert list(federation.certificates) == ["site0", "site1", "site2"]


def test_a_seed_decides_an_open_run_and_another_one_differs():
    first, again, other = (Federation(sites(), terms()).fit(seed=seed) for seed in (1, 1, 2))
    assert same(first, again) and not same(first, other)


@pytest.mark.parametrize("strategy", ["fedavg", "fedprox", "fedadam", "fedyogi"])
def test_every_strategy_trains(strategy):
    model = fitted(sites(), terms(strategy=strategy))
    assert all(np.isfinite(value).all() for value in weights_of(model).values())


def test_fedprox_stays_closer_to_what_was_sent():
    plain, pulled = (
        fitted(sites(), terms(rounds=1, local_steps=20, **more))
        for more in ({}, {"strategy": "fedprox", "pull": 100.0})
    )
    start = fitted(sites(), terms(rounds=1, local_steps=20, limit=1e-9))
    gap = {
        name: sum(float(np.abs(weights_of(each)[k] - weights_of(start)[k]).sum()) for k in weights_of(start))
        for name, each in (("plain", plain), ("pulled", pulled))
    }
    assert gap["pulled"] < gap["plain"]


def test_weights_by_declared_rows_and_by_told_ones_are_those_of_the_open_rows():
    by = {each: fitted(sites(), terms(weights=each)) for each in ("equal", "declared", "noisy")}
    assert same(by["declared"], by["noisy"]) and not same(by["declared"], by["equal"])


def test_a_private_federation_costs_the_largest_of_its_sites():
    budgets = [us.Budget.zcdp(rho=rho) for rho in (1.0, 2.0, 1.0)]
    found = [site for k, budget in enumerate(budgets) for site in [sites(budget)[k]]]
    federation = Federation(found, terms(private=True))
    model = federation.fit()
    own = {name: each.epsilon(1e-6) for name, each in federation.certificates.items()}
    assert model.certificate.sound and isinstance(model.certificate.entries[0].event, Parallel)
    assert model.certificate.epsilon(1e-6) == pytest.approx(max(own.values()), rel=1e-9)
    assert own["site1"] == max(own.values()) > own["site0"]
    again = us.Certificate.from_json(model.certificate.to_json())
    assert again == model.certificate
    assert {name: site.certificate for name, site in zip(own, found, strict=True)} == federation.certificates


def test_one_open_site_refuses_private_terms_and_the_others_go_on():
    mixed = [*sites(BUDGET)[:2], sites()[2]]
    federation = Federation(mixed, terms(private=True))
    assert federation.fit().certificate.sound
    assert set(federation.certificates) == {"site0", "site1"}
    assert {(each.site, each.asked) for each in federation.problems} == {("site2", "terms")}


def test_an_open_federation_says_so_everywhere():
    federation = Federation(sites(), terms())
    model = federation.fit()
    assert model.certificate.status == "none" and isinstance(model.certificate.entries[0].event, Open)
    assert {each.status for each in federation.certificates.values()} == {"none"}


def test_too_few_sites_are_refused_with_the_last_reason():
    with pytest.raises(InputError, match=r"at least 2 sites are needed; got 0\..*another schema"):
        fitted(sites(), terms(schema={"age": "0"}))
    with pytest.raises(InputError, match="at least 3 sites are needed; got 2"):
        fitted(sites(least_cohort=2)[:2], terms(least_cohort=3))


def test_what_a_schema_leaves_open_is_merged_from_what_sites_tell():
    bare = type(SCHEMA).from_json(
        '{"columns": [{"name": "age", "kind": "numerical"}, {"name": "town", "kind": "categorical"}]}'
    )
    tables = [site._held.table for site in sites()]
    found = [Site(f"s{k}", each, schema=bare, device="cpu") for k, each in enumerate(tables)]
    agreed = replace(terms(), schema=columns_of(found[0].schema))
    model = fitted(found, agreed)
    ages = [age for each in tables for age in each.to_arrow().column("age").to_pylist()]
    bounds = model.schema.column("age").bounds
    assert (bounds.low, bounds.high, bounds.source) == (min(ages), max(ages), "observed")


@pytest.mark.parametrize("budget", [None, Budget(epsilon=8.0, delta=1e-6)])
def test_ordered_categories_keep_the_order_of_their_type_though_no_site_has_all_of_them(budget):
    grades = ["none", "low", "mid", "high", "top"]
    frames = []
    for k in range(3):
        rng = np.random.default_rng(k)
        cells = rng.choice([grade for grade in grades if grade != grades[k]], 300)
        kind = pd.CategoricalDtype(grades, ordered=True)
        frames.append(
            pd.DataFrame({"age": rng.integers(18, 80, 300), "grade": cells}).astype({"grade": kind})
        )
    found = [Site(f"s{k}", frame, budget, device="cpu") for k, frame in enumerate(frames)]
    model = fitted(found, terms(schema=columns_of(found[0].schema), private=budget is not None))
    assert model.schema.column("grade").levels.values == tuple(grades)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_every_ledger_is_exact_whatever_is_lost(share):
    def lost(number, name):
        return np.random.default_rng([number, int(name[-1])]).random() < share

    found = sites(BUDGET)
    agreed = terms(private=True, rounds=3, local_steps=2, least_answers=2)
    federation = Federation(Losing(found, lost), agreed)
    federation.fit()
    for site in found:
        steps = [entry.event for entry in site.certificate.entries if entry.name == "training.denoiser"]
        assert [event.steps for event in steps] == [6]
        assert site.certificate.epsilon(1e-6) == federation.certificates[site.name].epsilon(1e-6)


def test_a_round_without_enough_answers_is_asked_again_and_then_skipped():
    never = Losing(sites(), lambda number, name: name != "site0" and number <= 3)
    federation = Federation(never, terms(least_answers=2, rounds=3))
    federation.fit()
    assert federation.skipped == 1 and never.asked == 5
    twice = Losing(sites(), lambda number, _: number % 2 == 1)
    calm = fitted(sites(), terms(least_answers=3))
    assert same(fitted(twice, terms(least_answers=3)), calm)


def test_answers_that_come_twice_or_from_strangers_change_nothing():
    class Noisy(InProcess):
        def ask(self, messages, deadline=None):
            answers = InProcess.ask(self, messages, deadline)
            return {**answers, "stranger": next(iter(answers.values()))}

    assert same(fitted(Noisy(sites()), terms()), fitted(sites(), terms()))


@pytest.mark.parametrize("private", [False, True], ids=["open", "private"])
def test_messages_that_come_again_and_out_of_order_change_nothing(private):
    class Echoing(InProcess):
        """Every message comes ten times, between older ones; all answers to one message are the same."""

        def __init__(self, found):
            InProcess.__init__(self, found)
            self._old, self._rng, self.echoes = [], np.random.default_rng(0), 0

        def ask(self, messages, deadline=None):
            first = InProcess.ask(self, messages, deadline)
            self._old.append(messages)
            for place in self._rng.choice(len(self._old), 10):
                again = InProcess.ask(self, self._old[place], deadline)
                self.echoes += len(again)
                if self._old[place] is messages:
                    assert {n: a.digest() for n, a in again.items()} == {
                        n: a.digest() for n, a in first.items()
                    }
            return first

    exchange = Echoing(sites(BUDGET if private else None))
    model = fitted(exchange, terms(private=private))
    assert exchange.echoes >= 200
    if not private:
        assert same(model, fitted(sites(), terms()))


def test_a_poisoned_update_is_left_out_and_told():
    class Poisoned(InProcess):
        def ask(self, messages, deadline=None):
            answers = InProcess.ask(self, messages, deadline)
            odd = answers.get("site1")
            if odd is not None and odd.kind == "update":
                bad = {name: np.full_like(value, np.nan) for name, value in odd.arrays.items()}
                answers["site1"] = type(odd)(odd.kind, odd.facts, bad)
            return answers

    federation = Federation(Poisoned(sites()), terms(tries=1))
    model = federation.fit()
    assert all(np.isfinite(value).all() for value in weights_of(model).values())
    assert {(each.site, each.asked) for each in federation.problems} == {("site1", "train")}


@pytest.mark.parametrize("told", [float("inf"), -1.0, 1e-300])
def test_a_site_that_tells_no_number_of_rows_is_left_out(told):
    found = sites(count=2, least_cohort=1)
    federation = Federation(Boasting(found, told), terms(tries=1, least_cohort=1))
    assert federation.fit().sampler.rows == 40
    assert "site1" in {each.site for each in federation.problems}


def test_no_site_counts_for_more_rows_than_terms_allow():
    model = fitted(Boasting(sites(), 1e300), terms(most_rows=100))
    assert model.sampler.rows <= 300


class Lying(InProcess):
    """One site says something else than it should in its answers of one kind."""

    def __init__(self, found, kind, **facts):
        InProcess.__init__(self, found)
        self._kind, self._facts = kind, facts

    def ask(self, messages, deadline=None):
        answers = InProcess.ask(self, messages, deadline)
        odd = answers.get("site0")
        if odd is not None and odd.kind == self._kind:
            answers["site0"] = type(odd)(odd.kind, {**odd.facts, **self._facts}, odd.arrays)
        return answers


WIDER = SCHEMA.to_json().replace("100", "1000000")
OTHERWISE = SCHEMA.model_copy(update={"columns": SCHEMA.columns[::-1]}).to_json()


@pytest.mark.parametrize(
    ("kind", "facts", "changes"),
    [
        ("agreed", {"certificate": us.Certificate((Entry("rows", "train"),)).to_json()}, {"private": True}),
        ("agreed", {"rows": float("inf")}, {"weights": "declared"}),
        ("agreed", {"rows": -1}, {"weights": "declared"}),
        ("described", {"schema": WIDER}, {}),
        ("described", {"schema": OTHERWISE}, {}),
        ("described", {"schema": "[" * 10_000}, {}),
    ],
    ids=["certificate", "endless rows", "negative rows", "bounds", "order", "no schema"],
)
@pytest.mark.parametrize("recipe", ["findiff", "mst"])
def test_what_one_site_says_amiss_ends_nobody_elses_run(kind, facts, changes, recipe):
    found = sites(BUDGET if changes.get("private") else None)
    federation = Federation(Lying(found, kind, **facts), terms(recipe, tries=1, **changes))
    assert federation.fit().sample_table(5).to_arrow().num_rows == 5
    asked = {"agreed": "terms", "described": "describe"}[kind]
    assert ("site0", asked) in {(each.site, each.asked) for each in federation.problems}
    assert {"site1", "site2"} <= set(federation.certificates)


@pytest.mark.parametrize("recipe", ["findiff", "mst"])
@pytest.mark.parametrize(
    ("kind", "facts", "why"),
    [
        ("agreed", {"certificate": us.Certificate(()).to_json()}, "is not paid for"),
        ("described", {"private": False}, "the terms are private"),
    ],
)
def test_a_site_that_says_it_did_not_pay_is_left_out(recipe, kind, facts, why):
    federation = Federation(Lying(sites(BUDGET), kind, **facts), terms(recipe, private=True))
    whole = federation.fit().certificate
    assert whole.sound and whole.epsilon(1e-6) == federation.certificates["site1"].epsilon(1e-6) > 0
    ((site, told),) = [(each.site, each.why) for each in federation.problems]
    assert site == "site0" and why in told


class Boasting(InProcess):
    """One site tells another number of rows than it has."""

    def __init__(self, found, told):
        InProcess.__init__(self, found)
        self._told = told

    def ask(self, messages, deadline=None):
        answers = InProcess.ask(self, messages, deadline)
        odd = answers.get("site1")
        if odd is not None and odd.kind in ("described", "margins"):
            answers["site1"] = type(odd)(odd.kind, {**odd.facts, "rows": self._told}, odd.arrays)
        return answers


class Killed(Exception):
    pass


class Dying(InProcess):
    """A server that dies after it asked for the n-th time, or before the answers were used."""

    def __init__(self, found, after):
        InProcess.__init__(self, found)
        self._left = after

    def ask(self, messages, deadline=None):
        answers = InProcess.ask(self, messages, deadline)
        if next(iter(messages.values())).kind == "train":
            self._left -= 1
            if self._left == 0:
                raise Killed
        return answers


@pytest.mark.parametrize(
    "private", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["open", "private"]
)
def test_a_server_killed_in_each_of_ten_rounds_makes_the_same_model(tmp_path, private):
    budget = BUDGET if private else None
    agreed = terms(private=private, rounds=10, local_steps=1)
    for after in range(1, 11):  # killed in round 1, started again, killed in round 2, ...
        dying = Dying(sites(budget, folder=tmp_path / "a"), 1 if after == 1 else 2)
        with pytest.raises(Killed):
            Federation(dying, agreed, keep=tmp_path / "server").fit()
    model = Federation(sites(budget, folder=tmp_path / "a"), agreed, keep=tmp_path / "server").fit()
    if not private:
        assert same(model, fitted(sites(), agreed))
    for site in sites(budget, folder=tmp_path / "a") if private else ():
        with pytest.raises(InputError, match="no terms"):  # the run is over
            _ = site.certificate
    assert model.certificate.status == ("sound" if private else "none")


def test_a_restart_under_noise_ends_with_the_model_that_no_restart_ends_with(tmp_path):
    """The same noise keys: sites that live on, and a server that dies in every round."""
    found = sites(BUDGET)
    agreed = terms(private=True, rounds=3, local_steps=2)
    calm = Federation(found, agreed).fit()
    for _ in range(2):
        with pytest.raises(Killed):
            Federation(Dying(found, 2), agreed, keep=tmp_path).fit()
    assert same(Federation(found, agreed, keep=tmp_path).fit(), calm)


@pytest.mark.slow
@pytest.mark.timeout(1_100)
def test_a_federation_killed_before_any_call_that_changes_the_disk_is_taken_up_and_paid_once():
    script = Path(__file__).with_name("killed.py")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script), "3"],
        capture_output=True,
        text=True,
        timeout=1_000,
        check=False,
        env={**os.environ, "PYTHONPATH": str(script.parent.parent)},
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert len(found["outcomes"]) > 20
    # Killed, taken up to the end, with a model, and each of two ledgers has its two entries.
    assert {tuple(map(str, each[1:])) for each in found["outcomes"]} == {("True", "0", "True", "[2, 2]")}


def test_a_server_that_was_killed_goes_on_with_the_sites_that_are_left(tmp_path):
    members, agreed = sites(), terms(rounds=3, least_cohort=2)
    with pytest.raises(Killed):
        Federation(Dying(members, 2), agreed, keep=tmp_path).fit()
    model = Federation(InProcess(members[:2]), agreed, keep=tmp_path).fit()
    assert model.sample_table(4).to_arrow().num_rows == 4
