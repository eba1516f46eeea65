"""The vault: private rows, and the only two ways to read them.

A recipe gets a vault, never a table. It can `read` through a mechanism, whose price was written
into the ledger before the noise is drawn, or it can `open` the vault, which writes an entry of
infinite price. There is no third way, so the certificate is true by construction and nobody
has to remember to account for a minimum, a list of categories or a second training stage.

Python cannot stop code that digs for a private attribute; the house tests refuse such code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.errors import BudgetError, ParameterError
from understudy.privacy.entry import Entry, Phase
from understudy.privacy.ledger import Ledger
from understudy.privacy.mechanism import Columns, Mechanism
from understudy.privacy.replay import current_tape
from understudy.privacy.stream import Stream
from understudy.privacy.witness import witness_of

__all__ = ["Columns", "Vault"]

NOT_PRIVATE = "NOT PRIVATE: noise or outputs were fixed for a test"


@final
class Vault:
    """Columns of private rows behind a ledger. Even the number of rows is not told for free.

    >>> vault = Vault({"age": np.array([31, 42])}, Ledger())
    >>> rows = vault.open("margins of all columns")
    >>> rows["age"].tolist(), vault.ledger.entries[0].infinite
    ([31, 42], True)
    """

    __slots__ = ("_columns", "_ledger", "_released", "_stream")

    def __init__(
        self,
        columns: Columns,
        ledger: Ledger,
        stream: Stream | None = None,
        *,
        released: dict[str, list[Any]] | None = None,
    ) -> None:
        if len({len(values) for values in columns.values()}) > 1:
            raise ParameterError("Vault: all columns must have the same number of rows.")
        self._columns = {name: _sealed(values) for name, values in columns.items()}
        self._ledger = ledger
        self._stream = stream
        self._released = {} if released is None else released

    @property
    def ledger(self) -> Ledger:
        """The ledger that every read of this vault is written into."""
        return self._ledger

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, which are public."""
        return tuple(self._columns)

    @property
    def budgeted(self) -> bool:
        """Whether the run has a budget, and so must read through mechanisms."""
        return self._stream is not None

    def open(
        self, why: str, phase: Phase = "train", feeds: tuple[str, ...] = (), *, once: bool = False
    ) -> dict[str, npt.NDArray[Any]]:
        """Hand out the rows as they are, after writing an entry of infinite price.

        Guarantee: none. A certificate with such an entry is never sound. `feeds` names the only parts
        that what is read here reaches as it is; without it, it reaches everything. An entry that is to be
        there `once` is not written again where the ledger ends with it: the run was taken up.
        """
        if not isinstance(why, str) or not why.strip():
            raise ParameterError("Vault: say why the rows are read; the certificate will repeat it.")
        entry = Entry(why, phase, columns=self.names, feeds=feeds)
        if not once or self._ledger.entries[-1:] != (entry,):
            self._ledger.write(entry)
        return dict(self._columns)

    def read(self, name: str, mechanism: Mechanism) -> Any:
        """Return what a mechanism releases, within the price that was reserved under `name`.

        Guarantee: that of the mechanism. A read that was not reserved, or is dearer than what was, is
        refused and nothing is computed. Before noise is drawn the ledger notes what it will hide, so
        that a run taken up again cannot draw the same noise for anything else.
        """
        if self._stream is None:
            raise BudgetError(f"Vault: {name!r}: this run has no budget; open the vault and say why.")
        number = self._ledger.use(name, mechanism.event, self._stream, chance=mechanism.chance)
        tape = current_tape()
        if tape is not None or not self._stream.private:
            self._stamp()
        try:
            statistic = mechanism.statistic(self._columns)
            if tape is None:
                apart = self._stream.child("witness", name, number)
                self._ledger.note(name, number, witness_of(apart, mechanism, statistic))
        except BaseException:
            # Else who goes on after a refusal would reach numbers that no earlier run has noted.
            self._ledger.undo()
            raise
        if tape is not None:
            found = tape.pass_through(name, mechanism, statistic)
        else:
            found = mechanism.release(statistic, self._stream.child(name, number))
        self._released.setdefault(name, []).append(found)
        return found

    def released(self, name: str) -> tuple[Any, ...]:
        """Return what reads under `name` have released so far, in their order: it is public and paid for."""
        return tuple(self._released.get(name, ()))

    def map(self, rowwise: Callable[[Columns], Columns]) -> Vault:
        """Return a vault of transformed rows on the same ledger.

        `rowwise` must turn each row into one row by a rule that does not depend on any other
        row: then neighbouring tables stay neighbouring and nothing has to be paid here.
        """
        changed = rowwise(dict(self._columns))
        if len({len(values) for columns in (self._columns, changed) for values in columns.values()}) > 1:
            raise ParameterError("Vault: a rule that turns each row into one row must keep their number.")
        return Vault(changed, self._ledger, self._stream, released=self._released)

    def seal(self, part: str, content: bytes) -> None:
        """Fix a part of what is made: reads after this cannot reach it, and the certificate says so.

        `content` is the part, byte for byte as it will be released; its SHA-256 is written down.
        """
        self._ledger.seal(part, hashlib.sha256(content).hexdigest())

    def __repr__(self) -> str:
        return f"Vault({', '.join(self._columns)})"

    def _stamp(self) -> None:
        if all(entry.what != NOT_PRIVATE for entry in self._ledger.entries):
            self._ledger.write(Entry(NOT_PRIVATE, "evaluate", columns=self.names))


def _sealed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = np.asarray(values).view()
    view.flags.writeable = False
    return view
