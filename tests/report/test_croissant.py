"""A loader finds every column of the stand-in, and nothing of the real table."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from hostile_texts import HOSTILE
from report.dossiers import REFUTED
from report.whole_dossier import DIGEST, KINDS, candidate, dossier, has_canary
from understudy.report.croissant import croissant


def tree(*words, **changes):
    return json.loads(croissant(dossier(*words, **changes)))


def terms(part):
    """Return every key that is no keyword of JSON-LD."""
    if isinstance(part, list):
        return {name for each in part for name in terms(each)}
    if not isinstance(part, dict):
        return set()
    return {name for name in part if name[0] != "@"} | {n for each in part.values() for n in terms(each)}


def ids(part):
    if isinstance(part, list):
        return [found for each in part for found in ids(each)]
    if not isinstance(part, dict):
        return []
    own = [part["@id"]] if "@id" in part and "@type" in part else []
    return own + [found for name, each in part.items() if name != "@context" for found in ids(each)]


def test_it_says_which_version_it_conforms_to():
    found = tree()
    assert found["@type"] == "sc:Dataset"
    assert found["conformsTo"] == [
        "http://mlcommons.org/croissant/1.1",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert found["isLiveDataset"] is False and found["rai:hasSyntheticData"] is True
    assert found["datePublished"] == "2026-02-03"


def test_every_croissant_word_is_in_the_context():
    found = tree()
    context = found.pop("@context")
    of_schema = {
        "name",
        "description",
        "keywords",
        "datePublished",
        "distribution",
        "contentUrl",
        "encodingFormat",
    }
    prefixed = {name for name in terms(found) if name.split(":")[0] in context and ":" in name}
    assert terms(found) - set(context) - prefixed - of_schema == {"sha256"}  # schema.org has that word too
    assert prefixed == {
        "rai:hasSyntheticData", "rai:dataCollection", "rai:dataLimitations",
        "rai:personalSensitiveInformation", "prov:wasGeneratedBy",
    }  # fmt: skip


def test_the_file_has_its_hash_and_its_format():
    (file,) = tree()["distribution"]
    assert (file["sha256"], file["encodingFormat"], file["contentUrl"]) == (DIGEST, "text/csv", "a.csv")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("A.CSV.gz", "application/gzip"),
        ("a.parquet", "application/x-parquet"),
        ("a.arrow", "application/vnd.apache.arrow.file"),
        ("synthetic", "application/octet-stream"),
    ],
)
def test_the_format_follows_from_the_ending(name, kind):
    assert tree("x", candidate("x", name))["distribution"][0]["encodingFormat"] == kind


def test_what_is_no_hash_is_not_called_one():
    assert "sha256" not in tree("x", candidate(digest=""))["distribution"][0]


def test_every_column_is_a_field_of_its_file():
    found = tree()
    (records,) = found["recordSet"]
    types = {field["name"]: field["dataType"] for field in records["field"]}
    assert list(types) == [*(f"{kind}_x" for kind in KINDS), "x"]
    assert (types["numerical_x"], types["boolean_x"], types["date_x"]) == (
        "sc:Float",
        "sc:Boolean",
        "sc:Date",
    )
    assert types["categorical_x"] == types["duration_x"] == "sc:Text"
    for field in records["field"]:
        assert field["source"] == {"fileObject": {"@id": "table-0"}, "extract": {"column": field["name"]}}


def test_several_candidates_are_several_files_with_identifiers_of_their_own():
    found = tree("x", candidate(), candidate("x", "b.csv"))
    assert [each["name"] for each in found["distribution"]] == ["a.csv", "b.csv"]
    assert len(ids(found)) == len(set(ids(found))) == 2 * (2 + 11)


def test_limits_and_the_guarantee_are_told():
    found = tree("lim")
    assert found["rai:dataLimitations"] == ["lim", "It says nothing about other releases."]
    assert any("differential privacy per row" in line for line in found["rai:personalSensitiveInformation"])


def test_a_certificate_that_cannot_be_relied_on_guarantees_nothing():
    told = tree("x", candidate(lines=(REFUTED,), claim_stands=False))["rai:personalSensitiveInformation"]
    assert told[1].startswith("a.csv: The certificate cannot be relied on: ")
    assert not any("differential privacy" in line for line in told)


def test_a_moment_that_is_no_date_is_not_told():
    assert "datePublished" not in tree(made="yesterday")


def test_nothing_of_the_real_side_is_in_it_and_a_confidential_dossier_gives_the_same():
    assert not has_canary(croissant(dossier()))
    assert croissant(dossier()) == croissant(dossier().shared())


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_names_come_back_as_they_were_and_are_no_identifiers(word):
    text = croissant(dossier(word, candidate(word, word)))
    assert text.isascii() and not set("<>&") & set(text)
    found, plain = json.loads(text), tree("x", candidate("x", "x"))
    assert ids(found) == ids(plain) and terms(found) == terms(plain)
    assert found["recordSet"][0]["field"][-1]["source"]["extract"] == {"column": word}
    (file,) = found["distribution"]
    assert ":" not in file["contentUrl"] and "/" not in file["contentUrl"]
    assert unquote(file["contentUrl"]) == word or "\udc80" in word
