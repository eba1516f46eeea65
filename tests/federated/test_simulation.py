"""One table as sites: the condition of its split is in every certificate, whoever made the sites."""

import pyarrow as pa
import pytest

from federated.parties import BUDGET, SCHEMA, table, terms
from understudy.errors import ParameterError
from understudy.federated.federation import Federation
from understudy.federated.partition import PARTED, by_column, dirichlet, iid
from understudy.federated.rows import PUBLIC_ROWS
from understudy.federated.simulation import Split
from understudy.federated.site import Site
from understudy.table.table import Table

SPLITS = {
    "iid": lambda: iid(table(90), 3),
    "by column": lambda: by_column(table(90), 3, "town"),
    "dirichlet": lambda: dirichlet(table(90), 3, "town", alpha=1.0),
}


def fitted(members, **changes):
    federation = Federation(members, terms("mst", private=True, **changes))
    return federation, federation.fit().certificate


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
def test_sites_that_one_table_was_split_into_are_certified_under_a_condition(split):
    members = [Site(f"s{k}", part, BUDGET, schema=SCHEMA) for k, part in enumerate(split())]
    federation, whole = fitted(members)
    assert whole.status == "conditional" and PARTED in whole.assumptions
    assert whole.entries[0].condition == PARTED
    assert {each.status for each in federation.certificates.values()} == {"conditional"}
    assert {member.certificate.status for member in members} == {"conditional"}


def test_a_site_that_has_a_table_for_itself_is_certified_without_one():
    members = [Site("alone", iid(table(), 1)[0], BUDGET, schema=SCHEMA, least_cohort=1)]
    assert fitted(members, least_cohort=1)[1].sound


def test_a_part_of_a_part_is_a_part():
    part = iid(Table(table(), condition="rows are short"), 2)[0]
    assert part.condition == f"rows are short; {PARTED}"
    assert iid(part, 1)[0].condition == iid(part, 2)[0].condition == part.condition


def test_rows_that_are_said_to_be_public_are_a_condition_too():
    members = Split(2, public_rows=True).members(Table(table(90)), SCHEMA, BUDGET)
    _, whole = fitted(members, weights="declared")
    assert whole.entries[0].condition == f"{PUBLIC_ROWS}; {PARTED}"
    assert any("declared, as 45" in line for line in whole.assumptions)


def test_private_terms_that_go_by_rows_need_them_to_be_public():
    for changes in ({"batch": 10}, {"weights": "declared"}):
        agreed = terms(private=True, **changes)
        Split(2, public_rows=True).refuse_untold_rows(agreed)
        with pytest.raises(ParameterError, match="--public-rows"):
            Split(2).refuse_untold_rows(agreed)
    Split(2).refuse_untold_rows(terms(batch=10))


def test_a_table_is_parted_in_three_ways():
    held = Table(table())
    assert [len(part) for part in Split(3).parts(held)] == [20, 20, 20]
    assert sum(len(part) for part in Split(2, "town").parts(held)) == 60
    assert sum(len(part) for part in Split(2, "town", 0.5).parts(held)) == 60
    with pytest.raises(ParameterError, match="--alpha belongs to --by"):
        Split(2, None, 0.5).parts(held)
    members = Split(3).members(held)
    assert [member.name for member in members] == ["site-001", "site-002", "site-003"]
    assert len({member.schema.to_json() for member in members}) == 1


def test_text_that_spells_dates_is_dates_at_all_sites():
    held = Table(pa.table({"day": [f"2020-01-{1 + k % 28:02d}" for k in range(40)]}))
    assert {member.schema.column("day").kind for member in Split(2).members(held)} == {"date"}
