"""The published JSON Schema is up to date and is right about real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privacy.test_certificate_schema import fits as fits_plain
from report.whole_dossier import candidate, dossier
from understudy.errors import CorruptModel, VersionError
from understudy.report.results_json import results_json
from understudy.report.results_schema import Results, json_schema, json_schema_text

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json"


def inlined(rule, defined):
    """Return a rule with its references followed, and truth values as a choice of two."""
    if isinstance(rule, list):
        return [inlined(each, defined) for each in rule]
    if not isinstance(rule, dict):
        return rule
    if "$ref" in rule:
        return inlined(defined[rule["$ref"].removeprefix("#/$defs/")], defined)
    if rule.get("type") == "boolean":
        return {"enum": [True, False]}
    return {key: inlined(part, defined) for key, part in rule.items() if key != "$defs"}


def fits(tree):
    return fits_plain(tree, inlined(json_schema(), json_schema()["$defs"]))


CHANGES = [
    lambda tree: tree.update(more=1), lambda tree: tree.pop("results"), lambda tree: tree.pop("standing"),
    lambda tree: tree.update(standing="fine"), lambda tree: tree["results"][0].pop("candidate"),
    lambda tree: tree["results"][0].update(per_record=[1.0]),
    lambda tree: tree["results"][0].update(value="1"), lambda tree: tree["results"][0].update(better="more"),
    lambda tree: tree["results"][0].update(n=1.5),
    lambda tree: tree["candidates"][0].update(digest="ab"),
    lambda tree: tree["candidates"][0].update(rows=-1),
    lambda tree: tree["candidates"][0]["certificate"].update(status="perfect"),
    lambda tree: tree["candidates"][0]["certificate"]["figures"].update(mu="small"),
    lambda tree: tree["lines"][0].update(verdict="maybe"), lambda tree: tree.update(limits="none"),
    lambda tree: tree["results"][0].update(saw_real_rows=2), lambda tree: tree.update(seed=1.5),
]  # fmt: skip


def made():
    return json.loads(results_json(dossier("x", candidate(), candidate("y", "b.csv", certificate=None))))


def test_the_published_schema_is_up_to_date():
    # To renew it: write what json_schema_text() returns.
    assert PUBLISHED.read_text(encoding="utf-8") == json_schema_text()


def test_every_file_fits_it_and_can_be_read_back():
    for tree in (
        made(),
        json.loads(results_json(dossier())),
        json.loads(results_json(dossier(candidates=()))),
    ):
        assert fits(tree)
        assert Results.from_json(json.dumps(tree)).model_dump(mode="json") == tree


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_no_results_file_neither_fits_nor_is_read(change):
    tree = made()
    change(tree)
    assert not fits(tree)
    with pytest.raises(CorruptModel, match=r"^results: "):
        Results.from_json(json.dumps(tree))


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b"\xff", b"{" * 10_000, b"{}", b'{"format": "1"}'])
def test_what_is_no_json_object_is_refused(text):
    with pytest.raises(CorruptModel, match=r"^results: "):
        Results.from_json(text)


def test_a_newer_format_asks_for_a_newer_version():
    with pytest.raises(VersionError, match="newer than 1"):
        Results.from_json('{"format": 2}')


def test_an_error_names_the_place_and_not_the_value():
    tree = made()
    tree["results"][0]["value"] = "secret4711"
    with pytest.raises(CorruptModel, match=r"results\.0\.value") as caught:
        Results.from_json(json.dumps(tree))
    assert "secret4711" not in str(caught.value)
