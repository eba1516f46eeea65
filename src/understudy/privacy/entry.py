"""One line of the ledger: what was read from private rows, how, and at what price."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, final, get_args

from understudy.errors import CorruptModel, VersionError
from understudy.privacy.events import Event, Open, event_from_dict, event_to_dict

__all__ = ["START", "Entry", "Phase", "chained", "digest_of", "entry_from_dict", "entry_to_dict", "under"]

Phase = Literal["schema", "preprocess", "select", "measure", "train", "tune", "sample", "evaluate"]

START = "0" * 64
OPEN = Open()
_TEXTS = ("name", "what", "because", "condition")
_LISTS = ("columns", "feeds")


@final
@dataclass(frozen=True)
class Entry:
    """One read. The event `Open` means that rows were seen as they are: an infinite price.

    `because` says how far one row can move what was read, and why; `condition` what must hold of the
    rows for the price to be right; `feeds` which of the things made this read reaches, all if none
    is named; `name` is how the run calls it.
    """

    what: str
    phase: Phase
    event: Event = OPEN
    columns: tuple[str, ...] = ()
    because: str = ""
    name: str = ""
    condition: str = ""
    feeds: tuple[str, ...] = ()

    @property
    def infinite(self) -> bool:
        """Whether nothing bounds what this read reveals."""
        return isinstance(self.event, Open)

    @property
    def mechanism(self) -> str:
        """The kind of noise, or "none"."""
        return "none" if self.infinite else type(self.event).__name__


def under(entry: Entry, condition: str) -> Entry:
    """Return the entry with one condition more; a price that is infinite holds whatever the rows are.

    >>> from understudy.privacy.events import Gaussian
    >>> under(Entry("sums", "measure", Gaussian(2.0), condition="a"), "b").condition
    'a; b'
    >>> under(Entry("rows", "train"), "b").condition
    ''
    """
    said = entry.condition.split("; ") if entry.condition else []
    more = [each for each in condition.split("; ") if each and each not in said]
    if entry.infinite or not more:
        return entry
    return replace(entry, condition="; ".join([*said, *more]))


def entry_to_dict(entry: Entry) -> dict[str, Any]:
    """Return the entry as plain values, in a fixed order of keys."""
    texts = {name: getattr(entry, name) for name in _TEXTS}
    lists = {name: list(getattr(entry, name)) for name in _LISTS}
    return {**texts, "phase": entry.phase, **lists, "event": event_to_dict(entry.event)}


def entry_from_dict(tree: dict[str, Any]) -> Entry:
    """Return the entry that `entry_to_dict` wrote; anything unknown is refused, never guessed.

    >>> entry = Entry("all rows", "train")
    >>> entry_from_dict(entry_to_dict(entry)) == entry
    True
    """
    if not isinstance(tree, dict) or set(tree) != {*_TEXTS, *_LISTS, "phase", "event"}:
        raise CorruptModel("ledger: an entry does not hold what it must, or more than this version knows.")
    good = all(isinstance(tree[name], str) for name in _TEXTS) and isinstance(tree["event"], dict)
    for name in _LISTS:
        good = good and isinstance(tree[name], list) and all(isinstance(item, str) for item in tree[name])
    if not good:
        raise CorruptModel("ledger: an entry does not hold what it must, or more than this version knows.")
    if tree["phase"] not in get_args(Phase):
        raise VersionError(
            "ledger: an entry is of a phase that this version does not know; update understudy."
        )
    rest: dict[str, Any] = {name: tuple(tree[name]) for name in _LISTS} | {
        name: tree[name] for name in _TEXTS
    }
    return Entry(phase=tree["phase"], event=event_from_dict(tree["event"]), **rest)


def chained(link: str, entry: Entry) -> str:
    """Return the next link of the hash chain."""
    text = json.dumps(entry_to_dict(entry), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"{link}{text}".encode()).hexdigest()


def digest_of(entries: Iterable[Entry]) -> str:
    """Return the end of the hash chain over the entries."""
    link = START
    for entry in entries:
        link = chained(link, entry)
    return link
