"""The ten lines: few, plain, the alarming first, and the reasons of a refusal."""

import math
from dataclasses import replace

from report import dossiers
from understudy.privacy.meaning import plain_meaning
from understudy.report.summary import means, reasons


def test_there_are_at_most_ten_lines():
    for made in (dossiers.candidate, dossiers.refused, dossiers.undecided):
        assert 5 <= len(means(made())) <= 10


def test_the_policy_is_first_and_the_certificate_speaks_for_itself():
    lines = means(dossiers.candidate())
    assert lines[0] == "Of 7 lines of the policy 7 are kept."
    assert set(plain_meaning(dossiers.certificate())) <= set(lines)
    assert means(dossiers.refused())[0] == "Of 7 lines of the policy 4 are kept, 3 are broken."


def test_a_false_certificate_is_said_before_anything_else():
    some = dossiers.candidate()
    audit = replace(some.results[0], name="privacy.epsilon_audit", parts={"exceeds": 1.0})
    lines = means(replace(some, results=(audit,)))
    assert lines[0] == "The certificate is false: an attack found more about rows than it allows."


def test_the_strongest_attack_and_each_question_of_the_opinion_have_a_line():
    text = "\n".join(means(dossiers.candidate()))
    assert "The strongest of 11 attacks (GAN-Leaks, calibrated)" in text
    for question in ("Membership:", "Singling out:", "Linkability:", "Inference:", "Likeness:", "Use:"):
        assert question in text


def test_nothing_is_said_of_what_was_not_measured():
    empty = dossiers.candidate(results=(), lines=(), certificate=None)
    assert means(empty) == (
        "No policy was asked for: nothing here was judged.",
        "No certificate came with it: only the attacks that were run say what it may reveal.",
    )
    unknown = tuple(replace(each, value=math.nan) for each in dossiers.results())
    assert len(means(replace(empty, results=unknown))) == 2


def test_the_reasons_are_the_broken_lines_or_else_the_open_ones():
    assert [line.what for line in reasons(dossiers.refused())] == [
        "Strongest membership attack",
        "Exact copies",
        "Epsilon",
    ]
    assert [line.verdict for line in reasons(dossiers.undecided())] == ["unsure"]
    assert reasons(dossiers.candidate()) == ()


def test_a_false_certificate_is_the_first_reason():
    false = replace(dossiers.LINES[5], found="the claim is false: an attack exceeds it", verdict="broken")
    some = replace(dossiers.refused(), lines=(*dossiers.refused().lines, false))
    assert reasons(some)[0] == false
    assert means(some)[0].startswith("The certificate is false")


def test_copies_that_chance_does_not_explain_have_a_line():
    copied = replace(dossiers.results()[0], name="privacy.identical_match", value=0.9984, low=0.99, high=1.0)
    copied = replace(copied, null=0.001, better="null")
    assert "Copies: 99.8 % of its rows are rows of the real table; chance explains 0.100 %." in means(
        dossiers.candidate(results=(copied,))
    )
    assert not [line for line in means(dossiers.candidate()) if line.startswith("Copies")]
