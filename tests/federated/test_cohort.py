import pytest

from federated.parties import openly, same, sites, terms
from understudy.errors import InputError
from understudy.federated.cohort import Cohort, refuse_too_few
from understudy.federated.exchange import Exchange, InProcess
from understudy.federated.federation import Federation
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
        answers = {name: Message(said[name]) if isinstance(said[name], str) else said[name] for name in said}
        return {name: openly(answer) for name, answer in answers.items()}


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


def test_the_silent_are_not_waited_for_again_once_as_many_answered_as_the_terms_need():
    exchange = Scripted({"a": "ok"})
    cohort = Cohort(exchange, terms(least_cohort=1))
    assert cohort.answers(Message("describe"), read) == {"a": "a:ok"}
    assert len(exchange.asked) == 1 and cohort.silent == {"b"}


def test_refusals_and_bad_answers_are_noted_and_who_gave_them_is_not_asked_again():
    exchange = Scripted({"a": refusal("no budget"), "b": "bad"})
    cohort = Cohort(exchange, terms())
    assert cohort.answers(Message("terms"), read) == {}
    assert [(each.site, each.why) for each in cohort.problems] == [("a", "no budget"), ("b", "bad")]
    assert len(exchange.asked) == 1 and not cohort.silent


def test_a_site_that_was_left_behind_is_a_problem_and_weighs_nothing():
    cohort = Cohort(Scripted({"a": "ok"}), terms(least_cohort=1), weights={"a": 1.0, "b": 1.0})
    found = cohort.answers(Message("describe"), read)
    cohort.narrow(found, "describe", "describing schemas")
    assert (cohort.names, cohort.weights) == (("a",), {"a": 1.0})
    assert [(each.site, each.asked) for each in cohort.problems] == [("b", "describe")]


def test_an_answer_that_breaks_who_reads_it_is_a_problem_of_its_site_alone():
    def break_on(name, message):
        return {"good": 1}[message.kind] if name == "a" else [][len(message.facts["cells"])]

    exchange = Scripted({"a": Message("good"), "b": Message("good", {"cells": "secret"})})
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


@pytest.mark.parametrize("high", ["least_answers", "least_cohort"])
def test_only_what_is_too_high_is_to_be_lowered(high):
    with pytest.raises(InputError, match=rf"or lower {high}\.$"):
        refuse_too_few(terms(**{"least_cohort": 1, high: 3}), 2)


class Deaf(InProcess):
    """The last site hears nothing of some kinds of questions; what it was asked is kept."""

    def __init__(self, found, *kinds):
        super().__init__(found)
        self._kinds, self.asked, self.rounds_left = kinds, [], None

    def ask(self, messages, deadline=None):
        last = self.names[-1]
        if last in messages:
            self.asked.append(messages[last].kind)
        kind = next(iter(messages.values())).kind if messages else ""
        if kind == "train" and self.rounds_left is not None:
            self.rounds_left -= 1
            if self.rounds_left < 0:
                raise KeyboardInterrupt
        heard = {name: each for name, each in messages.items() if name != last or kind not in self._kinds}
        return InProcess.ask(self, heard, deadline)


@pytest.mark.parametrize("recipe", ["findiff", "mst"])
def test_a_site_that_is_gone_after_it_agreed_is_waited_for_once(recipe):
    line = Deaf(sites(), "describe", "margins", "domain", "train", "span", "measure", "close")
    federation = Federation(line, terms(recipe))
    federation.fit()
    assert line.asked == ["terms", "describe"]
    assert [(each.site, each.asked) for each in federation.problems] == [("site2", "describe")]


def test_a_site_that_is_gone_when_the_rounds_are_over_is_told_so_once():
    line = Deaf(sites(count=2), "close")
    Federation(line, terms(rounds=1)).fit()
    assert line.asked.count("close") == 1


def test_a_site_that_was_left_out_for_what_it_said_is_told_that_the_run_is_over():
    found = sites()
    line = Deaf([*found[:2], Unwilling(found[2])])
    federation = Federation(line, terms(rounds=1))
    federation.fit()
    assert [(each.site, each.asked, each.why) for each in federation.problems] == [
        ("site2", "describe", "no.")
    ]
    assert line.asked == ["terms", "describe", "close"]


class Unwilling:
    """A site that agrees, and then will not describe itself."""

    def __init__(self, site):
        self._site, self.name, self.private = site, site.name, site.private

    def receive(self, message):
        return refusal("no.") if message.kind == "describe" else self._site.receive(message)


def test_a_server_that_was_killed_goes_on_without_the_site_that_it_had_left_behind(tmp_path):
    """How many sites are asked stands in what they are asked: with one more it would be another question."""
    agreed = terms(rounds=3)
    calm = Federation(Deaf(sites(), "describe"), agreed).fit()
    found = sites()
    line = Deaf(found, "describe")
    line.rounds_left = 2
    with pytest.raises(KeyboardInterrupt):
        Federation(line, agreed, keep=tmp_path).fit()
    again = Federation(found, agreed, keep=tmp_path)
    assert same(again.fit(), calm) and not again.problems
