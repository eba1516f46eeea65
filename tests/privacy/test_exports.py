"""The certificate in the terms of NIST SP 800-226 and of the deployment registry: nothing is made better."""

from __future__ import annotations

import json

import pytest

from report import dossiers
from understudy.model.job import certified
from understudy.privacy.budget import Budget
from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import DiscreteGaussian, Gaussian, Pure, Renyi, Selection
from understudy.privacy.exports import to_nist_800_226, to_registry
from understudy.privacy.ledger import Ledger
from understudy.privacy.noise_words import noise_told
from understudy.privacy.seal import Seal
from understudy.privacy.vault import NOT_PRIVATE
from understudy.report.guarantee import requirements
from understudy.synth.histogram import Histogram
from understudy.table.schema import Schema
from understudy.testing.tables import people

PAID = Entry("sums", "measure", Gaussian(4.0), because="clipped")
BOUGHT = Entry("rows in each power of two", "schema", DiscreteGaussian(30.0, 3), because="one cell per table")
SOUND = Certificate((BOUGHT, PAID), declared={"age": "bounds"}, tool="understudy 0", versions={"python": "3"})


def judgements(certificate):
    return {name: line["judgement"] for name, line in to_nist_800_226(certificate)["lines"].items()}


def test_every_line_is_met_assumed_or_not_met_and_says_why():
    for certificate in (SOUND, Certificate(()), Certificate((Entry("rows", "train"),))):
        for line in to_nist_800_226(certificate)["lines"].values():
            assert set(line) == {"judgement", "reason"} and line["reason"]
            assert line["judgement"] in {"met", "assumed", "not met"}


def test_a_sound_certificate_meets_what_a_tool_can_meet_and_assumes_the_rest():
    found = judgements(SOUND)
    assert "not met" not in found.values()
    assert found["epsilon and delta"] == found["neighbouring relation"] == "met"
    assert {name for name, judgement in found.items() if judgement == "assumed"} == {
        "unit of privacy", "mechanism correctness", "bounds, levels and row count",
        "randomness and floating point", "side channels", "trust model", "access control", "data collection",
        "repeated releases",
    }  # fmt: skip


@pytest.mark.parametrize(("entry", "line", "judgement"), [
    (Entry("rows", "train"), "epsilon and delta", "not met"),
    (Entry("rows", "train"), "algorithms and post-processing", "not met"),
    (Entry("rows", "train"), "randomness and floating point", "not met"),
    (Entry("bounds", "schema"), "bounds, levels and row count", "not met"),
    (Entry("sums", "measure", Gaussian(0.05), because="x"), "epsilon and delta", "not met"),
    (Entry("sums", "measure", Gaussian(4.0)), "mechanism correctness", "assumed"),
    (Entry("sums", "measure", Gaussian(4.0), because="x", condition="y"), "epsilon and delta", "assumed"),
    (Entry("rows", "sample", Renyi((2.0,), (0.1,)), because="x"), "randomness and floating point", "assumed"),
    (Entry("pairs", "select", Selection(0.1, 4), because="x"), "randomness and floating point", "assumed"),
    (Entry(NOT_PRIVATE, "evaluate"), "mechanism correctness", "not met"),
    (Entry("rows", "train"), "bounds, levels and row count", "not met"),
    (Entry("sums", "measure", Gaussian(4.0), because="x"), "bounds, levels and row count", "assumed"),
    (Entry("levels", "schema", Pure(0.0, 1e-10), because="x"), "bounds, levels and row count", "met"),
])  # fmt: skip
def test_what_is_wrong_shows_in_its_line(entry, line, judgement):
    assert judgements(Certificate((entry,)))[line] == judgement


def test_a_delta_that_was_set_aside_moves_the_headline_and_not_the_judgement():
    aside = Entry("a level of one row is told", "schema", Pure(0.0, 1e-7), because="threshold")
    line = to_nist_800_226(Certificate((PAID, aside)))["lines"]["epsilon and delta"]
    assert line["judgement"] == "met" and line["reason"].endswith("at delta 1e-06")
    far = Entry("a level of one row is told", "schema", Pure(0.0, 1e-3), because="threshold")
    line = to_nist_800_226(Certificate((PAID, far)))["lines"]["epsilon and delta"]
    assert line["judgement"] == "not met" and line["reason"].startswith("no epsilon holds at delta 1e-05")


def test_mechanisms_and_noise_are_said_to_be_no_more_than_the_report_says():
    lines = to_nist_800_226(SOUND)["lines"]
    told = {line.what: line for line in requirements(dossiers.candidate(certificate=SOUND))}
    same = {
        "mechanism correctness": "Mechanism correctness",
        "randomness and floating point": "Floating point and side channels",
    }
    assert all(lines[ours]["judgement"] == told[theirs].answer for ours, theirs in same.items())
    assert "tested, not formally proved" in lines["mechanism correctness"]["reason"]
    assert noise_told(SOUND) == lines["randomness and floating point"]["reason"]
    assert noise_told(SOUND)[1:] in told["Floating point and side channels"].why


def test_bounds_are_said_to_be_bought_or_declared_only_where_they_are():
    def line(model):
        return to_nist_800_226(model.certificate)["lines"]["bounds, levels and row count"]

    def fit(schema=None):
        return Histogram().fit(people(200), schema, Budget(epsilon=1.0, delta=1e-6), progress=False)

    bought = fit()
    assert line(bought)["judgement"] == "met" and "how many rows there are" in line(bought)["reason"]
    again = line(fit(bought.schema))
    assert again["judgement"] == "assumed" and "that price is in another certificate" in again["reason"]
    assert "bought through" not in again["reason"]
    declared = line(fit(Schema.infer(people(200)).declare()))
    assert declared["judgement"] == "assumed" and declared["reason"].startswith("declared as public for")
    assert "bought" not in declared["reason"]
    rows = to_nist_800_226(certified(Ledger(), None, rows=200))["lines"]["bounds, levels and row count"]
    assert rows["judgement"] == "assumed" and "declared, as 200" in rows["reason"]


def test_a_tier_three_entry_names_what_the_registry_asks_for():
    found = to_registry(SOUND)
    assert {
        "dp flavor", "privacy unit", "privacy loss parameters", "deployment model", "data domain",
        "unprotected quantities", "composition", "post-processing", "implementation", "security",
    } <= set(found)  # fmt: skip
    assert found["unprotected quantities"] == []
    assert found["data domain"]["declared"] == {"age": "bounds"}
    assert found["data domain"]["bought"] == ["rows in each power of two"]
    assert found["privacy loss parameters"]["epsilon at delta 1e-9"] == pytest.approx(SOUND.epsilon(1e-9))


def test_unprotected_quantities_and_parts_are_named():
    partial = Certificate((PAID, Entry("latents", "train")), seals=(Seal("weights", "ab" * 32, 1),))
    found = to_registry(partial)
    assert found["unprotected quantities"] == ["latents"]
    assert found["post-processing"]["weights"] == "post-processing of priced reads only"
    assert found["dp flavor"] == "none for everything together"
    reason = to_nist_800_226(partial)["lines"]["epsilon and delta"]["reason"]
    assert reason == "no bound: rows were read as they are; bounded for weights"


def test_both_are_plain_json():
    for certificate in (SOUND, Certificate((Entry("rows", "train"),))):
        for export in (to_nist_800_226, to_registry):
            assert json.loads(json.dumps(export(certificate), allow_nan=False)) == export(certificate)
