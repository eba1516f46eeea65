"""The ledger: what was read from private rows, and at what price, in the order it happened.

Entries are only ever appended. Each one's digest covers the digest before it, so an entry
that was removed, altered or moved shows when the chain is computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, final, get_args

from understudy.errors import CorruptModel, VersionError

__all__ = ["Entry", "Ledger", "Phase", "digest_of", "entry_from_dict"]

Phase = Literal["schema", "preprocess", "select", "measure", "train", "tune", "sample", "evaluate"]
Mechanism = Literal["none"]

_START = "0" * 64


@dataclass(frozen=True)
class Entry:
    """One read. `mechanism` "none" means that rows were seen as they are: an infinite price."""

    what: str
    phase: Phase
    mechanism: Mechanism = "none"
    columns: tuple[str, ...] = ()

    @property
    def infinite(self) -> bool:
        """Whether nothing bounds what this read reveals."""
        return self.mechanism == "none"


def entry_from_dict(tree: dict[str, Any]) -> Entry:
    """Return the entry that `asdict` wrote; an unknown mechanism or field is refused, never guessed.

    >>> entry_from_dict({"what": "all rows", "phase": "train", "mechanism": "none", "columns": []}).infinite
    True
    """
    if not isinstance(tree, dict) or set(tree) != {"what", "phase", "mechanism", "columns"}:
        raise CorruptModel("ledger: an entry does not hold what it must, or more than this version knows.")
    if tree["mechanism"] != "none" or tree["phase"] not in get_args(Phase):
        raise VersionError(
            "ledger: an entry is of a kind that this version does not know; update understudy."
        )
    what, columns = tree["what"], tree["columns"]
    if not isinstance(what, str) or not isinstance(columns, list | tuple):
        raise CorruptModel("ledger: an entry does not hold what it must, or more than this version knows.")
    if not all(isinstance(name, str) for name in columns):
        raise CorruptModel("ledger: an entry names a column by something that is not text.")
    return Entry(what, tree["phase"], "none", tuple(columns))


@final
class Ledger:
    """An append-only list of entries.

    >>> ledger = Ledger()
    >>> ledger.write(Entry("all rows", "train"))
    >>> [entry.infinite for entry in ledger.entries]
    [True]
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was written so far."""
        return tuple(self._entries)

    def write(self, entry: Entry) -> None:
        """Append an entry. Callers write first and read after: a crash may over-count, never under-count."""
        self._entries.append(entry)


def digest_of(entries: Iterable[Entry]) -> str:
    """Return the end of the hash chain over the entries."""
    link = _START
    for entry in entries:
        text = json.dumps(asdict(entry), sort_keys=True, ensure_ascii=True)
        link = hashlib.sha256(f"{link}{text}".encode()).hexdigest()
    return link
