"""The ten lines: few, plain, the alarming first, and the reasons of a refusal."""

import math
import re
from dataclasses import replace

from report import dossiers
from understudy.privacy.meaning import plain_meaning
from understudy.report.dossier import Line
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
    for line in (dossiers.REFUTED, dossiers.STRANGE):
        lines = means(dossiers.candidate(lines=(*dossiers.LINES, line), claim_stands=False))
        assert lines[0].startswith("The certificate cannot be relied on: ")
        assert not set(plain_meaning(dossiers.certificate())) & set(lines)
        assert lines[1] == "Of 8 lines of the policy 7 are kept, 1 is broken."


def test_one_line_is_and_several_are():
    one = dossiers.candidate(lines=dossiers.LINES[:1])
    assert means(one)[0] == "Of 1 line of the policy 1 is kept."


def test_a_guarantee_that_is_not_there_is_left_to_a_person_and_not_to_more_rows():
    line = Line("guarantee", "there is one", "there is none", "unsure")
    assert means(dossiers.candidate(lines=(line,)))[0] == (
        "Of 1 line of the policy 1 is left to a person: nothing is proven, or too little."
    )
    lines = (replace(line, what="privacy.mia"), replace(line, what="privacy.dpi", verdict="not judged"))
    assert means(dossiers.candidate(lines=lines))[0] == (
        "Of 2 lines of the policy 1 cannot be decided with this many rows, 1 could not be judged."
    )


def test_what_is_beyond_chance_is_said_once():
    text = "\n".join(means(dossiers.candidate(results=dossiers.results(0.46, 1))))
    assert re.search(r"Singling out: \S+ % are found beyond chance \(\S+ to \S+\)\.", text)
    assert "more than chance" not in text
    even = "\n".join(means(dossiers.candidate()))
    assert "(0 to 2.32), no more than chance may give." in even


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
    some = replace(dossiers.refused(), lines=(*dossiers.refused().lines, dossiers.REFUTED))
    assert reasons(some)[0] == dossiers.REFUTED
    assert means(some)[0].startswith("The certificate cannot be relied on")


def test_copies_that_chance_does_not_explain_have_a_line():
    copied = replace(dossiers.results()[0], name="privacy.identical_match", value=0.9984, low=0.99, high=1.0)
    copied = replace(copied, null=0.001, better="null")
    assert "Copies: 99.8 % of its rows are rows of the real table; chance explains 0.100 %." in means(
        dossiers.candidate(results=(copied,))
    )
    assert not [line for line in means(dossiers.candidate()) if line.startswith("Copies")]
