"""What is done to many rows at once: they are made to agree with what was learned of columns and pairs.

Rows are drawn in plenty, and those kept whose levels, by themselves and in pairs with each other and with
ranks of numbers, are as common as they should be (`even_levels`), but none with two levels that never go
together while there are others; numbers are moved, rank by rank, onto the law that they were learned in
(`even_ranks`), or that of their mode (`mode_laws`); a number that another one tells follows it (`twins`).
All of this is counted when a method is fitted in the open. Within a budget the shares of single columns are
bought, and nothing is known of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from understudy.codec import Codec, Layout
from understudy.codec.modes import Modes
from understudy.codec.quantile import Quantile
from understudy.codec.slot import CodeSlot
from understudy.engines.even_levels import even_levels, more
from understudy.engines.even_ranks import even_ranks, places_among
from understudy.engines.fields import Fields
from understudy.engines.generator import Matrix
from understudy.engines.pair_shares import PARTS, Pair, amiss, cells_of, joined, never, strongest
from understudy.engines.twins import Twin, as_twins, twins_of
from understudy.model.mode_laws import ModeLaws
from understudy.model.named import under
from understudy.model.sampler import Columns

__all__ = ["Evening", "fields_of"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@final
@dataclass(frozen=True, eq=False)
class Evening:
    """How common codes are, in the order of `fields_of`, and pairs of them; and which numbers follow others.

    Without shares, levels are left as drawn. Only where rows were `counted` does a share of nought say that
    no row has the level: a share that was bought may be noise.
    """

    shares: tuple[Floats, ...] = ()
    pairs: tuple[Pair, ...] = ()
    twins: tuple[Twin, ...] = ()
    laws: tuple[ModeLaws, ...] = ()
    counted: bool = False

    @classmethod
    def seen(cls, codec: Codec, columns: Columns, matrix: Matrix) -> Self:
        """Count what is there, in the open; a number that may be missing follows none."""
        fields, always = fields_of(codec.layout), _always(codec)
        pairs = strongest(_cells(codec, matrix), _sizes(codec), len(fields.sizes))
        named = {codec.layout.span_of(slot.name).start: slot.name for slot in codec.slots}
        numbers = {place: columns[named[place]] for place in always}
        shares = fields.seen(matrix, unseen=0.0).shares
        modes = []
        for number, mode in _modes(codec):
            there = matrix[_there(fields, matrix, number)]
            modes.append(ModeLaws.seen(there[:, number], there[:, mode].astype(np.int64)))
        return cls(shares, pairs, twins_of(matrix, numbers), tuple(modes), counted=True)

    def met(self, codec: Codec) -> dict[str, Mask]:
        """Return which codes some row had, and of numbers whether one was there, and one missing."""
        if not self.counted:
            return {}
        shares = dict(zip(fields_of(codec.layout).codes, self.shares, strict=True))
        whole = {slot.name for slot in codec.slots if isinstance(slot, CodeSlot)}
        spans = [each for each in codec.layout.spans if each.role == "flag" or each.name in whole]
        return {span.name: shares[span.start] > 0 for span in spans}

    def more(self, rows: int) -> int:
        """Return how many rows to draw for so many to be kept."""
        return more(rows) if self.shares else rows

    def __call__(self, codec: Codec, matrix: Matrix, rows: int, rng: np.random.Generator) -> Matrix:
        """Return so many of the rows, such that columns and pairs are as they were learned."""
        matrix = self.kept(codec, matrix, rows, rng)
        self._even_numbers(codec, matrix, rng)
        as_twins(matrix, self.twins)
        return matrix

    def kept(self, codec: Codec, matrix: Matrix, rows: int, rng: np.random.Generator) -> Matrix:
        """Return so many of the rows, such that levels and pairs are as they were learned."""
        codec.refill(matrix, rng)  # how common modes are was counted of what is written there
        return matrix[self._kept(codec, matrix, rows, rng)] if self.shares else matrix

    def moves(self, codec: Codec, known: Mask) -> bool:
        """Return whether `around` would move a number."""
        numbers = _normals(codec) + [number for number, _ in _modes(codec)][: len(self.laws)]
        return not bool(known[:, numbers].all())

    def around(
        self, codec: Codec, matrix: Matrix, known: Mask, rows: Matrix, rng: np.random.Generator
    ) -> None:
        """Move unknown numbers, in place, as those of `kept` rows would be: by their places among them."""
        fields = fields_of(codec.layout)
        for number in _normals(codec):
            here = _there(fields, matrix, number) & ~known[:, number]
            places = places_among(matrix[here, number], rows[_there(fields, rows, number), number], rng)
            matrix[here, number] = ndtri(places)
        for (number, mode), laws in zip(_modes(codec), self.laws, strict=False):  # none, if not seen
            here = _there(fields, matrix, number) & ~known[:, number]
            there = _there(fields, rows, number)
            for own in np.unique(matrix[here, mode]).tolist():
                moved = here & (matrix[:, mode] == own)
                among = rows[there & (rows[:, mode] == own), number]
                places = places_among(matrix[moved, number], among, rng)
                matrix[moved, number] = laws.law(int(own))(places)

    def state(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return tensors and facts."""
        tensors = {f"shares.{place}": each for place, each in enumerate(self.shares)}
        tensors |= {f"pairs.{place}": pair.shares for place, pair in enumerate(self.pairs)}
        pairs = [[pair.first, pair.second] for pair in self.pairs]
        modes: list[list[int]] = []
        for place, laws in enumerate(self.laws):
            own, there = laws.state()
            tensors |= {f"laws.{place}.{name}": values for name, values in own.items()}
            modes.append(there)
        twins = [list(twin) for twin in self.twins]
        return tensors, {"pairs": pairs, "twins": twins, "modes": modes, "counted": self.counted}

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return what `state` wrote down."""
        count = sum(name.startswith("shares.") for name in tensors)
        pairs = (Pair(a, b, tensors[f"pairs.{place}"]) for place, (a, b) in enumerate(facts["pairs"]))
        twins = tuple(Twin(*each) for each in facts["twins"])
        shares = tuple(tensors[f"shares.{place}"] for place in range(count))
        modes = enumerate(facts["modes"])
        laws = tuple(ModeLaws.restore(under(f"laws.{place}.", tensors), each) for place, each in modes)
        return cls(shares, tuple(pairs), twins, laws, facts["counted"])

    def _even_numbers(self, codec: Codec, matrix: Matrix, rng: np.random.Generator) -> None:
        """Move numbers, in place, onto the law that they were learned in; missing ones have none."""
        fields, always, numbers = fields_of(codec.layout), _always(codec), _normals(codec)
        matrix[:, always] = even_ranks(matrix[:, always], rng)
        for number in sorted(set(numbers) - set(always)):
            there = _there(fields, matrix, number)
            matrix[there, number] = even_ranks(matrix[there][:, [number]], rng)[:, 0]
        for (number, mode), laws in zip(_modes(codec), self.laws, strict=False):  # none, if not seen
            there = _there(fields, matrix, number)
            modes = matrix[there, mode].astype(np.int64)
            matrix[there, number] = laws.even(matrix[there, number], modes, rng)

    def _kept(
        self, codec: Codec, matrix: Matrix, rows: int, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Choose rows; single columns have the last word: numbers where pairs move them, then levels."""
        cells, sizes = _cells(codec, matrix), _sizes(codec)
        pairs, coded = amiss(cells, self.pairs, sizes), len(self.shares)
        parts = [np.full(PARTS, 1 / PARTS)] * (len(sizes) - coded if pairs else 0)
        numbers = cells[:, coded : coded + len(parts)]
        both = np.hstack([joined(cells, pairs, sizes), numbers, cells[:, :coded]])
        wanted = [*(pair.shares for pair in pairs), *parts, *self.shares]
        barred = never(cells, [pair for pair in self.pairs if pair.second < coded], sizes)
        return even_levels(both, wanted, rows, rng, pairs=len(pairs), barred=barred)


def fields_of(layout: Layout) -> Fields:
    """Return what a network has to know of a layout: numbers, then codes, then flags as codes of two."""
    codes = [(span.start, span.levels, span.name) for span in layout.spans if span.role == "code"]
    codes += [(span.start, 2, span.name) for span in layout.spans if span.role == "flag"]
    places, sizes, names = zip(*codes, strict=True) if codes else ((), (), ())
    flagged = {span.name: span.start for span in layout.spans if span.role == "flag"}
    numbers = [span for span in layout.spans if span.role == "number"]
    flags = tuple(flagged.get(span.name, -1) for span in numbers)
    return Fields(tuple(span.start for span in numbers), places, sizes, names=names, flags=flags)


def _there(fields: Fields, matrix: Matrix, number: int) -> Mask:
    """Say in which rows a number is not missing; what stands where it is belongs to no law."""
    flag = dict(zip(fields.numbers, fields.flags, strict=True))[number]
    return np.ones(len(matrix), dtype=bool) if flag < 0 else np.asarray(matrix[:, flag] <= 0.5)


def _cells(codec: Codec, matrix: Matrix) -> npt.NDArray[np.int64]:
    codes = matrix[:, list(fields_of(codec.layout).codes)].astype(np.int64)
    return cells_of(codes, matrix[:, _always(codec)])


def _sizes(codec: Codec) -> tuple[int, ...]:
    return (*fields_of(codec.layout).sizes, *[PARTS] * len(_always(codec)))


def _always(codec: Codec) -> list[int]:
    """Return the coordinates of numbers that are never missing, and were learned as normal ranks."""
    fields, ranked = fields_of(codec.layout), set(_normals(codec))
    flagged = zip(fields.numbers, fields.flags, strict=True)
    return [place for place, flag in flagged if flag < 0 and place in ranked]


def _normals(codec: Codec) -> list[int]:
    """Return the coordinates of numbers that were learned as normal ranks."""
    ranked = [slot for slot in codec.slots if isinstance(slot.encoder, Quantile) and slot.encoder.normal]
    return [codec.layout.span_of(slot.name).start for slot in ranked]


def _modes(codec: Codec) -> list[tuple[int, int]]:
    """Return the coordinates of numbers that are distances from a mode, each with that of the mode."""
    slots = [slot.name for slot in codec.slots if isinstance(slot.encoder, Modes)]
    return [(codec.layout.span_of(name).start, codec.layout.span_of(name, "code").start) for name in slots]
