"""The guarantee: one sentence, and eight honest answers."""

from dataclasses import replace

import pytest

from report import dossiers
from understudy.privacy.certificate import NOT_COVERED, Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian, Pure
from understudy.privacy.meaning import headline, plain_meaning
from understudy.report.guarantee import bounded, doubt, guaranteed, requirements, sentence
from understudy.report.words import figure


def answers(candidate):
    return {line.what: line.answer for line in requirements(candidate)}


def exceeding(candidate):
    audit = replace(
        candidate.results[0], name="privacy.epsilon_audit", parts={"exceeds": 1.0, "allowed": 1.0}
    )
    return replace(candidate, results=(*candidate.results, audit))


def test_the_sentence_says_how_much_for_whom_covering_what_and_what_not():
    said, (epsilon, delta) = sentence(dossiers.certificate()), headline(dossiers.certificate())
    assert said.startswith(f"({figure(epsilon)}, {delta:g})-differential privacy per row, add/remove")
    assert (
        "covering these steps: counts of every column, counts of chosen pairs, gradients of the net" in said
    )
    assert all(each in said for each in NOT_COVERED)


def test_rows_that_were_read_as_they_are_leave_no_guarantee():
    assert sentence(dossiers.open_certificate()).startswith(
        "No guarantee for the whole: private rows were read"
    )
    assert sentence(None).startswith("No guarantee")


TOO_LITTLE = {
    "no epsilon holds": Certificate(
        (Entry("sums", "measure", Gaussian(5.0)), Entry("a level is told", "schema", Pure(0.0, 0.03)))
    ),
    "the bound is close to none": Certificate((Entry("sums", "measure", Pure(20.0, 0.0)),)),
}


@pytest.mark.parametrize(("why", "certificate"), TOO_LITTLE.items())
def test_a_bound_that_holds_nobody_back_does_not_meet_the_first_question(why, certificate):
    found = requirements(dossiers.candidate(certificate=certificate))[0]
    assert found.answer == "not met" and why in found.why.lower()
    assert not bounded(certificate)


def test_an_infinite_epsilon_is_never_called_differential_privacy():
    loose = TOO_LITTLE["no epsilon holds"]
    for said in (sentence(loose), " ".join(plain_meaning(loose))):
        assert "differential privacy" not in said and "inf" not in said and "∞" not in said
        assert "No epsilon holds at delta 1e-05; the smallest round delta at which one does is 0.04" in said


def test_many_steps_are_cut():
    many = Certificate(tuple(Entry(f"step {at}", "measure", Gaussian(50.0)) for at in range(9)))
    assert "step 5, and 3 more" in sentence(many)


def test_all_eight_questions_are_answered_and_only_the_signer_knows_two():
    found = answers(dossiers.candidate())
    assert len(found) == 8
    assert [what for what, answer in found.items() if answer == "signer"] == [
        "Access control",
        "Data collection",
    ]
    assert found["Epsilon and delta"] == found["Neighbouring relation"] == "met"
    assert found["Mechanism correctness"] == found["Unit of privacy"] == "assumed"


def test_a_condition_makes_the_figures_an_assumption():
    condition = Certificate((Entry("sums", "measure", Gaussian(5.0), condition="no row is empty"),))
    assert answers(dossiers.candidate(certificate=condition))["Epsilon and delta"] == "assumed"


@pytest.mark.parametrize("certificate", [None, dossiers.open_certificate()])
def test_without_a_bound_the_figures_are_not_met(certificate):
    assert answers(dossiers.candidate(certificate=certificate))["Epsilon and delta"] == "not met"


@pytest.mark.parametrize("line", [dossiers.REFUTED, dossiers.STRANGE])
@pytest.mark.parametrize("stands", [True, False])
def test_a_broken_line_about_the_certificate_leaves_nothing_to_rely_on(line, stands):
    candidate = dossiers.candidate(lines=(*dossiers.LINES, line), claim_stands=stands)
    said = doubt(candidate)
    assert said.startswith("The certificate cannot be relied on: ")
    assert guaranteed(candidate) == said and "differential privacy" not in said
    assert [line.why for line in requirements(candidate)][:5] == [said] * 5
    assert "met" not in answers(candidate).values()
    assert list(answers(candidate)) == list(answers(dossiers.candidate()))


def test_the_name_of_the_attack_that_refutes_is_in_words():
    found = doubt(dossiers.candidate(lines=(dossiers.REFUTED,)))
    assert found.endswith("the claim is false: GAN-Leaks finds at least 61.2% of members.")


def test_a_claim_that_does_not_stand_needs_no_line():
    assert "another file" in doubt(dossiers.candidate(claim_stands=False))
    assert doubt(dossiers.candidate(claim_stands=False, certificate=None)) == ""


def test_only_the_judge_decides_whether_a_claim_is_false():
    # An attack may exceed the bound because train and holdout differ in law: the line says so.
    assert doubt(exceeding(dossiers.candidate())) == ""
    unsure = replace(dossiers.REFUTED, verdict="unsure")
    assert doubt(dossiers.candidate(lines=(unsure,))) == ""
    assert guaranteed(dossiers.candidate()) == sentence(dossiers.certificate())


def test_without_a_certificate_nothing_is_known_of_the_mechanisms():
    found = {line.what: line.why for line in requirements(dossiers.candidate(certificate=None))}
    for what in ("Epsilon and delta", "Mechanism correctness", "Floating point and side channels"):
        assert found[what] == "Not known: no certificate was given."


def test_what_was_read_as_it_is_has_no_mechanism_to_be_right():
    found = answers(dossiers.refused())
    assert found["Mechanism correctness"] == found["Floating point and side channels"] == "not met"
