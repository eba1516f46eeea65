"""A site: private rows, a budget and a ledger of its own behind one door.

`receive` is all that a server can reach. Before anything leaves, a site has clipped, added noise, and debited
its ledger for the whole run. It refuses, in words that hold no cell: terms that do not fit its budget, its
schema or its own limits; other terms once it agreed to some; rounds past the plan; a round again with other
parameters; cohorts that are too small; parameters that are not finite or not of the network.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import final

from understudy.errors import InputError, UnderstudyError, WriteError
from understudy.federated.answers import Answers
from understudy.federated.membership import Membership
from understudy.federated.message import Message, refusal
from understudy.federated.planning import refuse_other_columns
from understudy.federated.reading import read_or_refuse
from understudy.federated.rows import Holding
from understudy.federated.terms import Terms, refuse_name
from understudy.model.job import certified, refuse_other_schemas, refuse_text
from understudy.privacy import Budget, Certificate, Ledger
from understudy.privacy.noise_key import ENDING
from understudy.table.atomic import PRIVATE, sync_folder, write_bytes
from understudy.table.public import by_type
from understudy.table.read import read
from understudy.table.said import as_said
from understudy.table.schema import Schema

__all__ = ["Site"]

_KINDS = ("terms", "describe", "margins", "domain", "train", "span", "measure", "close")
_LAST = "close"
_REMEMBERED = ("terms", "describe", "margins", "domain")  # done again, with the same noise, after a crash


@final
class Site:
    """One site. `table` is whatever `read` takes; without a `budget` nothing it sends is private, as it says.

    `rows` is the number of rows, declared as public: where terms fix a batch or weigh by declared rows. A
    site with a budget tells it as it is, so its certificate is conditional then; so is that of a table that
    was picked from a larger one (`Table.condition`).
    With a `folder` ledger and answers are durable: a site that was killed is made again with the same folder.

    >>> import pyarrow as pa
    >>> site = Site("a", pa.table({"age": [31, 42]}))
    >>> site.receive(Message("describe", {"terms": "0"})).kind
    'refused'
    """

    def __init__(
        self,
        name: str,
        table: object,
        budget: Budget | None = None,
        *,
        schema: Schema | None = None,
        rows: int | None = None,
        least_cohort: int = 2,
        folder: str | Path | None = None,
        device: str = "auto",
    ) -> None:
        refuse_name("Site", name)
        refuse_other_schemas(schema)
        source = read(table, schema=schema if budget is not None else None)
        if schema is not None:  # a frame may hold times as text
            source, schema = as_said(source, schema, openly=budget is None)
        self.name, self.schema = name, by_type(source, schema)
        refuse_text(self.schema)
        self._held = Holding(name, source, self.schema, budget, rows, device)
        self._least_cohort = least_cohort
        self._folder = None if folder is None else Path(folder)
        self._ledger = Ledger(self._folder)
        self._membership: Membership | None = None
        self._answers = Answers(None if self._folder is None else self._folder / "answers")
        self._take_up()

    @property
    def private(self) -> bool:
        """Whether all that leaves is paid for from a budget."""
        return self._held.budget is not None

    @property
    def certificate(self) -> Certificate:
        """What this site sent, and all else that was planned, can reveal of one of its rows."""
        if self._membership is None:
            raise InputError("Site: it has agreed to no terms yet, so nothing was read.")
        return self._membership.certificate

    def receive(self, message: Message) -> Message:
        """Return the answer to a message: what was asked for, or a refusal."""
        try:
            answer = self._answered(message)
        except WriteError:  # it names files of this machine, which are nobody's business
            answer = refusal("Site: what it would send could not be written down first; nothing is sent.")
        except UnderstudyError as error:
            answer = refusal(str(error))
        return Message(answer.kind, {**answer.facts, "private": self.private}, answer.arrays)

    def _answered(self, message: Message) -> Message:
        if message.kind not in _KINDS:
            raise InputError(f"Site: there is nothing called {message.kind[:32]!r} to do.")
        key, digest = self._key(message), message.digest()
        anew = message.kind == "terms" and self._answers.holds(_LAST) and not self._answers.holds(key, digest)
        known = None if anew else self._answers.found(key, digest)
        if known is not None:
            return known
        answer = self._agreed(message) if message.kind == "terms" else self._done(message)
        if anew:
            self._forget()  # the run before is over, and another is agreed to; the ledger goes on
        if self._folder is not None and message.kind in _REMEMBERED:
            _note(self._folder, message)
        self._answers.keep(key, digest, answer)
        return answer

    def _agreed(self, message: Message) -> Message:
        terms = read_or_refuse("terms", partial(Terms.from_json, message.fact("terms", str)))
        if terms.private is not self.private:
            words = ("private", "open") if terms.private else ("open", "private")
            raise InputError(f"Site: the terms are {words[0]}, and this site is {words[1]}; both must agree.")
        if terms.least_cohort < self._least_cohort:
            raise InputError(
                f"Site: at least {self._least_cohort} sites must be asked together; the terms allow "
                f"{terms.least_cohort}."
            )
        refuse_other_columns(terms, self.schema)
        self._membership = Membership(terms, self._held, self._ledger, self._least_cohort)
        return self._membership.agreed()

    def _done(self, message: Message) -> Message:
        own = self._membership
        if own is None or own.terms.hash != message.fact("terms", str):
            raise InputError("Site: no such terms were agreed to; nothing is done under others.")
        if message.kind == "describe":
            return own.described()
        if message.kind == "margins":
            return own.margins(message)
        if message.kind == "domain":
            return own.settle(message)
        if message.kind in ("span", "measure"):
            return own.tables(message)
        if message.kind == "train":
            return own.update(message)
        if self._folder is not None:
            _note(self._folder, message)  # first: once the noise key is gone nothing can be taken up
        return own.close()

    def _key(self, message: Message) -> str:
        if message.kind != "train":
            return message.kind
        return f"train/{message.fact('stage', str)}/{message.fact('round', int)}"

    def _forget(self) -> None:
        # What was asked goes first, and the last answer last: while that is there, no run is taken up.
        if self._folder is not None:
            for path in self._folder.glob("*.asked"):
                path.unlink()
            sync_folder(self._folder)
        self._answers.clear(_LAST)

    def _take_up(self) -> None:
        """Go on with a run that was cut off: its reservation, its noise, its domain."""
        if self._folder is None or self._answers.holds(_LAST):
            return
        asked = _noted(self._folder)
        if _LAST in asked and not any(self._folder.glob(f"*{ENDING}")):
            own = certified(self._ledger, self.schema, self._held.stated)
            ended = Message("closed", {"certificate": own.to_json()})
            self._answers.keep(_LAST, asked[_LAST].digest(), ended)
            return
        for kind, message in asked.items():
            answer = self._agreed(message) if kind == "terms" else self._done(message)
            if not self._answers.holds(kind):  # killed before it was kept; it is the same again
                self._answers.keep(kind, message.digest(), answer)


def _note(folder: Path, message: Message) -> None:
    write_bytes(folder / f"{message.kind}.asked", message.to_bytes(), PRIVATE)


def _noted(folder: Path) -> dict[str, Message]:
    paths = {kind: folder / f"{kind}.asked" for kind in (*_REMEMBERED, _LAST)}
    return {kind: Message.from_bytes(path.read_bytes()) for kind, path in paths.items() if path.exists()}
