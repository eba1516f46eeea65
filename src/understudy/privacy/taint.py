"""Which private reads can have reached which part of what was made.

The graph is derived. Its nodes are the entries of the ledger, in order, and the parts that were made;
an edge from a read to a part exists unless something rules it out:

- a part that was sealed is reached by every entry before its seal and by none after it: its hash
  stood in the ledger before those rows were read;
- an entry that says it feeds certain parts only, which the code that hands out the rows must make sure
  of, reaches those alone;
- what was neither sealed nor named, `REST`, is reached by every entry that does not feed others only.

A part counts as covered if every path from private rows to it passes an entry with a price: if no entry
that reaches it read rows as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from understudy.privacy.entry import Entry
from understudy.privacy.seal import Seal

__all__ = ["REST", "covered", "parts_of", "reaching"]

REST = "everything else"


def parts_of(entries: Sequence[Entry], seals: Sequence[Seal]) -> tuple[str, ...]:
    """Return the names of all parts: sealed ones, those that entries feed, and the rest."""
    fed = [part for entry in entries for part in entry.feeds]
    return tuple(dict.fromkeys([*(seal.part for seal in seals), *fed, REST]))


def reaching(entries: Sequence[Entry], seals: Sequence[Seal], part: str) -> tuple[Entry, ...]:
    """Return the entries that can have reached a part; of two seals of one name the later counts.

    >>> first, second = Entry("noisy sums", "train"), Entry("the rows", "train")
    >>> [entry.what for entry in reaching([first, second], [Seal("weights", "0" * 64, 1)], "weights")]
    ['noisy sums']
    """
    ends = [seal.after for seal in seals if seal.part == part]
    if ends:
        return tuple(entries[: max(ends)])
    return tuple(entry for entry in entries if not entry.feeds or part in entry.feeds)


def covered(entries: Sequence[Entry], seals: Sequence[Seal]) -> tuple[str, ...]:
    """Return the parts that private rows reached through entries with a price, and only through those."""
    return tuple(
        part
        for part in parts_of(entries, seals)
        if (found := reaching(entries, seals, part)) and not any(entry.infinite for entry in found)
    )
