import pytest

from federated.parties import SMALL, fitted, same, sites, terms
from understudy.engines.training import together as room
from understudy.errors import ParameterError
from understudy.federated import exchange
from understudy.federated.exchange import InProcess
from understudy.federated.message import Message


def test_sites_are_asked_by_name_and_only_those_that_are_named():
    found = InProcess(sites())
    assert found.names == ("site0", "site1", "site2")
    assert list(found.ask({"site1": Message("nothing")})) == ["site1"]


def test_a_name_belongs_to_one_site():
    with pytest.raises(ParameterError, match="a name of its own"):
        InProcess([sites()[0], sites()[0]])
    with pytest.raises(ParameterError, match="at least one"):
        InProcess([])


def in_small_batches(recipe):
    """Return settings under which sites of different sizes take batches of one size, and so train as one."""
    return {**SMALL[recipe], "batch": 16}


@pytest.mark.parametrize("recipe", ["findiff", "tabddpm", "tldm", "tvae"])
def test_sites_side_by_side_learn_what_they_learn_one_by_one(recipe):
    settings = in_small_batches(recipe)
    agreed = terms(recipe, rounds=1, local_steps=66, weights="noisy", settings=settings)  # more than a block
    apart = fitted(InProcess(sites(), stacked=False), agreed)
    beside = fitted(InProcess(sites(), stacked=True), agreed)
    assert same(apart, beside, 2e-4)


@pytest.mark.parametrize(("recipe", "written"), [("findiff", True), ("tabddpm", False)])
def test_if_nothing_is_said_sites_on_processors_stand_side_by_side_where_that_pays(
    recipe, written, monkeypatch
):
    seen, train = [], room.train_written
    monkeypatch.setattr(
        room, "train_written", lambda pupils, *how: (seen.append(len(pupils)), train(pupils, *how))
    )
    monkeypatch.setattr(exchange, "_has_device", lambda: False)
    agreed = terms(recipe, rounds=2, local_steps=3, settings=in_small_batches(recipe))
    found = fitted(InProcess(sites()), agreed)
    assert seen == ([3, 3] if written else [])
    assert same(found, fitted(InProcess(sites(), stacked=False), agreed), 2e-4 if written else 0.0)
