"""The card tells what may be told, and no name in it does anything but stand there."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from hostile_texts import HOSTILE, Seen, tags
from report.dossiers import REFUTED, STRANGE
from report.whole_dossier import DIGEST, candidate, certificate, dossier, has_canary
from understudy.errors import ParameterError
from understudy.markup import spelled
from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import Pure
from understudy.report.model_card import model_card
from understudy.result import Result

READER = MarkdownIt("commonmark").enable("table")
SECTIONS = [
    "What it is", "Intended use and limits", "How it was made", "Guarantee", "Evaluation", "Risks", "Policy",
    "How to verify", "Versions",
]  # fmt: skip


def card(*words, **changes):
    return model_card(dossier(*words, **changes).shared())


def parted(text):
    """Return the lines of the head and the text below it."""
    assert text.startswith("---\n")
    head, body = text.removeprefix("---\n").split("\n---\n", 1)
    return head.splitlines(), body


def test_a_confidential_dossier_is_refused():
    with pytest.raises(ParameterError, match="model card: expected a dossier that may leave"):
        model_card(dossier())


def test_every_section_is_there_in_order():
    _, body = parted(card())
    assert [line[3:] for line in body.splitlines() if line.startswith("## ")] == SECTIONS


def test_the_head_says_what_hugging_face_asks_for():
    head, _ = parted(card("title"))
    assert head == [
        "license: other  # for the publisher to choose",
        "library_name: understudy",
        'pretty_name: "title"',
        "tags:",
        "- synthetic-data",
        "- tabular",
        "- differential-privacy",
    ]


@pytest.mark.parametrize(
    "made",
    [
        None,
        Certificate((Entry("rows", "train"),)),
        Certificate((*certificate().entries, Entry("r", "train"))),
        Certificate((*certificate().entries, Entry("a level is told", "schema", Pure(0.0, 0.03)))),
        Certificate((*certificate().entries, Entry("choices", "train", Pure(20.0, 0.0)))),
    ],
)
def test_only_a_sound_certificate_is_tagged_as_differential_privacy(made):
    assert "- differential-privacy" not in parted(card("x", candidate("x", "b.csv", certificate=made)))[0]
    both = card("x", candidate(), candidate("x", "b.csv", certificate=made))
    assert "- differential-privacy" not in parted(both)[0]


def test_scores_risks_policy_and_guarantee_are_told():
    _, body = parted(card())
    evaluation = body.split("## Evaluation")[1].split("## Risks")[0]
    assert "| fidelity.toy | fidelity.toy | 0.333 | 0.250 to 0.500 | 0.125 | lower |" in evaluation
    assert "not measured" in evaluation and "privacy.mia" not in evaluation
    risks = body.split("## Risks")[1].split("## Policy")[0]
    assert "privacy.mia | 0.900 | 0.850 to 0.950 | 0.500 | lower | more than chance" in risks
    assert "| b | at most 1 | 2 | broken |" in body
    assert "differential privacy per row, add/remove" in body and "Guessing finds 1%" in body
    assert DIGEST in body and "refused by the policy" in body


def test_a_table_without_a_certificate_has_no_guarantee():
    body = card("x", candidate(certificate=None, recipe="", lines=(), results=()))
    for text in ("No guarantee", "not known to the audit", "Nothing was asked.", "Nothing was measured."):
        assert text in body


def test_a_claim_that_an_audit_broke_is_called_false_and_is_no_tag():
    for line in (REFUTED, STRANGE):
        head, body = parted(card("x", candidate(lines=(line,), claim_stands=False)))
        guarantee = body.split("## Guarantee\n\n")[1].split("\n\n## ")[0]
        assert guarantee.startswith("**The certificate cannot be relied on: ") and guarantee.endswith("**")
        assert "differential privacy" not in body and "Guessing finds" not in body
        assert "- differential-privacy" not in head
    assert "cannot be relied on" not in card()


def test_an_excess_that_the_judge_did_not_hold_against_the_claim_is_not_held_against_it_here():
    audit = Result("privacy.epsilon_audit", 3, 2, 4, 0, "lower", True, parts={"exceeds": 1.0})
    assert "- differential-privacy" in parted(card("x", candidate(results=(audit,))))[0]


def test_a_table_that_nothing_was_asked_of_does_not_pass():
    assert "passes the policy" not in card("x", candidate(lines=()))
    assert "passes the policy" in card("x", candidate(lines=candidate().lines[:1]))


def test_several_candidates_stand_under_their_names():
    _, body = parted(card("x", candidate(), candidate("x", "b.csv")))
    assert body.count("\n### a.csv\n") == body.count("\n### b.csv\n") == 5


def test_nothing_of_the_real_side_is_in_it():
    assert not has_canary(card())


@pytest.mark.parametrize("word", HOSTILE)
def test_a_hostile_name_adds_no_element_and_no_line_to_the_head(word):
    head, body = parted(card(word, candidate(word), candidate(word, word)))
    plain = "x" if spelled(word).strip() else " "
    head_of_plain, plain_body = parted(card(plain, candidate(plain), candidate(plain, plain)))
    assert tags(READER.render(body)) == tags(READER.render(plain_body))
    assert head[:2] + head[3:] == head_of_plain[:2] + head_of_plain[3:]
    assert head[2].isprintable()
    assert spelled(word).strip() in "".join(Seen(READER.render(body)).texts)
    assert "---" not in body.replace("---|", "").splitlines()
