"""One reversible map between columns and a float32 matrix, the only form a network sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from understudy.codec.layout import Layout
from understudy.codec.slot import Slot
from understudy.codec.state import State, pack, unpack
from understudy.errors import InputError, SchemaError, TooLarge
from understudy.missing import is_missing

__all__ = ["Codec", "Columns", "Matrix"]

Columns = dict[str, npt.NDArray[Any]]
Matrix = npt.NDArray[np.float32]

LARGEST = 2**34  # bytes of one matrix; a caller with more encodes it piece by piece
BLOCK = 16_384  # rows at a time: what is computed on the way stays in the cache


@final
@dataclass(frozen=True, eq=False)
class Codec:
    """Slots side by side. `plan(schema, style).fit(vault, rng)` makes one.

    Each row is encoded by itself, whatever rows stand beside it, so a vault may `map` through it.
    """

    slots: tuple[Slot, ...]

    @cached_property
    def layout(self) -> Layout:
        """Which coordinates belong to which column."""
        return Layout.of((slot.name, part) for slot in self.slots for part in slot.parts)

    def encode(
        self, columns: Mapping[str, npt.NDArray[Any]], rng: np.random.Generator | None = None
    ) -> Matrix:
        """Return the matrix, shape (rows, width).

        With an rng, whatever an entry leaves open is drawn: the place within a tie, one of several
        likely modes, the number beside a flag that says missing. Without one the middle is taken.
        Either way `decode` gives the entry back. A quantity beyond its range is moved to the end.
        """
        rows = self._rows(columns)
        if rows * self.layout.width * 4 > LARGEST:
            raise TooLarge(
                f"codec: {rows:,} rows of {self.layout.width:,} coordinates; at most {LARGEST // 2**30} GiB "
                "at a time. Encode in blocks of rows, group rare levels or write levels as codes."
            )
        matrix = np.zeros((rows, self.layout.width), dtype=np.float32)
        for part in _parts(rows):
            for slot, block in self._blocks(matrix[part]):
                slot.write(columns[slot.name][part], block, rng)
        return matrix

    def decode(self, matrix: npt.NDArray[Any], rng: np.random.Generator) -> Columns:
        """Return the columns; `rng` draws within bins, among grouped levels and at random gaps."""
        if matrix.ndim != 2 or matrix.shape[1] != self.layout.width:
            raise InputError(
                f"codec: a matrix of width {self.layout.width} is expected; got shape {matrix.shape}."
            )
        if not np.isfinite(matrix).all():
            count = int((~np.isfinite(matrix)).sum())
            raise InputError(
                f"codec: {count:,} coordinates are not finite; the method that made them diverged."
            )
        columns = {slot.name: np.empty(len(matrix), dtype=slot.encoder.dtype) for slot in self.slots}
        for part in _parts(len(matrix)):
            for slot, block in self._blocks(matrix[part]):
                columns[slot.name][part] = slot.read(block, rng)
        return columns

    def refill(self, matrix: npt.NDArray[Any], rng: np.random.Generator) -> None:
        """Write anew, in place, what `encode` puts where a number is missing; `decode` looks past it."""
        for slot, block in self._blocks(matrix):
            slot.refill(block, rng)

    def state(self) -> State:
        """Return tensors and plain JSON facts that `restore` turns back into an equal codec."""
        packed = [pack(slot) for slot in self.slots]
        tensors = {
            f"{i}.{key}": tensor for i, (parts, _) in enumerate(packed) for key, tensor in parts.items()
        }
        return tensors, {"slots": [facts for _, facts in packed]}

    @classmethod
    def restore(cls, tensors: Mapping[str, npt.NDArray[Any]], facts: Mapping[str, Any]) -> Self:
        """Return the codec that `state` wrote down; other tensors may lie beside its own."""
        parts: dict[str, Columns] = {}
        for key, tensor in tensors.items():
            place, _, name = key.partition(".")
            parts.setdefault(place, {})[name] = tensor
        return cls(tuple(unpack(parts.get(str(i), {}), slot) for i, slot in enumerate(facts["slots"])))

    def _rows(self, columns: Mapping[str, npt.NDArray[Any]]) -> int:
        if set(columns) != {slot.name for slot in self.slots}:
            raise InputError("codec: the columns must be exactly those that it was planned for.")
        if len({values.shape for values in columns.values()}) > 1:
            raise InputError("codec: all columns must have the same number of rows.")
        for slot in self.slots:
            _refuse_bad_values(slot, columns[slot.name])
        return len(next(iter(columns.values()))) if columns else 0

    def _blocks(self, matrix: npt.NDArray[Any]) -> list[tuple[Slot, npt.NDArray[Any]]]:
        sizes = [sum(part.size for part in slot.parts) for slot in self.slots]
        ends = np.cumsum([0, *sizes])
        return [(slot, matrix[:, ends[i] : ends[i + 1]]) for i, slot in enumerate(self.slots)]


def _parts(rows: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, rows, BLOCK)]


def _refuse_bad_values(slot: Slot, values: npt.NDArray[Any]) -> None:
    who = f"codec: column {slot.name!r}"
    if values.dtype != slot.encoder.dtype:
        raise InputError(f"{who} must be an array of {slot.encoder.dtype}; got {values.dtype}.")
    gone = int(is_missing(values).sum())
    if gone and not slot.gaps:
        raise SchemaError(
            f"{who}: {gone:,} rows are missing, yet its schema says none are; mend its missing rate."
        )
