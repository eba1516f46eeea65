"""The published JSON Schema is up to date and is right about real certificates."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from privacy.test_certificate_json import OPEN, PAID, TRAINED, WHOLE
from understudy.privacy.certificate import Certificate, covering
from understudy.privacy.certificate_schema import json_schema, json_schema_text
from understudy.privacy.entry import Entry
from understudy.privacy.events import (
    Concentrated,
    DiscreteGaussian,
    GaussianDP,
    Laplace,
    Pure,
    Renyi,
    Selection,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "certificate.schema.json"
KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def fits(value, rule):
    """Say whether a value fits a rule, for the words of JSON Schema that ours uses."""
    if "const" in rule and value != rule["const"]:
        return False
    if "enum" in rule and value not in rule["enum"]:
        return False
    for word, enough in (("oneOf", lambda n: n == 1), ("anyOf", lambda n: n >= 1)):
        if word in rule and not enough(sum(fits(value, other) for other in rule[word])):
            return False
    kinds = rule.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, KINDS[kind]) and not isinstance(value, bool) for kind in kinds):
        return False
    if "pattern" in rule and not re.search(rule["pattern"], value):
        return False
    if "minimum" in rule and value < rule["minimum"]:
        return False
    if isinstance(value, list):
        return all(fits(item, rule.get("items", {})) for item in value)
    return not isinstance(value, dict) or _object_fits(value, rule)


def _object_fits(value, rule):
    known, other = rule.get("properties", {}), rule.get("additionalProperties", True)
    if not set(rule.get("required", [])) <= set(value):
        return False
    for name, item in value.items():
        if name in known:
            if not fits(item, known[name]):
                return False
        elif other is False or (other is not True and not fits(item, other)):
            return False
    return True


def test_the_published_schema_is_up_to_date():
    # To renew it: write what json_schema_text() returns.
    assert PUBLISHED.read_text(encoding="utf-8") == json_schema_text()


EVENTS = [
    DiscreteGaussian(3.0, 2), Laplace(2.0), Selection(0.1, 3), Pure(0.0, 1e-9), Concentrated(0.1),
    GaussianDP(0.2), Renyi((2.0, 3.0), (0.1, float("inf"))),
]  # fmt: skip


@pytest.mark.parametrize("certificate", [
    WHOLE, Certificate(()), Certificate((PAID, TRAINED)), covering(WHOLE, {"a.csv": "00" * 32}),
    *(Certificate((Entry("x", "measure", event),)) for event in EVENTS),
], ids=str)  # fmt: skip
def test_every_certificate_fits_it(certificate):
    assert fits(json.loads(certificate.to_json()), json_schema())


@pytest.mark.parametrize("change", [
    lambda tree: tree.update(status="perfect"), lambda tree: tree.pop("entries"),
    lambda tree: tree.update(more=1), lambda tree: tree["entries"][0]["event"].update(event="Magic"),
    lambda tree: tree["entries"][0].update(phase="later"), lambda tree: tree.update(chain="ab"),
    lambda tree: tree["figures"].update(mu="small"), lambda tree: tree["entries"][0]["event"].pop("noise"),
    lambda tree: tree["artefacts"].update({"a.csv": "no hash"}), lambda tree: tree.update(format=2),
])  # fmt: skip
def test_what_is_no_certificate_does_not_fit(change):
    tree = json.loads(WHOLE.to_json())
    assert fits(tree, json_schema())
    change(tree)
    assert not fits(tree, json_schema())
    assert OPEN.infinite
