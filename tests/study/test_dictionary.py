"""The dictionary: domains are told where they were declared or bought, and nowhere else."""

import pyarrow as pa

from understudy.privacy.certificate import Certificate, Entry
from understudy.privacy.events import Gaussian
from understudy.study.dictionary import dictionary
from understudy.table.evidence import Evidence
from understudy.table.schema import Schema

TABLE = pa.table({"age": [31, 42], "sex": ["F", "M"], "id": ["a1", "a2"]})


def lines(certificate=None, **columns):
    schema = Schema.model_validate(
        {
            "columns": [
                {"name": "age", "kind": "numerical", **columns.get("age", {})},
                {"name": "sex", "kind": "categorical", **columns.get("sex", {})},
                {"name": "id", "kind": "id"},
            ]
        }
    )
    shown = Evidence(train=TABLE, synthetic=TABLE, schema=schema)
    return {line.name: line for line in dictionary(shown, certificate)}


def test_what_was_declared_is_told_and_what_was_looked_up_is_not():
    found = lines(
        age={"bounds": {"low": 0, "high": 99}},
        sex={"levels": {"values": ["F", "M"], "source": "observed"}},
    )
    assert found["age"].domain == "0 to 99" and found["age"].origin == "bounds declared"
    assert found["sex"].domain == "" and "not shown" in found["sex"].origin
    assert not found["id"].judged


def test_long_lists_of_levels_are_cut():
    values = [f"v{n}" for n in range(30)] + ["F", "M"]
    assert lines(sex={"levels": {"values": values}})["sex"].domain.endswith("... (32)")


def test_a_certificate_says_what_was_bought_and_what_was_looked_up():
    bought = Entry("levels", "schema", Gaussian(2.0), columns=("sex",))
    looked = Entry("bounds", "schema", columns=("age",))
    found = lines(Certificate((bought, looked), declared={"id": "shape"}))
    assert found["sex"].origin == "bought within the budget"
    assert "looked up" in found["age"].origin
    assert found["id"].origin == "declared: shape"
    assert lines(Certificate((bought,)))["age"].origin == "names and kinds alone"
