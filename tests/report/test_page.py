"""The page: whole, honest, quiet, and the same whatever its names would like to be."""

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from report import dossiers
from report.hostile import PAYLOADS, named
from understudy.report.page import page

VOID = {"meta", "br", "img", "input", "link", "hr"}


class Seen(HTMLParser):
    """Elements, names of attributes, texts and inline scripts of a page, and whether all is closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open, self.inline = Counter(), [], [], {}
        self.found, self.stack = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements[tag, tuple(sorted(name for name, _ in attributes))] += 1
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_comment(self, _):
        self.elements["comment"] += 1

    def handle_data(self, data):
        if self.stack and self.stack[-1] in {"style", "script"}:
            self.inline[self.stack[-1]] = self.inline.get(self.stack[-1], "") + data
        else:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def shared():
    return page(dossiers.dossier(confidential=False))


@pytest.fixture(scope="module")
def internal():
    return page(dossiers.dossier())


def words(text):
    return " ".join(" ".join(Seen(text).texts).split())


def test_300_hostile_names_leave_the_elements_and_attributes_of_plain_ones():
    assert len(PAYLOADS) >= 300
    plain = {
        (confidential, count): Seen(
            page(named("plain", confidential=confidential, candidates=count))
        ).elements
        for confidential in (True, False)
        for count in (1, 2)
    }
    for at, payload in enumerate(PAYLOADS):
        kind = (at % 2 == 0, 1 + at % 3 // 2)
        text = page(named(payload, confidential=kind[0], candidates=kind[1]))
        assert Seen(text).elements == plain[kind], repr(payload)


def test_a_name_that_was_not_escaped_would_be_seen():
    plain = page(named("plain", confidential=True))
    assert Seen(plain.replace("plain", "<b>x</b>", 1)).elements != Seen(plain).elements


def test_no_character_that_steers_a_reader_or_a_terminal_is_left():
    text = page(named("a\u202eb\x00c\x1bd\u2028e\ud800f", confidential=True))
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]", text
    )
    assert r"a\u202eb\x00c\x1bd\u2028e\ud800f" in text
    text.encode("utf-8")


def test_a_template_in_a_name_is_not_rendered():
    text = page(named("{{7*7}}", confidential=True))
    assert "{{7*7}}" in text
    assert "49" not in words(text)


def test_the_policy_allows_exactly_the_style_and_the_script_that_are_there(shared):
    seen = Seen(shared)
    policy = next(a["content"] for a in seen.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(seen.inline[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
        assert len(seen.all(kind)) == 1
    assert "unsafe" not in policy


def test_nothing_is_loaded_and_nothing_is_inline_in_an_attribute(internal):
    for tag, attributes in Seen(internal).found:
        assert not {"style", "src", "srcset", "action", "formaction"} & set(attributes), tag
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|https?://(?!www\.w3\.org/2000/svg)", internal)


def test_a_refusal_and_its_reason_stand_before_everything_else():
    text = words(page(dossiers.dossier(dossiers.refused(), confidential=False)))
    assert (
        text.index("Refused")
        < text.index("Strongest membership attack: AUROC at most 0.60")
        < text.index("What this means")
    )
    assert 'class="verdict bad"' in page(dossiers.dossier(dossiers.refused()))


@pytest.mark.parametrize(
    ("made", "word"),
    [(dossiers.candidate, "Passes"), (dossiers.refused, "Refused"), (dossiers.undecided, "Undecided")],
)
def test_the_standing_is_a_word_and_not_only_a_colour(made, word):
    assert f"{word}</p>" in page(dossiers.dossier(made(), confidential=False))


def test_without_a_policy_nothing_passes():
    text = page(dossiers.dossier(dossiers.candidate(lines=())))
    assert "Not judged</p>" in text
    assert "Passes" not in text


def test_the_sections_come_in_the_order_of_a_reader_who_has_to_sign(internal):
    ids = [attributes["id"] for attributes in Seen(internal).all("section")]
    assert ids == [
        "overview",
        "policy",
        "risks",
        "fidelity",
        "utility",
        "ledger",
        "dictionary",
        "method",
        "limits",
        "sign-off",
    ]
    for heading in ("Singling out", "Linkability", "Inference", "Membership"):
        assert f"<h3>{heading}</h3>" in internal


def test_several_candidates_are_compared_first_and_then_told_one_by_one():
    text = page(dossiers.dossier(dossiers.candidate(), dossiers.refused()))
    ids = [attributes["id"] for attributes in Seen(text).all("section")]
    assert ids[:3] == ["compare", "candidate-1", "candidate-2"]
    assert "Average ranks" in text
    assert "Likeness, use and risk" in text


def test_only_the_internal_page_is_marked_and_tells_of_single_rows(shared, internal):
    assert "Internal. Confidential." in internal
    assert "Internal" not in shared
    for told in (
        "Records at risk",
        "Worst groups",
        "Data plagiarism index</h3>",
        "Amer-Indian-Eskimo",
        "real (outline)",
    ):
        assert told in internal
        assert told not in shared


def test_the_page_to_share_does_not_tell_how_many_real_rows_there_are(shared, internal):
    for count in ("16,281", "16,280", "32,561", "3,000", "a1a1a1", "b2b2b2", "adult-train.csv"):
        assert count in internal
        assert count not in shared
    assert "some of the train rows were targets" in shared


def test_a_dossier_that_only_says_that_it_may_be_shared_is_cut_all_the_same(shared):
    assert page(replace(dossiers.dossier(), confidential=False)) == shared


def test_what_was_not_measured_is_listed_with_its_reason(shared):
    row = shared[shared.index("Broken declarations") :]
    row = row[: row.index("</tr>")]
    assert "not measured" in row
    assert "undefined: the schema declares no rule" in row


def test_every_picture_has_a_title_and_words_for_those_who_cannot_see_it(internal):
    for svg in re.findall("<svg.*?</svg>", internal, re.S):
        assert re.match(r'<svg[^>]* role="img"[^>]*><title>[^<]+</title><desc>[^<]+</desc>', svg), svg[:200]


def test_every_table_has_a_caption_and_every_head_a_scope(internal):
    seen = Seen(internal)
    assert len(seen.all("table")) == len(seen.all("caption")) > 10
    assert {attributes.get("scope") for attributes in seen.all("th")} == {"row", "col"}
    assert all(
        attributes.get("tabindex") == "0"
        for attributes in seen.all("div")
        if "box" in attributes.get("class", "").split()
    )


def test_no_two_elements_have_one_id(internal):
    ids = [attributes["id"] for _, attributes in Seen(internal).found if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_page_is_whole_and_small(internal):
    seen = Seen(internal)
    assert not seen.stack
    assert internal.lower().startswith("<!doctype html>")
    assert seen.all("html")[0]["lang"] == "en"
    assert len(internal.encode()) < 600_000


def test_a_wide_table_is_cut_and_the_rest_is_named():
    names = tuple(f"column_{at}" for at in range(60))
    some = dossiers.candidate()
    wide = replace(
        some,
        histograms=tuple(replace(some.histograms[0], column=name) for name in names),
        grids=(replace(some.grids[0], names=names, values=((0.1,) * 60,) * 60),),
    )
    text = page(dossiers.dossier(wide))
    assert text.count('class="plot small"') == 40
    assert "Not drawn, for there are too many: <bdi>column_40</bdi>" in text
    assert len(text.encode()) < 3 * 2**20


def test_nothing_is_said_in_the_name_of_a_certificate_that_cannot_be_relied_on():
    for line in (dossiers.REFUTED, dossiers.STRANGE):
        made = dossiers.candidate(lines=(line,), claim_stands=False)
        said = words(page(dossiers.dossier(made, confidential=False)))
        # First of all, as the guarantee, to five questions of NIST, and above the ledger.
        assert said.count("The certificate cannot be relied on: ") == 8
        assert ")-differential privacy" not in said
        assert "Guessing finds" not in said
        assert "Status: sound" not in said


def test_the_title_over_several_candidates_says_no_more_than_holds_of_the_worst():
    several = dossiers.dossier(dossiers.undecided(), dossiers.candidate())
    assert "<title>Adult, census income 1994: undecided</title>" in page(several)
    several = dossiers.dossier(dossiers.refused(), dossiers.undecided(), dossiers.candidate())
    assert "<title>Adult, census income 1994: refused</title>" in page(several)
    assert "<title>Adult, census income 1994: passes</title>" in page(dossiers.dossier(dossiers.candidate()))
    nothing = dossiers.dossier(dossiers.candidate(lines=()))
    assert ": not judged</title>" in page(nothing)


def test_every_verdict_is_explained(shared):
    for word in ("Kept:", "Unsure:", "left to a person", "Broken:", "Not judged:"):
        assert word in words(shared)
