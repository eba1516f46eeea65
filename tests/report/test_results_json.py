"""The machine-readable twin says what the dossier says, and nothing that may not leave."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hostile_texts import HOSTILE
from report.dossiers import STRANGE
from report.whole_dossier import COUNT, candidate, dossier, has_canary, results
from understudy.privacy.certificate_json import figures
from understudy.report.dossier import Line
from understudy.report.plain_json import whole_text
from understudy.report.results_json import results_json
from understudy.report.results_schema import Results


def tree(made):
    return json.loads(results_json(made))


def test_every_result_is_there_with_its_candidate_and_its_verdict():
    found = tree(dossier())["results"]
    assert [each["name"] for each in found] == ["fidelity.toy", "privacy.mia", "utility.x"]
    assert {each["candidate"] for each in found} == {"a.csv"}
    assert [each["verdict"] for each in found] == ["worse", "worse", "unknown"]
    for each, result in zip(found, results(), strict=True):
        assert set(each) == {*result.to_dict(), "candidate", "verdict"}


def test_numbers_have_six_digits_and_what_is_undefined_is_null():
    first, _, last = tree(dossier())["results"]
    assert first["value"] == 0.333333
    assert first["parts"] == {"x": 0.666667, "b": None}
    assert [last[key] for key in ("value", "low", "high")] == [None] * 3


def test_a_confidential_dossier_gives_the_same_file_as_the_part_that_may_leave():
    assert results_json(dossier()) == results_json(dossier().shared())


def test_nothing_of_the_real_side_is_in_it():
    text = results_json(dossier())
    assert not has_canary(text)
    assert "per_record" not in text
    assert has_canary(f"{COUNT:,}")


def test_only_a_count_of_synthetic_rows_is_told():
    assert [each["n"] for each in tree(dossier())["results"]] == [None, None, 50]


def test_several_candidates_stand_side_by_side_in_flat_lists():
    fine = candidate("y", "b.csv", lines=(), certificate=None)
    found = tree(dossier("x", candidate(), fine))
    assert [each["name"] for each in found["candidates"]] == ["a.csv", "b.csv"]
    assert [each["standing"] for each in found["candidates"]] == ["refused", "undecided"]
    assert found["standing"] == "undecided"
    assert [each["candidate"] for each in found["results"]] == ["a.csv"] * 3 + ["b.csv"] * 3
    assert [each["candidate"] for each in found["lines"]] == ["a.csv"] * 2
    assert found["candidates"][1]["certificate"] is None


def test_the_certificates_figures_are_told():
    made = candidate()
    claim = tree(dossier())["candidates"][0]["certificate"]
    assert claim["status"] == "sound"
    assert claim["figures"] == pytest.approx(figures(made.certificate), rel=1e-5)
    assert claim["chain"] == json.loads(made.certificate.to_json())["chain"]


def test_what_was_asked_for_stands_beside_it():
    found = tree(dossier("t"))
    assert (found["title"], found["level"], found["seed"], found["policy"]) == ("t", "quick", 7, "t")
    assert found["versions"]["understudy"] == "0.1.0" and found["hardware"]["cores"] == "2"
    assert found["limits"][1] == "It says nothing about other releases."
    assert found["seconds"] == 12.3457 and found["format"] == 1


def test_the_standing_is_that_of_the_dossier():
    kept, refused = candidate(lines=candidate().lines[:1]), candidate()
    asked_nothing = candidate(lines=())
    unsure = candidate(lines=(replace(refused.lines[0], verdict="unsure"),))
    for some in ((kept,), (kept, refused), (refused,), (unsure, refused), (asked_nothing,)):
        made = dossier("x", *some)
        assert tree(made)["standing"] == made.standing
    assert tree(dossier("x", refused, kept))["standing"] == "passes"


def test_parts_that_count_real_rows_are_left_out():
    parts = {"race.attack_hits": 735.0, "race.attack_guesses": 1000.0, "control": 0.5}
    found = tree(dossier("x", candidate(results=(replace(results()[1], parts=parts),))))
    assert found["results"][0]["parts"] == {"control": 0.5}


def test_no_count_of_real_rows_is_in_a_finding_or_in_why_a_line_was_not_judged():
    line = Line("a", "b", f"it has {COUNT:,} rows", "not judged")
    assert not has_canary(results_json(dossier("x", candidate(lines=(line,), findings=(line.found,)))))


def test_the_figures_of_a_certificate_that_cannot_be_relied_on_are_marked():
    assert tree(dossier())["candidates"][0]["certificate"]["stands"] is True
    made = dossier("x", candidate(lines=(STRANGE,), claim_stands=False))
    claim = tree(made)["candidates"][0]["certificate"]
    assert claim["stands"] is False
    assert claim["why_not"].startswith("The certificate cannot be relied on: its digests name another file")


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_names_come_back_as_they_were(word):
    made = dossier(word, candidate(word, word))
    text = results_json(made)
    assert not set("<>&") & set(text)
    assert Results.from_json(text).candidates[0].name == whole_text(word)
    assert json.loads(text)["lines"][0]["source"] == whole_text(word)
