"""The sites of one run, as the server sees them: who agreed, what each weighs, and who answered in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, final

from understudy.errors import InputError, UnderstudyError
from understudy.federated.exchange import Exchange
from understudy.federated.message import Message
from understudy.federated.reading import read_or_refuse
from understudy.federated.terms import Terms

__all__ = ["Cohort", "Problem", "refuse_too_few"]

Found = TypeVar("Found")


@final
@dataclass(frozen=True)
class Problem:
    """What went wrong with one site: it refused, or what it sent was refused."""

    site: str
    asked: str
    why: str


@final
@dataclass(eq=False)
class Cohort:
    """Asks sites until enough have answered; nothing that a site sends is used before it was checked.

    `names` are the sites that are asked: all of the exchange's at first, those that went along from then on.
    `silent` are those that did not answer what they were asked last.
    """

    exchange: Exchange
    terms: Terms
    deadline: float | None = None
    problems: list[Problem] = field(default_factory=list)
    names: tuple[str, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.names = self.names or tuple(sorted(self.exchange.names))

    def answers(
        self, message: Message, read: Callable[[str, Message], Found], least: int | None = None
    ) -> dict[str, Found]:
        """Return what `read` makes of each answer, of the sites whose answer it took.

        Sites that did not answer are asked again in the same words while fewer than `least` have: as many as
        the terms need, if nothing is said. A site that refused, or answered badly, would do so again.
        """
        found: dict[str, Found] = {}
        waiting = set(self.names)
        for _ in range(self.terms.tries):
            answers = self.exchange.ask(dict.fromkeys(sorted(waiting), message), self.deadline)
            for name in sorted(set(answers) & waiting):
                waiting.remove(name)
                try:
                    taken = partial(self._taken, read, name, answers[name])
                    found[name] = read_or_refuse(message.kind, taken)
                except UnderstudyError as error:
                    self.problems.append(Problem(name, message.kind, str(error)))
            if not waiting or len(found) >= (_least(self.terms) if least is None else least):
                break
        self.silent = self.silent.difference(self.names) | waiting
        return found

    def enough(self, found: Mapping[str, object], what: str) -> None:
        """Refuse to go on with fewer sites than the terms ask for."""
        least = _least(self.terms)
        if len(found) >= least:
            return
        raise InputError(
            f"federation: {what}: at least {least} sites are needed; got {len(found)}. {self.last}"
        )

    def narrow(self, found: Mapping[str, object], asked: str, what: str) -> None:
        """Go on with the sites that did what the next question builds on; the others are not asked again."""
        late = [name for name in self.names if name in self.silent and name not in found]
        self.problems += [Problem(name, asked, "it did not answer in time.") for name in late]
        self.enough(found, what)
        self.names = tuple(sorted(found))
        self.weights = {name: weight for name, weight in self.weights.items() if name in found}

    @property
    def last(self) -> str:
        """Say what went wrong last, as a sentence."""
        last = self.problems[-1] if self.problems else None
        return f"The last problem was {last.site!r}: {last.why}" if last else "The others did not answer."

    def _taken(self, read: Callable[[str, Message], Found], name: str, answer: Message) -> Found:
        if answer.kind == "refused":
            raise InputError(str(answer.facts.get("why", "refused"))[:1_000])
        if answer.fact("private", bool) is not self.terms.private:
            words = ("private", "not") if self.terms.private else ("open", "private")
            raise InputError(
                f"federation: the terms are {words[0]}, and what it sends is {words[1]}, as it says."
            )
        return read(name, answer)


def refuse_too_few(terms: Terms, sites: int) -> None:
    """Refuse terms that so many sites can never meet, before any of them is asked to pay."""
    least = _least(terms)
    if sites < least:
        high = " and ".join(n for n in ("least_answers", "least_cohort") if getattr(terms, n) > sites)
        raise InputError(
            f"federation: at least {least} sites are needed; got {sites}. Name more sites, or lower {high}."
        )


def _least(terms: Terms) -> int:
    return max(terms.least_answers, terms.least_cohort)
