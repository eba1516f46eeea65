"""Cells that are given, and rows drawn around them: conditions that are seldom met, and imputation.

RePaint (Lugmayr et al., 2022) and its kin fix known coordinates while a generator draws the others. Which
coordinates belong to a cell is the codec's to say: a quantity that is there fixes its number and its flag, a
missing one its flag alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

from understudy.codec import Codec
from understudy.codec.levels import Grouped
from understudy.codec.listed import Listed
from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.ruler import between
from understudy.codec.slot import CodeSlot, Slot
from understudy.engines.condition import Among, Between, Condition, Conditions, IsMissing
from understudy.engines.generator import Known
from understudy.engines.margin import nothing_at
from understudy.errors import NothingMatches
from understudy.missing import is_missing, missing_like
from understudy.model.sampler import Columns
from understudy.model.spreading import spread

__all__ = ["Asked", "Draw", "fill_in", "inpaint"]

Mask = npt.NDArray[np.bool_]

SELDOM = 1e-3  # rows that an allowed level is taken to have where none came
TRIES = 5  # draws of a level that came out missing, before one is taken from the other rows


class Draw(Protocol):
    """Draws so many rows around known cells."""

    def __call__(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Columns:
        """Return the columns."""


@final
@dataclass(frozen=True, eq=False)
class Asked:
    """Conditions that a codec can write: what no value satisfies is refused before anything is drawn."""

    conditions: dict[str, Condition]
    slots: dict[str, Slot]

    @classmethod
    def of(cls, codec: Codec, conditions: Conditions, met: Mapping[str, Mask] | None = None) -> Asked:
        """Return the conditions cut to what the columns can hold, and to codes that rows had (`met`)."""
        slots = {slot.name: slot for slot in codec.slots}
        had = met or {}
        return cls({name: _cut(slots[name], each, had.get(name)) for name, each in conditions.items()}, slots)

    def choose(self, pool: Columns, found: Columns, rows: int, rng: np.random.Generator) -> Columns:
        """Choose the conditioned cells of so many rows; all cells of rows that matched, where there are any.

        Else each column's come from the rows that satisfy its own condition, or from what it may hold where
        no row does. Of few rows, numbers are `spread` over the ranges that are asked for.
        """
        matched = len(next(iter(found.values())))
        if not matched:
            return {name: self._drawn(name, pool[name], rows, rng) for name in self.conditions}
        places = rng.integers(0, matched, rows)
        chosen = {name: values[places] for name, values in found.items()}
        for name, each in self.conditions.items():
            chosen[name] = spread(self.slots[name], each, chosen[name], matched, rng)
        return chosen

    def _drawn(
        self, name: str, pool: npt.NDArray[Any], rows: int, rng: np.random.Generator
    ) -> npt.NDArray[Any]:
        condition = self.conditions[name]
        few = int(condition.accepts(pool).sum())
        return spread(self.slots[name], condition, _draw(condition, pool, rows, rng), few, rng)


def inpaint(
    codec: Codec,
    draw: Draw,
    cells: Columns,
    near: Columns,
    rng: np.random.Generator,
    *,
    fitting: bool = False,
) -> Columns:
    """Return rows that have these cells, all other columns drawn around them.

    `near` is any legal rows, or if `fitting` rows that were drawn with these cells: the walk begins at them.
    """
    rows = len(next(iter(cells.values())))
    others = {name: np.resize(values, rows) for name, values in near.items()}
    known = _known(codec, others | cells, {name: np.ones(rows, dtype=bool) for name in cells}, rng)
    return draw(rows, rng, replace(known, fitting=fitting)) | cells


def fill_in(codec: Codec, draw: Draw, columns: Columns, rng: np.random.Generator) -> Columns:
    """Return the columns with every missing cell drawn given the cells of its row that are there."""
    there = {name: ~is_missing(values) for name, values in columns.items()}
    whole = np.logical_and.reduce(list(there.values())) if there else np.ones(0, dtype=bool)
    left = np.flatnonzero(~whole)
    filled = {name: values.copy() for name, values in columns.items()}
    for _ in range(TRIES):
        if not len(left):
            return filled
        part = {name: columns[name][left] for name in columns}
        given = {name: there[name][left] for name in columns}
        drawn = draw(len(left), rng, _known(codec, part, given, rng, filling=True))
        for name, mask in given.items():
            filled[name][left[~mask]] = drawn[name][~mask]
        left = left[np.logical_or.reduce([is_missing(filled[name][left]) for name in filled])]
    for slot in codec.slots:
        filled[slot.name] = _without_gaps(slot, filled[slot.name], rng)
    return filled


def _known(
    codec: Codec,
    columns: Columns,
    given: Mapping[str, Mask],
    rng: np.random.Generator,
    *,
    filling: bool = False,
) -> Known:
    """Return the coordinates of the given cells; in `filling`, the others are known to be there."""
    rows = len(next(iter(columns.values())))
    # What is not given is never looked at, yet must be something that the codec can write.
    cells = {slot.name: _writable(slot, columns[slot.name]) for slot in codec.slots}
    values = codec.encode(cells, rng)
    mask = np.zeros(values.shape, dtype=bool)
    for slot in codec.slots:
        fixed = given.get(slot.name, np.zeros(rows, dtype=bool))
        span = codec.layout.span_of(slot.name)
        if isinstance(slot, CodeSlot):
            mask[:, span.start] = fixed
            continue
        there = fixed & ~is_missing(columns[slot.name])
        mask[:, span.start] = there
        if isinstance(slot.encoder, Modes):
            mask[:, codec.layout.span_of(slot.name, "code").start] = there
        if slot.gaps:
            flag = codec.layout.span_of(slot.name, "flag").start
            mask[:, flag] = True if filling else fixed
            values[:, flag] = np.where(fixed, values[:, flag], 0.0)
    return Known(values, mask)


def _writable(slot: Slot, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    gone = is_missing(values)
    if slot.gaps or not gone.any():
        return values
    fill = 0 if values.dtype == np.int32 else _ends(slot)[0]
    return np.where(gone, fill, values).astype(values.dtype)


def _cut(slot: Slot, condition: Condition, met: Mask | None) -> Condition:
    """Return the condition without what the column can never be, or was not in any row."""
    if isinstance(condition, Among):
        return _among(slot, condition, met)
    if isinstance(condition, IsMissing):
        if not slot.gaps or (met is not None and not met[-1]):
            raise _never_missing(slot.name)
        return condition
    low, high = _ends(slot)
    if isinstance(low, int):
        # Whole numbers beyond 2^53 are told apart only if they never become floats.
        cut = Between(math.ceil(max(condition.low, low)), math.floor(min(condition.high, high)))
    else:
        cut = Between(max(condition.low, low), min(condition.high, high))
    if cut.low > cut.high:
        raise nothing_at(slot.name, condition)
    return cut


def _among(slot: Slot, condition: Among, met: Mask | None) -> Among:
    """Return the levels that are allowed and that some row had, where that was counted."""
    levels = np.arange(len(condition.allowed) - 1, dtype=slot.encoder.dtype)
    had = np.append(np.ones(len(levels), dtype=bool), slot.gaps)
    if isinstance(slot.encoder, Grouped) and met is not None:
        # Levels that share a code are told apart by their weights, which are counts.
        had[:-1] = met[slot.encoder.encode(levels)] & (slot.encoder.weights > 0)
        had[-1] = slot.gaps and met[-1]
    allowed = condition.allowed & had
    if not allowed.any():
        raise nothing_at(slot.name, condition) if condition.allowed[:-1].any() else _never_missing(slot.name)
    return Among(allowed)


def _never_missing(name: str) -> NothingMatches:
    return NothingMatches(f"where: column {name!r} was never missing; ask for a value instead.")


def _ends(slot: Slot) -> tuple[int, int] | tuple[float, float]:
    """Return the first and the last value that a quantity can have."""
    if isinstance(slot.encoder, Modes):
        return slot.encoder.low, slot.encoder.high
    assert isinstance(slot.encoder, Quantile | Listed), "quantities go through modes, ranks or lists"
    return slot.encoder.values[0].item(), slot.encoder.values[-1].item()


def _draw(
    condition: Condition, pool: npt.NDArray[Any], rows: int, rng: np.random.Generator
) -> npt.NDArray[Any]:
    if isinstance(condition, IsMissing):
        return np.full(rows, missing_like(pool), dtype=pool.dtype)
    fitting = pool[condition.accepts(pool)]
    if isinstance(condition, Among):
        size = len(condition.allowed)
        weights = np.where(condition.allowed, np.bincount(fitting % size, minlength=size) + SELDOM, 0.0)
        codes = rng.choice(size, rows, p=weights / weights.sum())
        return np.where(codes == size - 1, -1, codes).astype(pool.dtype)
    if len(fitting):
        return np.asarray(rng.choice(fitting, rows))
    if pool.dtype.kind == "i":
        return rng.integers(int(condition.low), int(condition.high), rows, dtype=np.int64, endpoint=True)
    return between(condition.low, condition.high, rng.random(rows))


def _without_gaps(slot: Slot, values: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
    """Return levels of which those that came out missing, again and again, are taken from other rows."""
    gone = is_missing(values)
    if not gone.any():
        return values
    assert isinstance(slot, CodeSlot), "a flag is known before anything is drawn"
    weights = np.bincount(slot.encoder.encode(values[~gone]), minlength=slot.encoder.count) + SELDOM
    weights[-1] = 0.0  # the code of missing: there is one, or nothing would have come out missing
    codes = rng.choice(len(weights), int(gone.sum()), p=weights / weights.sum())
    filled = values.copy()
    filled[gone] = slot.encoder.decode(codes, rng)
    return filled
