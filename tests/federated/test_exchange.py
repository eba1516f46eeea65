import pytest

from federated.parties import fitted, same, sites, terms
from understudy.errors import ParameterError
from understudy.federated.exchange import InProcess
from understudy.federated.message import Message


def test_sites_are_asked_by_name_and_only_those_that_are_named():
    exchange = InProcess(sites())
    assert exchange.names == ("site0", "site1", "site2")
    assert list(exchange.ask({"site1": Message("nothing")})) == ["site1"]


def test_a_name_belongs_to_one_site():
    with pytest.raises(ParameterError, match="a name of its own"):
        InProcess([sites()[0], sites()[0]])
    with pytest.raises(ParameterError, match="at least one"):
        InProcess([])


@pytest.mark.parametrize("recipe", ["findiff", "tabddpm", "tldm", "tvae"])
def test_sites_side_by_side_learn_what_they_learn_one_by_one(recipe):
    agreed = terms(recipe, rounds=1, local_steps=66, weights="noisy")  # more steps than a block has
    apart = fitted(InProcess(sites(), stacked=False), agreed)
    beside = fitted(InProcess(sites(), stacked=True), agreed)
    assert same(apart, beside, 2e-4)
