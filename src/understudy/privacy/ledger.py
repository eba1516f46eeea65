"""The ledger: what was read from private rows, and at what price, in the order it was paid for.

It is a SQLite database, in the run folder or in memory. Entries are only ever appended, and each one's
digest covers the digest before it. A private run reserves all that it will read in one commit
before the first noise is drawn; a run that was cut short and starts again finds its reservation
and pays nothing twice; nothing is ever paid back.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import final

from understudy.errors import BudgetError, CorruptModel, UnderstudyError
from understudy.privacy.budget import Budget
from understudy.privacy.entry import START, Entry, chained, entry_from_dict, entry_to_dict
from understudy.privacy.events import Concentrated, Event, Open, Pure, Renyi, SampledGaussian
from understudy.privacy.meeting import meets
from understudy.privacy.stream import Stream

__all__ = ["Ledger"]

FILE = "ledger.sqlite"
KEY = "noise.key"
_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, body TEXT NOT NULL, chain TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS uses (run TEXT, name TEXT, number INTEGER, PRIMARY KEY (run, name, number));
"""


@final
class Ledger:
    """An append-only list of entries, durable when it has a folder.

    >>> ledger = Ledger()
    >>> ledger.write(Entry("all rows", "train"))
    >>> [entry.infinite for entry in ledger.entries]
    [True]
    """

    __slots__ = ("_base", "_folder", "_run", "_used")

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._run = ""
        self._used: dict[str, tuple[int, int]] = {}  # by name: how many uses, and of how many counts
        self._base = _connect(":memory:" if folder is None else folder / FILE)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was written so far; a chain that does not hold is refused."""
        link, found = START, list[Entry]()
        for body, chain in self._base.execute("SELECT body, chain FROM entries ORDER BY id"):
            entry = entry_from_dict(json.loads(body))
            link = chained(link, entry)
            if link != chain:
                raise CorruptModel(
                    f"ledger: entry {len(found) + 1} was altered; its hash does not fit the chain."
                )
            found.append(entry)
        return tuple(found)

    def write(self, entry: Entry) -> None:
        """Append an entry. Callers write first and read after: a crash may over-count, never under-count."""
        with self._commit():
            self._append(entry)

    def reserve(self, entries: Sequence[Entry], budget: Budget, run: str = "") -> Stream:
        """Pay for a whole run in one commit and return the stream that its noise comes from.

        Refuses, before anything is written, when all entries together with those already there
        would break the budget. A run of the same name that reserved the same entries and was cut
        short is taken up again: same entries, same noise, no new price.
        """
        with self._commit():
            if self._folder is not None and (stream := self._resumed(entries, run)) is not None:
                self._run = run
                return stream
            spent = tuple(entry.event for entry in self.entries)
            if not meets((*spent, *(entry.event for entry in entries)), budget):
                raise BudgetError(_refusal(spent, budget))
            for entry in entries:
                self._append(entry, run)
            stream = self._fresh_stream()
        self._run = run
        return stream

    def use(self, name: str, event: Event) -> int:
        """Note that a reserved read takes place and return which one of that name it is, from 0.

        Refuses a read that was not reserved, or that is dearer than what was.
        """
        reserved = [e.event for e in self.entries if e.name == name]
        if not reserved or type(reserved[-1]) is not type(event):
            raise BudgetError(
                f"ledger: {name!r} was not reserved as a {type(event).__name__}; nothing is read."
            )
        number, taken = self._used.get(name, (0, 0))
        if not _covers(reserved[-1], event, taken):
            raise BudgetError(
                f"ledger: {name!r} was reserved for less than it now asks for; nothing is read."
            )
        self._used[name] = number + 1, taken + _count(event)
        with self._commit():
            self._base.execute("INSERT OR IGNORE INTO uses VALUES (?, ?, ?)", (self._run, name, number))
        return number

    def finish(self) -> None:
        """Destroy the noise key: from here on the run can no longer be taken up, only paid for anew."""
        if self._folder is not None:
            (self._folder / KEY).unlink(missing_ok=True)

    def _append(self, entry: Entry, run: str = "") -> None:
        last = self._base.execute("SELECT chain FROM entries ORDER BY id DESC LIMIT 1").fetchone()
        chain = chained(last[0] if last else START, entry)
        body = json.dumps(entry_to_dict(entry), ensure_ascii=True)
        self._base.execute("INSERT INTO entries (run, body, chain) VALUES (?, ?, ?)", (run, body, chain))

    def _resumed(self, entries: Sequence[Entry], run: str) -> Stream | None:
        """Return the stream of a reserved run that still has its key, or None."""
        rows = self._base.execute("SELECT body FROM entries WHERE run = ? ORDER BY id", (run,)).fetchall()
        key = self._key_file()
        if not rows or key is None or not key.exists():
            return None
        if [entry_from_dict(json.loads(body)) for (body,) in rows][-len(entries) :] != list(entries):
            return None
        return Stream.from_key(key.read_bytes())

    def _fresh_stream(self) -> Stream:
        key = os.urandom(32)
        if self._folder is not None:
            _write_key(self._folder / KEY, key)
        return Stream.from_key(key)

    def _key_file(self) -> Path | None:
        return None if self._folder is None else self._folder / KEY

    @contextmanager
    def _commit(self) -> Iterator[None]:
        """Hold the write lock of the database; whatever fails inside leaves it as it was."""
        if self._base.in_transaction:
            yield
            return
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")


def _connect(place: Path | str) -> sqlite3.Connection:
    try:
        base = sqlite3.connect(place, timeout=60, isolation_level=None)
        base.execute("PRAGMA synchronous = FULL")
        base.executescript(_TABLES)
    except sqlite3.Error as error:
        raise UnderstudyError(f"ledger: cannot open {str(place)!r} ({error}).") from None
    return base


def _write_key(path: Path, key: bytes) -> None:
    """Write the key for the owner's eyes only, and make sure that it is on the disk."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def _refusal(spent: Sequence[Event], budget: Budget) -> str:
    already = f" {len(spent)} earlier entries are paid for already." if spent else ""
    limit = f"{budget.measure} {budget.amount:g}"
    return f"ledger: the run does not fit the budget of {limit}; nothing is read.{already}"


def _count(event: Event) -> int:
    return event.steps if isinstance(event, SampledGaussian) else getattr(event, "count", 1)


def _covers(reserved: Event, event: Event, taken: int) -> bool:
    """Say whether an event is part of a reserved one: the same noise, and not more of it than is left."""
    if isinstance(reserved, Pure | Concentrated | Renyi | Open):
        return event == reserved and taken == 0
    same = {name: value for name, value in asdict(event).items() if name not in {"count", "steps"}}
    promised = {name: value for name, value in asdict(reserved).items() if name not in {"count", "steps"}}
    return same == promised and taken + _count(event) <= _count(reserved)
