"""The certificate in the terms of NIST SP 800-226 and of the deployment registry: nothing is made better."""

from __future__ import annotations

import json

import pytest

from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import DiscreteGaussian, Gaussian, Pure, Renyi
from understudy.privacy.exports import to_nist_800_226, to_registry
from understudy.privacy.seal import Seal
from understudy.privacy.vault import NOT_PRIVATE

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
    assert found["epsilon and delta"] == found["mechanism correctness"] == "met"
    assert {name for name, judgement in found.items() if judgement == "assumed"} == {
        "unit of privacy", "bounds, levels and row count", "side channels", "trust model", "access control",
        "data collection", "repeated releases",
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
    (Entry(NOT_PRIVATE, "evaluate"), "mechanism correctness", "not met"),
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
    assert line == {"judgement": "not met", "reason": "no finite epsilon at any delta up to 1e-5"}


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
