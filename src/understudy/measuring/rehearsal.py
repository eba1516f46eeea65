"""Evidence that an adversary makes up: other rows in some roles, in the code of the evidence at hand.

What was validated is not validated again, and nothing that was made for the true tables is mixed up with
what is made for these: they have a memory of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, final

from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role
from understudy.table.table import Table

__all__ = ["rehearsed", "with_reference"]

_T = TypeVar("_T")


def rehearsed(evidence: Evidence, coded: Mapping[Role, CodedTable]) -> Evidence:
    """Return evidence with these coded rows in their roles; they have no cells, and `table` gives the old.

    >>> import numpy as np, pyarrow as pa
    >>> shown = Evidence(train=pa.table({"x": [1.5, 2.5]}), synthetic=pa.table({"x": [3.5, 4.5]}))
    >>> rehearsed(shown, {"synthetic": shown.coded("train")}).coded("synthetic")["x"].tolist()
    [1.5, 2.5]
    """
    tables: dict[str, Any] = {role: evidence.table(role) for role in ("train", "synthetic", *coded)}
    return Evidence(**tables, cache=_Told(evidence, {("coded", role): rows for role, rows in coded.items()}))


def with_reference(evidence: Evidence, rows: Table) -> Evidence:
    """Return evidence whose reference are these rows; all of them are rows of its own real tables."""
    train, synthetic = evidence.table("train"), evidence.table("synthetic")
    return Evidence(train=train, synthetic=synthetic, reference=rows, cache=_Told(evidence, {}))


@final
class _Told:
    """A memory that has the terms of some evidence from the start."""

    def __init__(self, evidence: Evidence, known: Mapping[Any, Any]) -> None:
        terms = {("notes",): (), ("schema",): evidence.schema, ("coding",): evidence.coding}
        self._made: dict[Any, Any] = {**terms, **known}

    def find(self, key: object, make: Callable[[], _T]) -> _T:
        """Return what is known under this key, or make it now."""
        if key not in self._made:
            self._made[key] = make()
        found: _T = self._made[key]
        return found
