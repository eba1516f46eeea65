"""The app of a site passes messages to its one door, and answers in words when they are not messages."""

import pytest
from flwr.app import Context, Message as FlowerMessage, RecordDict

from federated.grids import identify
from understudy.federated.flower_records import opened, packed
from understudy.federated.flower_site import Visit, client_app
from understudy.federated.message import Message


class Echo:
    name = "a"

    def receive(self, message):
        return Message("echo", {"kind": message.kind})


@pytest.fixture
def ask(monkeypatch):
    identify(monkeypatch)
    app = client_app(lambda _: Echo())

    def ask(content, kind="query"):
        message = FlowerMessage(content, 5, kind)
        message.metadata.__dict__["_message_id"] = "m"
        return app(message, Context(7, 5, {}, RecordDict(), {}))

    return ask


def test_a_message_goes_through_the_door(ask):
    assert opened(ask(packed(Message("close"))).content).facts == {"kind": "close"}


def test_what_is_no_message_is_refused_in_words(ask):
    answer = opened(ask(RecordDict()).content)
    assert answer.kind == "refused" and "not a message" in answer.facts["why"]


def test_a_site_says_its_name(ask):
    assert opened(ask(RecordDict(), "query.name").content).facts == {"name": "a"}


@pytest.mark.parametrize("kind", ["train", "evaluate", "query.rows"])
def test_there_is_nothing_else_to_ask(ask, kind):
    with pytest.raises(ValueError, match="registered"):
        ask(packed(Message("close")), kind)


def test_a_visit_is_over_some_time_after_the_site_has_closed():
    class Closing:
        name = "a"

        def receive(self, message):
            return Message("closed" if message.kind == "close" else "refused")

    visit = Visit(Closing(), seconds=0.0)
    assert visit.name == "a"
    visit.receive(Message("train"))
    assert not visit.over()
    assert visit.receive(Message("close")).kind == "closed"
    assert visit.over()
    assert not Visit(Closing()).over()
