"""A codec's parts as tensors and plain facts, and back. Nothing in either is code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.codec.bins import Bins
from understudy.codec.encoder import CodeEncoder, NumberEncoder
from understudy.codec.levels import Grouped
from understudy.codec.listed import Listed
from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.scale import Scale
from understudy.codec.slot import CodeSlot, NumberSlot, Slot

__all__ = ["State", "pack", "unpack"]

Tensors = Mapping[str, npt.NDArray[Any]]
State = tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]

_NUMBERS: dict[str, type[NumberEncoder]] = {"scale": Scale, "quantile": Quantile, "modes": Modes}
_CODES: dict[str, type[CodeEncoder]] = {"grouped": Grouped, "bins": Bins, "listed": Listed}


def pack(slot: Slot) -> State:
    """Return the arrays of a slot's encoder, and all else as facts."""
    assert isinstance(slot, NumberSlot | CodeSlot), "there are two kinds of slot"
    encoder = slot.encoder
    parts = {field.name: getattr(encoder, field.name) for field in fields(encoder)}  # type: ignore[arg-type]
    tensors = {name: part for name, part in parts.items() if isinstance(part, np.ndarray)}
    plain = {name: part for name, part in parts.items() if name not in tensors}
    facts = {"name": slot.name, "encoder": type(encoder).__name__.lower(), "settings": plain}
    if isinstance(slot, CodeSlot):
        return tensors, {**facts, "onehot": slot.onehot}
    return tensors, {**facts, "missing": slot.missing, "rate": slot.rate}


def unpack(tensors: Tensors, facts: Mapping[str, Any]) -> Slot:
    """Return the slot that `pack` wrote down; an unknown or incomplete one is a ValueError."""
    kind, name = facts["encoder"], facts["name"]
    parts = {**tensors, **facts["settings"]}
    known: type[Any] | None = _NUMBERS.get(kind) or _CODES.get(kind)
    if known is None or set(parts) != {field.name for field in fields(known)}:
        raise ValueError("a column's encoder is of a kind that this version does not know")
    if kind in _CODES:
        return CodeSlot(name, known(**parts), bool(facts["onehot"]))
    return NumberSlot(name, known(**parts), facts["missing"], float(facts["rate"]))
