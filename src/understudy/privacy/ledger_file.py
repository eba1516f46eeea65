"""The ledger's file: a SQLite database that is whole after any crash, and that notices being rolled back.

    ledger.sqlite   entries, reservations, uses and seals; mode 0600
    ledger.head     how many entries there were at last, and the end of their chain

The head lies outside the database on purpose: a database put back from a copy lacks entries that the head
still knows of. Whoever puts back both leaves no trace here; the certificates that were given out
hold the chain too.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy.errors import CorruptModel, UnderstudyError, VersionError, WriteError

__all__ = [
    "FILE",
    "FORMAT",
    "HEAD",
    "committing",
    "connect",
    "read_head",
    "reading",
    "refuse_rollback",
    "write_head",
]

FILE = "ledger.sqlite"
HEAD = "ledger.head"
FORMAT = 1
PATIENCE = 300  # seconds to wait for another process; each holds the lock for one reservation
_OURS = 0x75734C67  # SQLite's application_id: "usLg"
_DAMAGED = {"SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_CORRUPT_VTAB", "SQLITE_FORMAT", "SQLITE_SCHEMA"}
_TABLES = f"""
CREATE TABLE entries (id INTEGER PRIMARY KEY, reservation INTEGER, body TEXT NOT NULL, chain TEXT NOT NULL);
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, digest TEXT NOT NULL, key TEXT NOT NULL,
    finished INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE uses (
    reservation INTEGER, name TEXT, number INTEGER, witness TEXT NOT NULL,
    PRIMARY KEY (reservation, name, number)
);
CREATE TABLE seals (part TEXT, digest TEXT, after INTEGER NOT NULL, PRIMARY KEY (part, digest));
PRAGMA application_id = {_OURS};
PRAGMA user_version = {FORMAT};
"""


def connect(folder: Path | None) -> sqlite3.Connection:
    """Open the ledger of a folder, or a new one in memory; a file that is none of ours is refused."""
    place = ":memory:" if folder is None else str(_made(folder))
    with reading():
        # Closed by whichever thread collects the garbage.
        base = sqlite3.connect(place, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        with reading():
            # EXTRA also syncs the folder after the journal is gone. With less, a power cut could bring the
            # journal back and with it undo a payment after its noise was drawn.
            base.execute("PRAGMA synchronous = EXTRA")
            if _blank(base):
                _create(base)
            _refuse_others(base)
    except BaseException:
        base.close()
        raise
    return base


@contextmanager
def committing(base: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock; what the block writes is there as a whole when it ends, or not at all."""
    with reading():
        base.execute("BEGIN IMMEDIATE")
        try:
            yield
            base.execute("COMMIT")
        except BaseException:
            # Where even this fails the journal stays, and whoever opens the file next rolls back.
            with suppress(sqlite3.Error):
                base.execute("ROLLBACK")
            raise


@contextmanager
def reading() -> Iterator[None]:
    """Turn what SQLite raises into errors of ours."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        if name in _DAMAGED:
            raise CorruptModel(
                f"ledger: {FILE} is damaged or not a ledger ({name}); nothing is read."
            ) from None
        raise WriteError(f"ledger: cannot use {FILE} ({error}); nothing is read.") from None


def write_head(folder: Path | None, count: int, chain: str) -> None:
    """Note outside the database how far the chain has come."""
    if folder is None:
        return
    fresh = folder / f".{HEAD}.{os.getpid()}"
    try:
        with fresh.open("w") as file:
            json.dump({"entries": count, "chain": chain}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, folder / HEAD)
    except OSError as error:
        raise WriteError(f"ledger: cannot write {HEAD} ({error.strerror}); nothing is read.") from None
    finally:
        fresh.unlink(missing_ok=True)


def read_head(folder: Path | None) -> tuple[int, str]:
    """Return how many entries there were when the head was written, and the end of their chain."""
    if folder is None:
        return 0, ""
    try:
        head = json.loads((folder / HEAD).read_bytes())
        return int(head["entries"]), str(head["chain"])
    except FileNotFoundError:
        return 0, ""
    except (OSError, ValueError, KeyError, TypeError):
        raise CorruptModel(f"ledger: {HEAD} cannot be read; nothing is read.") from None


def refuse_rollback(head: tuple[int, str], chains: list[str]) -> None:
    """Refuse a database that lacks entries which the head, read before the entries were, knows of."""
    count, chain = head
    if count > len(chains) or (count > 0 and chains[count - 1] != chain):
        raise CorruptModel(
            f"ledger: it was put back to an earlier state or exchanged: {count} entries were paid for. Put "
            f"the newest {FILE} back; if it is lost, start a new run folder and count the old one as spent."
        )


def _made(folder: Path) -> Path:
    """Return the file of a folder, both made for the owner's eyes only if they were not there."""
    path = folder / FILE
    try:
        if not folder.is_dir():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise WriteError(f"ledger: cannot write into {str(folder)!r} ({error.strerror}).") from None
    except ValueError:
        raise UnderstudyError("ledger: this is not the name of a folder.") from None
    return path


def _blank(base: sqlite3.Connection) -> bool:
    marked = base.execute("PRAGMA application_id").fetchone()[0]
    return not marked and not base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _create(base: sqlite3.Connection) -> None:
    with committing(base):
        if _blank(base):  # another process may have been quicker
            for statement in _TABLES.split(";"):
                base.execute(statement)


def _refuse_others(base: sqlite3.Connection) -> None:
    version = base.execute("PRAGMA user_version").fetchone()[0]
    if base.execute("PRAGMA application_id").fetchone()[0] != _OURS or version < FORMAT:
        raise CorruptModel(f"ledger: {FILE} is a database, but not a ledger; name another run folder.")
    if version > FORMAT:
        raise VersionError(f"ledger: format {version} is newer than {FORMAT}; update understudy.")
