"""The codec of a private fit, from noisy margins alone: nothing more is read for it.

Quantities go through the quantiles of their bought margin, levels through their codes. The rule that turns
rows into a matrix looks at each row by itself and never refuses one: a refusal would tell of single rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.codec import Codec
from understudy.codec.codec import Matrix
from understudy.codec.domain import can_be_missing, dtype_of, levels_of
from understudy.codec.levels import Grouped
from understudy.codec.quantile import Quantile
from understudy.codec.slot import CodeSlot, NumberSlot, Slot
from understudy.engines.margin import LevelMargin, Margin, QuantityMargin
from understudy.missing import is_missing
from understudy.model.binned import Binned
from understudy.privacy.mechanism import Columns
from understudy.table.columns import modelled
from understudy.table.schema import LEVEL_KINDS, Column, Schema

__all__ = ["Rule", "codec_of", "rule_of", "shares_of"]

UNSEEN = 0.5  # rows that a level is taken to have besides those that were counted

Rule = Callable[[Columns], Matrix]
Floats = npt.NDArray[np.float64]


def codec_of(binned: Binned, schema: Schema) -> Codec:
    """Return the codec of bought margins: post-processing, so that it costs nothing."""
    return Codec(tuple(_slot(column, binned) for column in modelled(schema)))


def rule_of(codec: Codec, binned: Binned) -> Rule:
    """Return the map from rows to a matrix, each row by itself, that fits a vault.

    A missing cell of a column that was bought as never missing becomes the column's middle, or its most
    common level, as noise says: it must go somewhere, and no row may be refused.
    """
    fills = {slot.name: _fill(slot, binned) for slot in codec.slots if not slot.gaps}

    def rule(columns: Columns) -> Matrix:
        settled = {name: _filled(values, fills.get(name)) for name, values in columns.items()}
        return codec.encode(settled)

    return rule


def shares_of(codec: Codec, binned: Binned) -> tuple[Floats, ...]:
    """Return how common each code is, as noise says: those of level columns, then those of flags.

    None of them is nought: a level that noise hid may be there.
    """
    codes = [slot for slot in codec.slots if isinstance(slot, CodeSlot)]
    flags = [slot for slot in codec.slots if not isinstance(slot, CodeSlot) and slot.gaps]
    found = [_level_shares(binned.margins[slot.name])[: slot.encoder.count] for slot in codes]
    missing = [
        margin.missing for slot in flags if isinstance(margin := binned.margins[slot.name], QuantityMargin)
    ]
    found += [np.array([1 - rate, rate]) for rate in missing]
    return tuple(_none_nought(each, max(binned.rows, 1.0)) for each in found)


def _level_shares(margin: Margin) -> Floats:
    """Return the shares in the order of codes, that of missing last."""
    assert isinstance(margin, LevelMargin), "levels have the margin of levels"
    shares = np.empty(len(margin.codes))
    shares[margin.codes] = margin.upper - margin.lower  # the code -1 is the last place
    return shares


def _none_nought(shares: Floats, rows: float) -> Floats:
    counts = np.maximum(shares, 0.0) * rows + UNSEEN
    return np.asarray(counts / counts.sum())


def _slot(column: Column, binned: Binned) -> Slot:
    gaps = can_be_missing(column)
    if column.kind in LEVEL_KINDS:
        return CodeSlot(column.name, Grouped.all(levels_of(column), can_be_missing=gaps), onehot=False)
    margin = binned.margins[column.name]
    assert isinstance(margin, QuantityMargin), "a quantity has the margin of one"
    return NumberSlot(column.name, _quantile(margin, dtype_of(column)), "indicator" if gaps else "never", 0.0)


def _quantile(margin: QuantityMargin, dtype: np.dtype[Any]) -> Quantile:
    values = margin.values.astype(dtype, copy=False)
    if not margin.upper[-1] > 0:
        # Every row is missing, as far as noise tells: the values are spread evenly over the bounds.
        ends = np.unique(values[[0, -1]])
        line = np.linspace(0.0, 1.0, len(ends)) if len(ends) > 1 else np.zeros(1)
        return Quantile(ends, line, line if len(ends) > 1 else np.ones(1), normal=True)
    lower, upper = margin.lower.copy(), margin.upper.copy()
    # Sums of shares end a rounding beside 1, and float bins of one value give their mass to the last knot.
    lower[0], upper[-1] = 0.0, 1.0
    if dtype == np.int64:
        _share_ends(values, lower, upper)
    return Quantile(values, lower, upper, normal=True)


def _share_ends(values: npt.NDArray[np.int64], lower: Floats, upper: Floats) -> None:
    """Let the two ends of a line of steps have the share of any other step, in place.

    A line rounds to its nearest step, so an end gets half of what an inner step gets; the other half is put
    on the end itself. So the last step of a bin and the first of the next are told apart.
    """
    mass = np.maximum(lower[1:] - upper[:-1], 0.0)
    half = mass / (2 * (np.diff(values).astype(np.float64) + 1))
    upper[:-1] += half
    lower[1:] = np.maximum(lower[1:] - half, upper[:-1])


def _fill(slot: Slot, binned: Binned) -> Any:
    if isinstance(slot, NumberSlot):
        return slot.encoder.decode(np.zeros((1, 1)))[0]
    return np.int32(_level_shares(binned.margins[slot.name])[:-1].argmax())


def _filled(values: npt.NDArray[Any], fill: Any) -> npt.NDArray[Any]:
    return values if fill is None else np.where(is_missing(values), fill, values).astype(values.dtype)
