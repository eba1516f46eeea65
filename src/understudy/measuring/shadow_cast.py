"""The shadows of a synthesizer on the rows of a table: cast once for all attacks that ask for the same.

Records are the different rows of the table: of two equal ones, one would be inside where the other is not.
They are put in canonical order before any are drawn, so that the order of rows does not matter.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import final

import numpy as np
import numpy.typing as npt

from understudy.engines.shadows.plan import Mask, Plan, Shadows
from understudy.engines.shadows.training import train
from understudy.errors import TooFewRows
from understudy.measuring.canonical import renumbered
from understudy.measuring.shadow_fit import Synthesizer, fitting
from understudy.rng import stream
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role
from understudy.table.roles import row_keys
from understudy.version import TOOL

__all__ = ["Shown", "Size", "cast", "different"]

FEWEST = 4  # records: halves of two
TRAINING = "training"  # of networks, in the folder of the models
Places = npt.NDArray[np.int64]


@final
@dataclass(frozen=True)
class Size:
    """How many models and sets there are, of at most how many records; and how they are made.

    workers   processes that train; 0 for this one
    keep      a folder in which models stay for the next time; none if it is empty
    """

    models: int
    sets: int
    records: int
    workers: int = 0
    keep: str = ""


@final
@dataclass(frozen=True, eq=False)
class Shown:
    """The records, where each stands in its table of so many rows, and the shadows on them."""

    records: CodedTable
    places: Places
    rows: int
    shadows: Shadows

    @property
    def inside(self) -> Mask:
        """Which record is inside which model: (models, records)."""
        return self.shadows.inside

    def drawn(self, model: int, number: int) -> CodedTable:
        """Return one set of a model."""
        return CodedTable(self.records.domain, self.shadows.drawn(model, number))


def cast(evidence: Evidence, role: Role, recipe: Synthesizer, size: Size, seed: int) -> Shown:
    """Return the shadows of a synthesizer on the rows of a table."""
    table = evidence.coded(role)
    places = _drawn(different(table), size.records, seed)
    if len(places) < FEWEST:
        raise TooFewRows(f"shadows: expected {FEWEST} different rows or more; got {len(places)}.")
    plan = Plan.of(len(places), size.models, size.sets, seed)
    records = table.take(places)
    named = (
        type(recipe).__module__,
        type(recipe).__qualname__,
        json.dumps(recipe.settings(), sort_keys=True),
    )
    key = ("shadows", role, *named, size.models, size.sets, size.records, seed)

    def trained() -> Shadows:
        with TemporaryDirectory(prefix="understudy-shadows-") as passing:
            folder = Path(size.keep or passing) / _digest(key, records)
            with fitting(evidence, role, places, recipe, keep=folder / TRAINING) as make:
                return train(make, plan, folder, size.workers)

    return Shown(records, places, len(table), evidence.cached(key, trained))


def different(table: CodedTable) -> Places:
    """Return the places of rows no two of which are equal, in canonical order.

    >>> from understudy.table.coded import CodedColumn
    >>> column = CodedColumn("x", quantity=True, low=1, high=3)
    >>> different(CodedTable((column,), {"x": np.array([3.0, 1.0, 3.0, 2.0])})).tolist()
    [1, 3, 0]
    """
    told = renumbered([table], [table])[0]
    order = np.lexsort([told[column.name] for column in reversed(told.domain)])
    keys = row_keys(table)[order]
    _, first = np.unique(keys, return_index=True)
    return np.asarray(order[np.sort(first)], dtype=np.int64)


def _drawn(places: Places, most: int, seed: int) -> Places:
    if len(places) <= most:
        return places
    chosen = stream(seed, "shadows", "records").choice(len(places), most, replace=False)
    return places[np.sort(chosen)]


def _digest(key: tuple[object, ...], records: CodedTable) -> str:
    """Return a name for these models: the same for the same settings and the same cells."""
    digest = hashlib.sha256(repr((TOOL, key, [asdict(column) for column in records.domain])).encode())
    for column in records.domain:
        digest.update(np.ascontiguousarray(records[column.name]).tobytes())
    return digest.hexdigest()[:32]
