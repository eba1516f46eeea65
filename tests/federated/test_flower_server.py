"""Questions and answers over a Grid: deadlines, drop-outs, late and odd answers, sites that come back."""

import time

import pytest
from flwr.app import Context, RecordDict

from federated.grids import Memory, identify
from understudy.errors import LinkError
from understudy.federated.flower_server import FlowerExchange, name_nodes, server_app
from understudy.federated.flower_site import client_app
from understudy.federated.message import Message

NODES = {"a": 11, "b": 12, "c": 13}


class Echo:
    def __init__(self, name):
        self.name = name
        self.asked = []

    def receive(self, message):
        self.asked.append(message.digest())
        return Message("echo", {"name": self.name, **message.facts})


@pytest.fixture
def sites(monkeypatch):
    identify(monkeypatch)
    return {name: Echo(name) for name in NODES}


def exchange(sites, **how):
    apps = {NODES[name]: client_app(lambda _, site=site: site) for name, site in sites.items()}
    grid = Memory(apps, **how)
    return FlowerExchange(grid, NODES, pause=0.01), grid


def questions(number=0):
    return {name: Message("train", {"round": number}) for name in NODES}


def test_every_site_gets_its_question_and_every_answer_its_name(sites):
    line, _ = exchange(sites)
    answers = line.ask(questions(3), 5.0)
    assert {name: answer.facts for name, answer in answers.items()} == {
        name: {"name": name, "round": 3} for name in NODES
    }
    assert line.names == ("a", "b", "c")


def test_only_those_who_are_meant_are_asked(sites):
    line, grid = exchange(sites)
    assert set(line.ask({"b": Message("close")}, 5.0)) == {"b"}
    assert [message.metadata.dst_node_id for message in grid.sent] == [12]


def test_a_site_that_is_not_there_is_left_out_at_the_deadline(sites):
    line, grid = exchange(sites, offline=[12])
    started = time.monotonic()
    assert set(line.ask(questions(), 0.3)) == {"a", "c"}
    assert 0.3 <= time.monotonic() - started < 2.0
    assert 12 not in {message.metadata.dst_node_id for message in grid.sent}


def test_a_late_answer_is_thrown_away_and_never_taken_for_another(sites):
    line, grid = exchange(sites, later={12: 10_000})
    assert set(line.ask(questions(0), 0.2)) == {"a", "c"}
    grid.later[12] = 0
    answers = line.ask(questions(1), 5.0)
    assert answers["b"].facts == {"name": "b", "round": 1}
    assert len(grid.waiting) == 1  # the old one is still there, and nobody looks for it


def test_a_question_lives_no_longer_than_its_deadline(sites):
    line, grid = exchange(sites)
    line.ask(questions(), 5.0)
    assert all(0 < message.metadata.ttl <= 5.0 for message in grid.sent)


def test_a_site_that_comes_back_gets_the_same_bytes_again(sites):
    line, grid = exchange(sites, broken=[13])
    assert set(line.ask(questions(4), 5.0)) == {"a", "b", "c"}
    again = [message.content for message in grid.sent if message.metadata.dst_node_id == 13]
    assert len(again) == 2
    assert len({records.object_id for records in again}) == 1


def test_rubbish_is_a_refusal_of_the_site_that_sent_it(sites):
    line, _ = exchange(sites, spoil={12: lambda _: RecordDict()})
    answers = line.ask(questions(), 5.0)
    assert (answers["a"].kind, answers["b"].kind) == ("echo", "refused")


def test_an_answer_that_is_too_long_is_a_refusal(sites):
    apps = {NODES[name]: client_app(lambda _, site=site: site) for name, site in sites.items()}
    line = FlowerExchange(Memory(apps), NODES, most=64, pause=0.01)
    answers = line.ask({"a": Message("train")}, 5.0)
    assert "at most 64 bytes" in answers["a"].facts["why"]


def test_an_answer_in_the_name_of_another_is_not_taken(sites):
    line, grid = exchange(sites)
    grid.apps[12] = grid.apps[11]
    answer = grid._answer
    grid._answer = lambda message, node: answer(message, 11 if node == 12 else node)
    assert set(line.ask(questions(), 0.2)) == {"a", "c"}


def test_waiting_ends_when_all_are_there_or_it_is_time(sites):
    assert exchange(sites)[0].wait(3, 60.0) == ("a", "b", "c")
    line, _ = exchange(sites, offline=[12])
    assert line.wait(2, 0.05) == ("a", "c")
    with pytest.raises(LinkError, match="at least 3 sites were expected"):
        line.wait(3, 0.05)


def test_nobody_waits_for_a_superlink_that_has_ended(sites):
    _, grid = exchange(sites, offline=[11, 12, 13])
    line = FlowerExchange(grid, NODES, pause=0.01, alive=lambda: False)
    with pytest.raises(LinkError, match="SuperLink has ended"):
        line.ask(questions())


def test_without_keys_sites_are_known_by_the_names_they_give(sites):
    _, grid = exchange(sites)
    assert name_nodes(grid, 3, patience=1.0) == NODES
    with pytest.raises(LinkError, match="4 sites were expected"):
        name_nodes(grid, 4, patience=0.05, pause=0.01)
    sites["c"].name = "a"
    with pytest.raises(LinkError, match="names of their own"):
        name_nodes(grid, 3, patience=1.0)


def test_the_app_does_its_work_with_the_grid(sites):
    _, grid = exchange(sites)
    seen = []
    server_app(lambda grid, context: seen.append((grid, context.run_id)))(
        grid, Context(7, 1, {}, RecordDict(), {})
    )
    assert seen == [(grid, 7)]
