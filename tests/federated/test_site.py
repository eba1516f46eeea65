from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from federated.parties import BUDGET, SCHEMA, joined, sites, table, terms
from understudy.errors import InputError, ParameterError, SchemaError
from understudy.federated.catching import catch, parameters_of
from understudy.federated.demand import Demand
from understudy.federated.domain import Domain
from understudy.federated.federation import Federation
from understudy.federated.message import Message
from understudy.federated.planning import plan_privately
from understudy.federated.recipes import method_of, recipe_for
from understudy.federated.site import Site
from understudy.federated.terms import columns_of
from understudy.privacy.events import SampledGaussian

AGREED = terms(private=True, rounds=3, local_steps=2)


def first_demand(domain, digest, agreed=AGREED, **changes):
    """Return the demand of the first round of a run, or one that differs from it."""
    method = method_of(recipe_for(agreed, agreed.rate), noisy=agreed.private)
    fields = Domain.of(domain).bought().fields
    weights = parameters_of(catch(method.learner, fields, agreed.seed, "denoiser", {}).model)
    told = Demand(agreed.hash, digest, "denoiser", 0, 3, weights, {})
    return replace(told, **changes)


@pytest.fixture
def ready():
    site = sites(BUDGET)[0]
    return site, *joined(site, AGREED)


@pytest.fixture(scope="module")
def besieged():
    site = sites(BUDGET)[0]
    return site, *joined(site, AGREED)


def refused(site, message, words=""):
    answer = site.receive(message)
    assert answer.kind == "refused", answer.kind
    assert words in answer.facts["why"], answer.facts["why"]
    return answer.facts["why"]


def entries(site):
    return [(entry.name, entry.event) for entry in site.certificate.entries]


def test_a_site_answers_a_round_with_a_difference(ready):
    site, domain, digest = ready
    demand = first_demand(domain, digest)
    answer = site.receive(demand.to_message())
    assert answer.kind == "update" and answer.facts["private"] is True
    assert {n: v.shape for n, v in answer.arrays.items()} == {
        n: v.shape for n, v in demand.parameters.items()
    }
    assert any(value.any() for value in answer.arrays.values())


def test_the_whole_run_is_paid_for_before_anything_is_read():
    site = sites(BUDGET)[0]
    site.receive(Message("terms", {"terms": AGREED.to_json()}))
    steps = [event for name, event in entries(site) if name == "training.denoiser"]
    assert [type(event) for event in steps] == [SampledGaussian]
    assert (steps[0].rate, steps[0].steps) == (0.1, 6)


def test_the_ledger_is_the_same_after_all_rounds_and_after_none(ready):
    site, domain, digest = ready
    before = entries(site)
    for number in range(3):
        site.receive(first_demand(domain, digest, round=number).to_message())
    assert entries(site) == before


def test_the_same_bytes_again_get_the_answer_that_was_given(ready):
    site, domain, digest = ready
    message = first_demand(domain, digest).to_message()
    first, second = site.receive(message), site.receive(Message.from_bytes(message.to_bytes()))
    assert first.digest() == second.digest()


def hostile(domain, digest):
    """Return twelve demands of a hostile server, and what each is refused with."""
    plain = first_demand(domain, digest)
    more = replace(AGREED, rounds=300)
    bad = {name: value.copy() for name, value in plain.parameters.items()}
    first = next(iter(bad))
    nan, wide = dict(bad), dict(bad)
    nan[first] = np.full_like(bad[first], np.nan)
    wide[first] = np.zeros((*bad[first].shape, 2), np.float32)
    return {
        "less noise": (replace(plain, terms=replace(AGREED, least_noise=1e-3).hash), "no such terms"),
        "another clip": (replace(plain, terms=replace(AGREED, clip=1e6).hash), "no such terms"),
        "more rounds by other terms": (replace(plain, terms=more.hash, round=200), "no such terms"),
        "a round past the plan": (replace(plain, round=3), "3 rounds were agreed on"),
        "a round before the first": (replace(plain, round=-1), "rounds were agreed on"),
        "a cohort of one": (replace(plain, cohort=1), "cohort of 1"),
        "a cohort of none": (replace(plain, cohort=0), "cohort of 0"),
        "another domain": (replace(plain, domain="0" * 64), "another domain"),
        "parameters that are not finite": (replace(plain, parameters=nan), "finite"),
        "parameters of another shape": (replace(plain, parameters=wide), "must have shape"),
        "parameters that are not of the network": (replace(plain, parameters={}), "by their names"),
        "a stage that is not there": (replace(plain, stage="decoder"), "no stage"),
    }


HOSTILE = [
    "less noise", "another clip", "more rounds by other terms", "a round past the plan",
    "a round before the first", "a cohort of one", "a cohort of none", "another domain",
    "parameters that are not finite", "parameters of another shape",
    "parameters that are not of the network", "a stage that is not there",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_demand_is_refused_and_costs_nothing(besieged, name):
    site, domain, digest = besieged
    before = entries(site)
    demand, words = hostile(domain, digest)[name]
    refused(site, demand.to_message(), words)
    assert entries(site) == before


def test_a_site_that_refused_all_of_it_still_answers_an_honest_demand(ready):
    site, domain, digest = ready
    for demand, words in hostile(domain, digest).values():
        refused(site, demand.to_message(), words)
    assert site.receive(first_demand(domain, digest).to_message()).kind == "update"


def test_a_round_again_with_other_parameters_is_refused(ready):
    site, domain, digest = ready
    demand = first_demand(domain, digest)
    site.receive(demand.to_message())
    moved = {name: value + np.float32(1) for name, value in demand.parameters.items()}
    refused(site, replace(demand, parameters=moved).to_message(), "answered once")


def test_an_earlier_round_after_a_later_one_is_refused(ready):
    site, domain, digest = ready
    site.receive(first_demand(domain, digest, round=2).to_message())
    refused(site, first_demand(domain, digest, round=1).to_message(), "begun before")


def test_terms_are_agreed_to_once(ready):
    site, _, _ = ready
    other = replace(AGREED, rounds=2)
    refused(site, Message("terms", {"terms": other.to_json()}), "answered once")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"private": False}, "this site is private"),
        ({"least_cohort": 1}, "at least 2 sites"),
        ({"schema": {"age": "0" * 32}}, "'age', 'town'"),
        ({"weights": "declared"}, "declare them"),
        ({"batch": 16}, "declare it"),
        ({"recipe": "arf", "settings": {}}, "does not federate"),
        ({"recipe": "nothing"}, "no synthesizer"),
        ({"settings": {"widht": 3}}, "no setting"),
    ],
    ids=lambda part: "-".join(part) if isinstance(part, dict) else "",
)
def test_terms_that_do_not_fit_a_site_are_refused_before_anything_is_paid(change, words):
    site = sites(BUDGET)[0]
    refused(site, Message("terms", {"terms": replace(AGREED, **change).to_json()}), words)
    with pytest.raises(InputError, match="no terms"):
        _ = site.certificate
    assert site.receive(Message("terms", {"terms": AGREED.to_json()})).kind == "agreed"


def test_an_open_site_refuses_private_terms_and_says_that_it_is_open():
    site = sites()[0]
    refused(site, Message("terms", {"terms": AGREED.to_json()}), "this site is open")
    answer = site.receive(Message("terms", {"terms": terms().to_json()}))
    assert answer.facts["private"] is False and site.certificate.status == "none"


def test_a_budget_that_is_spent_refuses_another_run(tmp_path):
    first = sites(BUDGET, folder=tmp_path)[0]
    joined(first, AGREED)
    first.receive(Message("close", {"terms": AGREED.hash}))
    again = sites(BUDGET, folder=tmp_path)[0]
    refused(again, Message("terms", {"terms": replace(AGREED, run="again").to_json()}), "budget")


def test_a_message_of_an_unknown_kind_is_refused():
    refused(sites()[0], Message("shutdown"), "nothing called")


def test_nothing_is_done_before_terms():
    site = sites()[0]
    for kind in ("describe", "margins", "domain", "close"):
        refused(site, Message(kind, {"terms": AGREED.hash}), "no such terms")


def test_notes_of_a_schema_stay_at_home():
    columns = tuple(column.model_copy(update={"note": "ask Ms Miller"}) for column in SCHEMA.columns)
    noted = SCHEMA.model_copy(update={"columns": columns})
    site = Site("a", table(40), BUDGET, schema=noted, device="cpu")
    agreed = replace(AGREED, schema=columns_of(site.schema))
    site.receive(Message("terms", {"terms": agreed.to_json()}))
    described = site.receive(Message("describe", {"terms": agreed.hash}))
    assert described.kind == "described" and "Miller" not in str(described.facts)


def test_a_refusal_tells_no_cell():
    secret = "Zzyzx-7731"
    held = pa.table({"age": [31, 42, 31], "town": [secret, secret, "A"]})
    site = Site("s", held, BUDGET, schema=SCHEMA, device="cpu")
    domain, digest = joined(site, AGREED)
    texts = [site.receive(demand.to_message()).facts["why"] for demand, _ in hostile(domain, digest).values()]
    assert secret not in " ".join(texts) and "31" not in " ".join(texts)


def test_a_site_needs_a_plain_name_and_no_free_text():
    with pytest.raises(ParameterError, match="name"):
        Site("../a", table())
    text = SCHEMA.model_copy(
        update={
            "columns": (
                SCHEMA.columns[0],
                SCHEMA.columns[1].model_copy(update={"kind": "text", "levels": None}),
            )
        }
    )
    with pytest.raises(SchemaError, match="free text"):
        Site("a", table(), schema=text)


@pytest.mark.parametrize("budget", [None, BUDGET])
def test_a_schema_says_which_text_is_a_date(budget):
    days = np.datetime64("2024-01-01") + np.arange(120) % 60
    dated = table(120).append_column("day", pa.array(days))
    told = dated.set_column(2, "day", dated["day"].cast(pa.string()))
    schema = us.Schema.infer(us.read(dated)).declare()
    parted = [Site(name, told.slice(at, 60), budget, schema=schema) for name, at in (("a", 0), ("b", 60))]
    agreed = terms(private=budget is not None, schema=columns_of(parted[0].schema), rounds=1, local_steps=1)
    drawn = Federation(parted, agreed).fit(seed=0).sample(50, seed=0)
    assert parted[0].schema.columns[2].kind == "date"
    assert set(map(str, drawn.to_arrow()["day"].to_pylist())) <= set(days.astype(str))


def test_a_site_that_was_killed_goes_on_with_the_same_noise(tmp_path):
    calm = sites(BUDGET, folder=tmp_path / "a")[0]
    domain, digest = joined(calm, AGREED)
    first = first_demand(domain, digest)
    given = calm.receive(first.to_message())
    again = sites(BUDGET, folder=tmp_path / "a")[0]  # made anew: nothing is left but the folder
    assert again.receive(first.to_message()).digest() == given.digest()
    assert len(again.certificate.entries) == len(calm.certificate.entries)
    assert again.receive(replace(first, round=1).to_message()).kind == "update"


def test_a_round_that_was_begun_and_cut_off_is_not_begun_with_other_parameters(tmp_path):
    calm = sites(BUDGET, folder=tmp_path)[0]
    domain, digest = joined(calm, AGREED)
    first = first_demand(domain, digest)
    given = calm.receive(first.to_message())
    for kept in (tmp_path / "site0" / "answers").glob("*"):  # killed before the answer was on the disk
        if b"train/" in kept.read_bytes():
            kept.unlink()
    moved = {name: value + np.float32(1) for name, value in first.parameters.items()}
    again = sites(BUDGET, folder=tmp_path)[0]
    refused(again, replace(first, parameters=moved).to_message(), "other settings")
    once_more = sites(BUDGET, folder=tmp_path)[0]
    assert once_more.receive(first.to_message()).digest() == given.digest()


def test_rounds_after_one_that_was_refused_are_answered(tmp_path):
    calm = sites(BUDGET, folder=tmp_path)[0]
    first = first_demand(*joined(calm, AGREED))
    calm.receive(first.to_message())
    for kept in (tmp_path / "site0" / "answers").glob("*"):
        if b"train/" in kept.read_bytes():
            kept.unlink()
    again = sites(BUDGET, folder=tmp_path)[0]
    moved = {name: value + np.float32(1) for name, value in first.parameters.items()}
    demands = (replace(first, parameters=moved), replace(first, round=1), replace(first, round=2))
    kinds = [again.receive(demand.to_message()).kind for demand in demands]
    assert kinds[0] != kinds[1] == kinds[2] == "update"


def test_terms_that_are_refused_after_the_end_forget_nothing(tmp_path):
    site = sites(BUDGET, folder=tmp_path)[0]
    joined(site, AGREED)
    closed = site.receive(Message("close", {"terms": AGREED.hash}))
    refused(site, Message("terms", {"terms": replace(AGREED, run="again").to_json()}), "budget")
    assert site.certificate.entries
    assert site.receive(Message("close", {"terms": AGREED.hash})).digest() == closed.digest()


def test_an_open_site_that_was_killed_says_once_that_its_rows_were_open(tmp_path):
    for run in ("first", "second"):
        for _ in range(3):
            site = sites(count=1, folder=tmp_path)[0]
            joined(site, terms(run=run, least_cohort=2))
        site.receive(Message("close", {"terms": terms(run=run, least_cohort=2).hash}))
    told = site.certificate.entries
    assert len(told) == 2 and "run first:" in told[0].what and "run second:" in told[1].what


@pytest.mark.parametrize("last", range(10))
def test_a_site_that_was_killed_while_it_forgot_a_run_pays_once_for_the_next(tmp_path, monkeypatch, last):
    first, second = (replace(AGREED, least_noise=100.0, run=name) for name in ("first", "second"))
    site = sites(BUDGET, count=1, folder=tmp_path)[0]
    joined(site, first)
    site.receive(Message("close", {"terms": first.hash}))
    unlink, calls = Path.unlink, iter(range(last + 1))

    def dying(path, **options):
        if path.suffix in (".asked", ".answer") and next(calls) == last:
            raise KeyboardInterrupt
        unlink(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", dying)
        with pytest.raises(KeyboardInterrupt):
            site.receive(Message("terms", {"terms": second.to_json()}))
    again = sites(BUDGET, count=1, folder=tmp_path)[0]
    joined(again, second)
    assert len(again.certificate.entries) == 2 * len(plan_privately(first, SCHEMA, BUDGET, None).asks)


def test_an_old_round_is_not_computed_again_by_a_site_that_was_killed(tmp_path):
    agreed = replace(AGREED, rounds=7)
    site = sites(BUDGET, folder=tmp_path)[0]
    domain, digest = joined(site, agreed)
    asked = [replace(first_demand(domain, digest, agreed), round=number).to_message() for number in range(6)]
    for message in asked:
        assert site.receive(message).kind == "update"
    again = sites(BUDGET, folder=tmp_path)[0]
    refused(again, asked[0], "not kept")


def test_after_the_end_only_answers_that_were_given_are_given_again(tmp_path):
    site = sites(BUDGET, folder=tmp_path)[0]
    domain, digest = joined(site, AGREED)
    closed = site.receive(Message("close", {"terms": AGREED.hash}))
    assert site.receive(Message("close", {"terms": AGREED.hash})).digest() == closed.digest()
    again = sites(BUDGET, folder=tmp_path)[0]
    assert again.receive(Message("close", {"terms": AGREED.hash})).digest() == closed.digest()
    refused(again, first_demand(domain, digest).to_message(), "no such terms")


@pytest.mark.parametrize("key_is_gone", [False, True])
def test_an_end_that_was_cut_off_is_brought_to_its_end(tmp_path, key_is_gone):
    site = sites(BUDGET, folder=tmp_path)[0]
    joined(site, AGREED)
    last = Message("close", {"terms": AGREED.hash})
    folder = tmp_path / "site0"
    if key_is_gone:
        site.receive(last)
        for kept in (folder / "answers").glob("*"):  # killed before the answer was on the disk
            if b"closed" in kept.read_bytes():
                kept.unlink()
    else:
        (folder / "close.asked").write_bytes(last.to_bytes())  # killed before the key was destroyed
    again = sites(BUDGET, folder=tmp_path)[0]
    assert not list(folder.glob("*.key"))
    answer = again.receive(last)
    assert answer.kind == "closed" and answer.facts["certificate"].count("training.denoiser") >= 1
    assert len(us.Certificate.from_json(answer.facts["certificate"]).entries) == 2


def test_an_end_under_other_terms_ends_nothing(tmp_path):
    site = sites(BUDGET, folder=tmp_path)[0]
    domain, digest = joined(site, AGREED)
    refused(site, Message("close", {"terms": "0" * 64}), "no such terms")
    assert not (tmp_path / "site0" / "close.asked").exists()
    assert (
        sites(BUDGET, folder=tmp_path)[0].receive(first_demand(domain, digest).to_message()).kind == "update"
    )


HOSTILE = {
    "codes": lambda value: value.astype(np.float16),
    "values": lambda value: value + 10**6,
    "missing": lambda value: np.zeros(2),  # noqa: ARG005
    "lower": lambda value: value.astype(bool),
}


@pytest.mark.parametrize("budget", [None, BUDGET], ids=["open", "private"])
@pytest.mark.parametrize("part", HOSTILE)
def test_a_domain_that_no_site_told_is_refused_before_rows_are_encoded(part, budget):
    site, agreed = sites(budget)[0], terms(private=budget is not None)
    site.receive(Message("terms", {"terms": agreed.to_json()}))
    described = site.receive(Message("describe", {"terms": agreed.hash}))
    told = site.receive(Message("margins", {"terms": agreed.hash, "schema": described.facts["schema"]}))
    arrays = {
        name: HOSTILE[part](value) if name.endswith(part) else value for name, value in told.arrays.items()
    }
    refused(site, Message("domain", {**told.facts, "terms": agreed.hash}, arrays), "domain")


def test_what_breaks_who_reads_it_is_refused_in_words_that_hold_none_of_it(monkeypatch):
    def odd(_: str):
        raise IndexError("secret")

    site = sites()[0]
    monkeypatch.setattr("understudy.federated.terms.Terms.from_json", odd)
    assert "secret" not in refused(site, Message("terms", {"terms": terms().to_json()}), "IndexError")
