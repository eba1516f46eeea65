import json

import pyarrow as pa
import pytest

import understudy as us
from federated.parties import SCHEMA, terms
from understudy.errors import ParameterError, SchemaError
from understudy.federated.site import Site
from understudy.federated.terms import STRATEGIES, Terms, columns_of


def test_terms_come_back_from_json_with_the_same_hash():
    plain = terms(strategy="fedyogi", rate=0.3)
    assert Terms.from_json(plain.to_json()) == plain
    assert Terms.from_json(plain.to_json()).hash == plain.hash


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 3}, {"local_steps": 4}, {"rate": 0.2}, {"clip": 2.0}, {"least_noise": 1.0}, {"seed": 1},
        {"least_cohort": 3}, {"run": "other"}, {"weights": "noisy"}, {"private": True}, {"limit": 1.0},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_other_terms_have_another_hash(change):
    assert terms(**change).hash != terms().hash


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": 0}, {"rounds": 2.0}, {"rounds": True}, {"rate": 0.0}, {"rate": 1.1},
        {"clip": float("nan")}, {"strategy": "mean"}, {"weights": "exact"}, {"least_cohort": 0},
        {"private": 1}, {"seed": -1},
        {"run": "../up"}, {"recipe": ""}, {"settings": {"width": [1]}}, {"schema": {"age": 1}},
        {"least_noise": -1.0}, {"most_rows": 2**60},
    ],
    ids=lambda change: "-".join(f"{name}" for name in change),
)  # fmt: skip
def test_terms_out_of_range_are_refused(change):
    with pytest.raises(ParameterError, match="Terms"):
        terms(**change)


def test_terms_with_more_or_fewer_parts_are_refused():
    tree = json.loads(terms().to_json())
    for odd in ({**tree, "extra": 1}, {k: v for k, v in tree.items() if k != "clip"}):
        with pytest.raises(ParameterError, match="more than this version knows"):
            Terms.from_json(json.dumps(odd))
    with pytest.raises(ParameterError, match="not JSON"):
        Terms.from_json("{")


def test_digests_of_columns_differ_where_what_is_declared_does():
    other = SCHEMA.model_dump(mode="json")
    other["columns"][0]["bounds"]["high"] = 101
    left, right = columns_of(SCHEMA), columns_of(type(SCHEMA).model_validate(other))
    assert left["town"] == right["town"] and left["age"] != right["age"]


def test_rules_are_part_of_the_public_schema():
    ruled = SCHEMA.model_copy(update={"rules": ("age >= 18",)})
    assert columns_of(ruled) != columns_of(SCHEMA)


def test_steps_are_those_of_all_rounds():
    assert terms(rounds=7, local_steps=5).steps == 35


def test_a_server_moves_at_the_usual_rate_of_its_strategy_or_as_it_is_told():
    assert [terms(strategy=name).pace for name in STRATEGIES] == [1.0, 1.0, 0.01, 0.01]
    assert terms(strategy="fedadam", server_lr=0.5).pace == 0.5


def test_what_a_declared_type_tells_need_not_be_said_for_sites_to_agree():
    told = ({"name": "age", "type": "double"}, {"name": "n", "type": "int64"})
    schema = us.Schema.from_json(json.dumps({"columns": [{"kind": "numerical", **each} for each in told]}))
    whole, broken = (Site("a", pa.table({"age": [x], "n": [3]}), schema=schema) for x in (31.0, 31.25))
    assert columns_of(whole.schema) == columns_of(broken.schema) == columns_of(schema)


def test_a_schema_without_types_is_nothing_that_sites_can_agree_on():
    schema = us.Schema.from_json('{"columns": [{"name": "age", "kind": "numerical"}]}')
    with pytest.raises(SchemaError, match="says the type of every column"):
        columns_of(schema)
