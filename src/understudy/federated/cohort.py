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

    `names` are the sites that are asked: all of the exchange's at first, those that agreed from then on.
    """

    exchange: Exchange
    terms: Terms
    deadline: float | None = None
    problems: list[Problem] = field(default_factory=list)
    names: tuple[str, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = self.names or tuple(sorted(self.exchange.names))

    def answers(
        self, message: Message, read: Callable[[str, Message], Found], least: int | None = None
    ) -> dict[str, Found]:
        """Return what `read` makes of each answer, of the sites whose answer it took.

        Sites that did not answer, or badly, are asked again in the same words while fewer than `least` have:
        all of them, if nothing is said.
        """
        found: dict[str, Found] = {}
        for _ in range(self.terms.tries):
            missing = {name: message for name in self.names if name not in found}
            answers = self.exchange.ask(missing, self.deadline)
            for name in sorted(set(answers) & set(missing)):
                try:
                    taken = partial(_taken, read, name, answers[name])
                    found[name] = read_or_refuse(message.kind, taken)
                except UnderstudyError as error:
                    self.problems.append(Problem(name, message.kind, str(error)))
            if len(found) >= (len(self.names) if least is None else least):
                break
        return found

    def enough(self, found: Mapping[str, object], what: str) -> None:
        """Refuse to go on with fewer sites than the terms ask for."""
        least = max(self.terms.least_answers, self.terms.least_cohort)
        if len(found) >= least:
            return
        raise InputError(
            f"federation: {what}: at least {least} sites are needed; got {len(found)}. {self.last}"
        )

    @property
    def last(self) -> str:
        """Say what went wrong last, as a sentence."""
        last = self.problems[-1] if self.problems else None
        return f"The last problem was {last.site!r}: {last.why}" if last else "The others did not answer."


def refuse_too_few(terms: Terms, sites: int) -> None:
    """Refuse terms that so many sites can never meet, before any of them is asked to pay."""
    least = max(terms.least_answers, terms.least_cohort)
    if sites < least:
        raise InputError(
            f"federation: at least {least} sites are needed; got {sites}. "
            "Name more sites, or lower least_answers and least_cohort."
        )


def _taken(read: Callable[[str, Message], Found], name: str, answer: Message) -> Found:
    return read(name, _granted(answer))


def _granted(answer: Message) -> Message:
    if answer.kind == "refused":
        raise InputError(str(answer.facts.get("why", "refused"))[:1_000])
    return answer
