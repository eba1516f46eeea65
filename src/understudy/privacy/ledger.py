"""The ledger: what was read from private rows, and at what price, in the order it was paid for.

It is a SQLite database, in the run folder or in memory. Entries are only ever appended, and each one's
digest covers the digest before it. A private run reserves all that it will read in one commit
before the first noise is drawn; a run that was cut short and starts again finds its reservation
and pays nothing twice; nothing is ever paid back.

What happens if the process dies, in the order of things:

    before the key is on the disk     nothing was paid, nothing is there
    before the commit                 a key that no reservation knows; the next reservation removes it
    after the commit                  paid, and the key is there: the run is taken up with the same noise
    after the key was destroyed       paid; whoever wants another run pays again
"""

from __future__ import annotations

import json
import os
import sqlite3
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import final

from understudy.errors import BudgetError, CorruptModel
from understudy.privacy import ledger_file, noise_key
from understudy.privacy.allowance import Allowance
from understudy.privacy.budget import Budget
from understudy.privacy.entry import START, Entry, chained, digest_of, entry_from_dict, entry_to_dict, under
from understudy.privacy.events import Event
from understudy.privacy.seal import Seal
from understudy.privacy.stream import KEY_BYTES, Stream

__all__ = ["Ledger"]


@final
class Ledger:
    """An append-only list of entries, durable when it has a folder.

    `condition` is said of every price that is written through this object: what must hold of the rows it
    is about (`Table.condition`). A run that was begun under another condition is another run.

    >>> ledger = Ledger()
    >>> ledger.write(Entry("all rows", "train"))
    >>> [entry.infinite for entry in ledger.entries]
    [True]
    """

    __slots__ = ("__weakref__", "_allowance", "_base", "_condition", "_folder", "_reservation", "_stream")

    def __init__(self, folder: Path | None = None, *, condition: str = "") -> None:
        self._folder, self._condition = folder, condition
        self._base = ledger_file.connect(folder)
        weakref.finalize(self, self._base.close)
        self._allowance = Allowance()
        self._reservation: tuple[int, str] | None = None  # its number, and the name of its key
        self._stream: Stream | None = None
        # The head first: another process may append in between, and then the chain is ahead, never behind.
        head = ledger_file.read_head(folder)
        ledger_file.refuse_rollback(head, [chain for _, chain in _chain(self._base)])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was written so far; a chain that does not hold is refused."""
        return tuple(entry for entry, _ in _chain(self._base))

    @property
    def seals(self) -> tuple[Seal, ...]:
        """The parts that were fixed so far."""
        with ledger_file.reading():
            rows = self._base.execute("SELECT part, digest, after FROM seals ORDER BY rowid").fetchall()
        return tuple(Seal(*row) for row in rows)

    def write(self, entry: Entry) -> None:
        """Append an entry. Callers write first and read after: a crash may over-count, never under-count."""
        with ledger_file.committing(self._base):
            _append(self._base, [under(entry, self._condition)], None)
        _note_head(self._base, self._folder)

    def reserve(self, entries: Sequence[Entry], budget: Budget, run: str = "") -> Stream:
        """Pay for a whole run in one commit and return the stream that its noise comes from.

        Refuses, before anything is written, when all entries together with those already there
        would break the budget. A run of the same name that reserved the same entries and was cut
        short is taken up again: same entries, same noise, no new price.
        """
        listed = tuple(under(entry, self._condition) for entry in entries)
        with ledger_file.committing(self._base):
            found = None if self._folder is None else _unfinished(self._base, self._folder, run, listed)
            if found is not None:
                _refuse_overspending(_up_to(self._base, found[0]), len(listed), budget)
            else:
                _refuse_overspending((*self.entries, *listed), len(listed), budget)
                found = _booked(self._base, self._folder, run, listed)
        _note_head(self._base, self._folder)
        self._reservation, self._allowance = found[:2], Allowance(listed)
        self._stream = Stream.from_key(found[2])
        return self._stream

    def use(self, name: str, event: Event, stream: Stream | None = None, *, chance: float = 0.0) -> int:
        """Return which read of its name this is, from 0, if it was reserved; the numbers label its noise.

        Refuses a read that was not reserved, one that is dearer than what was, and the stream of an
        earlier reservation: its numbers are used up, and their noise would be drawn twice.
        """
        if stream is not None and stream.private and self._stream not in (None, stream):
            raise BudgetError(
                f"ledger: {name!r}: this vault's reservation was replaced by another; nothing is read."
            )
        return self._allowance.take(name, event, chance)

    def undo(self) -> None:
        """Take back the last use, of which nothing was released: whoever goes on must read that first."""
        self._allowance.undo()

    def note(self, name: str, number: int, witness: str) -> None:
        """Write down that a read takes place, before its noise is drawn; refuse another in its place."""
        at = self._reservation[0] if self._reservation else 0
        with ledger_file.committing(self._base):
            known = self._base.execute(
                "SELECT witness FROM uses WHERE reservation = ? AND name = ? AND number = ?",
                (at, name, number),
            ).fetchone()
            if known is None:
                self._base.execute("INSERT INTO uses VALUES (?, ?, ?, ?)", (at, name, number, witness))
        if known is not None and known[0] != witness:
            raise BudgetError(
                f"ledger: {name!r} was begun on other rows or with other settings, and the same noise must "
                "not hide two things. Take the run up with the table, schema and settings it was begun with, "
                "or remove its noise key: it stays paid for, and a new run is paid anew."
            )

    def seal(self, part: str, digest: str) -> None:
        """Fix a part of what is made, by its SHA-256: no read after this can have reached it."""
        with ledger_file.committing(self._base):
            after = self._base.execute("SELECT count(*) FROM entries").fetchone()[0]
            seal = Seal(part, digest, after)
            # The same content sealed again, by a run that is taken up, was fixed the first time.
            self._base.execute(
                "INSERT OR IGNORE INTO seals VALUES (?, ?, ?)", (part, seal.digest, seal.after)
            )

    def finish(self) -> None:
        """Destroy the noise key: from here on the run can no longer be taken up, only paid for anew."""
        if self._folder is None or self._reservation is None:
            return
        number, name = self._reservation
        noise_key.destroy(self._folder, name)
        with ledger_file.committing(self._base):
            self._base.execute("UPDATE reservations SET finished = 1 WHERE id = ?", (number,))

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()


def _note_head(base: sqlite3.Connection, folder: Path | None) -> None:
    if folder is None:
        return
    chain = [link for _, link in _chain(base)]
    ledger_file.write_head(folder, len(chain), chain[-1] if chain else START)


def _chain(base: sqlite3.Connection) -> list[tuple[Entry, str]]:
    """Return all entries with their links; refuse a chain that does not hold."""
    with ledger_file.reading():
        rows = base.execute("SELECT id, body, chain FROM entries ORDER BY id").fetchall()
    link, found = START, list[tuple[Entry, str]]()
    for number, (place, body, chain) in enumerate(rows, start=1):
        entry = _entry(body, number)
        link = chained(link, entry)
        if link != chain or place != number:
            raise CorruptModel(f"ledger: entry {number} was altered; its hash does not fit the chain.")
        found.append((entry, link))
    return found


def _entry(body: str, number: int) -> Entry:
    try:
        return entry_from_dict(json.loads(body))
    except (ValueError, TypeError, RecursionError):
        raise CorruptModel(f"ledger: entry {number} was altered; it is not an entry any more.") from None


def _append(base: sqlite3.Connection, entries: Sequence[Entry], reservation: int | None) -> None:
    chain = _chain(base)
    link = chain[-1][1] if chain else START
    for number, entry in enumerate(entries, start=len(chain) + 1):
        link = chained(link, entry)
        body = json.dumps(entry_to_dict(entry), ensure_ascii=True)
        base.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (number, reservation, body, link))


def _booked(
    base: sqlite3.Connection, folder: Path | None, run: str, entries: Sequence[Entry]
) -> tuple[int, str, bytes]:
    """Keep a new key, write a reservation and its entries; return number, key name and key."""
    key = os.urandom(KEY_BYTES)
    name = "" if folder is None else noise_key.keep(folder, key)
    cursor = base.execute(
        "INSERT INTO reservations (run, digest, key) VALUES (?, ?, ?)", (run, digest_of(entries), name)
    )
    number = int(cursor.lastrowid or 0)
    _append(base, entries, number)
    return number, name, key


def _unfinished(
    base: sqlite3.Connection, folder: Path, run: str, entries: Sequence[Entry]
) -> tuple[int, str, bytes] | None:
    """Return number, key name and key of a run that was paid for and cut short; sweep keys of none."""
    rows = base.execute("SELECT id, run, digest, key FROM reservations WHERE NOT finished").fetchall()
    noise_key.sweep(folder, [key for _, _, _, key in rows])
    wanted = run, digest_of(entries)
    for number, name, digest, key in reversed(rows):
        if (name, digest) == wanted and (kept := noise_key.find(folder, key)) is not None:
            return number, key, kept
    return None


def _up_to(base: sqlite3.Connection, reservation: int) -> tuple[Entry, ...]:
    """Return everything that was paid for before a reservation ended, itself included."""
    last = base.execute("SELECT max(id) FROM entries WHERE reservation = ?", (reservation,)).fetchone()[0]
    return tuple(entry for entry, _ in _chain(base)[: last or 0])


def _refuse_overspending(entries: Sequence[Entry], own: int, budget: Budget) -> None:
    from understudy.privacy.meeting import meets  # scipy: slow to load, and reading a ledger needs none of it

    if meets(tuple(entry.event for entry in entries), budget):
        return
    earlier = len(entries) - own
    already = f" {earlier} earlier entries of this ledger are paid for already." if earlier else ""
    limit = f"{budget.measure} {budget.amount:g}"
    raise BudgetError(f"ledger: the run does not fit the budget of {limit}; nothing is read.{already}")
