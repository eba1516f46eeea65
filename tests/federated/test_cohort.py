import pytest

from federated.parties import terms
from understudy.errors import InputError
from understudy.federated.cohort import Cohort
from understudy.federated.exchange import Exchange
from understudy.federated.message import Message, refusal


class Scripted(Exchange):
    """Answers by a script: for each ask, what each site says; nothing where it is silent."""

    def __init__(self, *script):
        self.script, self.asked, self.deadlines = list(script), [], []

    @property
    def names(self):
        return ("b", "a")

    def ask(self, messages, deadline=None):
        self.asked.append(sorted(messages))
        self.deadlines.append(deadline)
        said = self.script.pop(0)
        return {name: Message(said[name]) if isinstance(said[name], str) else said[name] for name in said}


def read(name, message):
    if message.kind == "bad":
        raise InputError("bad")
    return f"{name}:{message.kind}"


def test_those_who_did_not_answer_are_asked_again_in_the_same_words():
    exchange = Scripted({"a": "ok"}, {"b": "ok"})
    found = Cohort(exchange, terms()).answers(Message("terms"), read)
    assert found == {"a": "a:ok", "b": "b:ok"} and exchange.asked == [["a", "b"], ["b"]]


def test_nobody_is_asked_again_when_enough_answered():
    exchange = Scripted({"a": "ok"})
    assert Cohort(exchange, terms()).answers(Message("train"), read, least=1) == {"a": "a:ok"}
    assert len(exchange.asked) == 1


def test_refusals_and_bad_answers_are_noted():
    exchange = Scripted({"a": refusal("no budget"), "b": "bad"}, {}, {"b": "ok"})
    cohort = Cohort(exchange, terms())
    assert cohort.answers(Message("terms"), read) == {"b": "b:ok"}
    assert [(each.site, each.why) for each in cohort.problems] == [("a", "no budget"), ("b", "bad")]


def test_an_answer_that_breaks_who_reads_it_is_a_problem_of_its_site_alone():
    def break_on(name, message):
        return {"good": 1}[message.kind] if name == "a" else [][len(message.facts["cells"])]

    exchange = Scripted({"a": Message("good"), "b": Message("good", {"cells": "secret"})}, {}, {})
    cohort = Cohort(exchange, terms())
    assert cohort.answers(Message("describe"), break_on) == {"a": 1}
    (problem,) = cohort.problems
    assert (problem.site, problem.asked) == ("b", "describe")
    assert "IndexError" in problem.why and "secret" not in problem.why


def test_strangers_are_not_listened_to():
    exchange = Scripted({"a": "ok", "b": "ok", "c": "ok"})
    assert set(Cohort(exchange, terms()).answers(Message("terms"), read)) == {"a", "b"}


def test_the_deadline_is_the_transports_business():
    exchange = Scripted({"a": "ok", "b": "ok"})
    Cohort(exchange, terms(), deadline=2.5).answers(Message("terms"), read)
    assert exchange.deadlines == [2.5]


def test_too_few_are_refused_with_a_reason():
    cohort = Cohort(Scripted(), terms(least_cohort=2))
    cohort.enough({"a": 1, "b": 2}, "terms")
    with pytest.raises(InputError, match="did not answer"):
        cohort.enough({"a": 1}, "terms")
