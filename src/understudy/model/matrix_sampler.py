"""The sampler of all network methods: a codec, and a generator of rows of its matrix.

Of many rows drawn at once, those are kept that together are as they were learned (`evening`).

Conditions are met by drawing until rows match: what matches has the generator's own law given them. Where
that would take too long, the conditioned cells of rows still missing are fixed and the rest is drawn around
them (`inpainting`), beginning at rows that matched. Either way the conditions hold exactly.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final, Self, final

import numpy as np
import numpy.typing as npt

from understudy.codec import Codec, Style
from understudy.engines.condition import Conditions, accepted
from understudy.engines.even_ranks import FEWEST
from understudy.engines.generator import DenseGenerator, Generator, Known, Matrix
from understudy.engines.twins import around_twins
from understudy.errors import CorruptModel
from understudy.model.evening import Evening
from understudy.model.inpainting import Asked, fill_in, inpaint
from understudy.model.matrix_density import log_density
from understudy.model.named import under
from understudy.model.sampler import Columns, Sampler, State
from understudy.model.torch_extra import require_torch
from understudy.rng import stream

__all__ = ["STYLE", "MatrixSampler"]

STYLE: Final = Style(numbers="quantile_normal", levels="codes", missing="indicator")

# Which modules a model's file may name: one for each method, and no other is ever imported.
_ROOMS: Final = {
    "diffusion": ("tabddpm", "tldm", "findiff", "tabsyn", "tablediffusion", "tabdiff"),
    "flows": ("nflow",),
    "gan": ("gan",),
}
GENERATORS: Final = {
    name: f"understudy.engines.{room}.{name}" for room, names in _ROOMS.items() for name in names
}

BLOCK = 65_536  # rows at a time
FIRST, PER_ROW = 1_000, 2  # rows drawn at once to look for matches: at least, and for each that is asked for
# Rows drawn in all before the conditioned cells are fixed: MOST_PER_ROW for each that is asked for, but no
# fewer than MOST and no more than ENOUGH, unless FEWEST_PER_ROW are more than that.
MOST, MOST_PER_ROW, ENOUGH, FEWEST_PER_ROW = 20_000, 150, 400_000, 10
NO_MATCH = 10_000  # rows drawn of which none matches: a level of 1 in 1,000 is missed 5 times in 100,000
QUICKLY = 5  # times as many, where a row takes one pass
USUAL = 4_096  # rows among which numbers have their places


@final
@dataclass(frozen=True, eq=False)
class MatrixSampler(Sampler):
    """A codec and a generator, and what is done to many rows at once; no generator where no column is."""

    codec: Codec
    generator: Generator | None
    rows: int | None = None
    evening: Evening = field(default_factory=Evening)
    conditional: ClassVar[bool] = True

    def draw(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> Columns:
        """Draw rows; those that satisfy conditions where there are any."""
        if not conditions:
            return self._drawn(rows, rng)
        asked = Asked.of(self.codec, conditions, self.evening.met(self.codec))
        pool, found = self._search(rows, rng, asked.conditions)
        held = len(next(iter(found.values())))
        if held >= rows:
            return {name: values[:rows] for name, values in found.items()}
        chosen = asked.choose(pool, found, rows - held, rng)
        cells = {name: chosen[name] for name in conditions}
        rest = inpaint(self.codec, self._drawn, cells, pool | chosen, rng, fitting=bool(held))
        order = rng.permutation(rows)
        return {name: np.concatenate([found[name], rest[name]])[order] for name in found}

    def impute(self, columns: Columns, rng: np.random.Generator) -> Columns:
        """Return the columns with every missing cell drawn, given the other cells of its row."""
        return fill_in(self.codec, self._drawn, columns, rng)

    def log_density(self, columns: Columns) -> npt.NDArray[np.float64]:
        """Return the log-density of every row, where the generator has one; of rows as it draws them itself.

        What is done to many rows at once (`evening`) has no part in it.
        """
        if self.generator is not None and not isinstance(self.generator, DenseGenerator):
            return Sampler.log_density(self, columns)
        return log_density(self.codec, self.generator, columns)

    def state(self) -> State:
        """Return the codec's and the generator's tensors, each with a prefix of its own."""
        tensors, facts = self.codec.state()
        found = {f"codec.{name}": tensor for name, tensor in tensors.items()}
        told: dict[str, Any] = {"codec": facts, "rows": self.rows, "generator": None, "learned": {}}
        even, told["evening"] = self.evening.state()
        found |= {f"evening.{name}": tensor for name, tensor in even.items()}
        if self.generator is not None:
            learned, told["learned"] = self.generator.state()
            found |= {f"generator.{name}": tensor for name, tensor in learned.items()}
            told["generator"] = _name_of(type(self.generator))
        return found, told

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the sampler that `state` wrote down; only generators of our own are ever loaded."""
        codec = Codec.restore(under("codec.", tensors), facts["codec"])
        if facts["generator"] is None:
            return cls(codec, None, facts["rows"])
        learned = _class_of(facts["generator"]).restore(under("generator.", tensors), facts["learned"])
        evening = Evening.restore(under("evening.", tensors), facts["evening"])
        return cls(codec, learned, facts["rows"], evening)

    def _drawn(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Columns:
        """Draw rows in blocks, so that the matrix of a long table is never held whole."""
        if self.generator is None:
            return {}
        parts = []
        for start in range(0, max(rows, 1), BLOCK):
            size = min(BLOCK, rows - start)
            given = None if known is None else known.part(start, start + size)
            matrix = self._evened(size, rng) if given is None else self._around(given, rng)
            parts.append(self.codec.decode(matrix, rng))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _evened(self, rows: int, rng: np.random.Generator) -> Matrix:
        """Draw rows whose columns, each by itself, are as they were learned; of few rows, some of enough."""
        assert self.generator is not None, "there is something to draw"
        enough = max(rows, FEWEST)
        drawn = self.generator.draw(self.evening.more(enough), rng)
        evened = self.evening(self.codec, drawn, enough, rng)
        return evened if rows == enough else evened[rng.permutation(enough)[:rows]]

    def _around(self, known: Known, rng: np.random.Generator) -> Matrix:
        """Draw rows around known cells; numbers are moved as those of all rows, and tell each other still."""
        assert self.generator is not None, "there is something to draw"
        usual = self._usual if self.evening.moves(self.codec, known.mask) else None
        matrix = self.generator.draw(len(known.values), rng, known)
        if usual is not None:
            self.evening.around(self.codec, matrix, known.mask, usual, rng)
        around_twins(matrix, known.mask, self.evening.twins)
        return matrix

    @cached_property
    def _usual(self) -> Matrix:
        """Rows drawn around nothing, before their numbers are moved: among them numbers have their places."""
        assert self.generator is not None, "there is something to draw"
        rng = stream(0, "usual")
        return self.evening.kept(self.codec, self.generator.draw(self.evening.more(USUAL), rng), USUAL, rng)

    def _search(self, rows: int, rng: np.random.Generator, conditions: Conditions) -> tuple[Columns, Columns]:
        """Draw until enough rows match or that takes too long; return the first rows, and all that match."""
        most = _most(rows, quick=self.generator is not None and self.generator.quick)
        size = max(PER_ROW * rows, FIRST)
        pool = self._drawn(size, rng)
        kept, tried = [_kept(pool, conditions, size)], size
        held = _count(kept[0])
        while held < rows and tried < (most if held else NO_MATCH):
            # As many as will do by those that matched, but one block: what does not match is let go.
            size = 100 + round(1.1 * (rows - held) * tried / held) if held else tried
            size = min(size, most - tried, BLOCK)
            kept.append(_kept(self._drawn(size, rng), conditions, size))
            held, tried = held + _count(kept[-1]), tried + size
        return pool, {name: np.concatenate([part[name] for part in kept]) for name in pool}


def _most(rows: int, *, quick: bool) -> int:
    """Return how many rows may be drawn in all in search of so many that match."""
    most = max(MOST, FEWEST_PER_ROW * rows, min(MOST_PER_ROW * rows, ENOUGH))
    return QUICKLY * most if quick else most


def _name_of(kind: type[Generator]) -> str:
    """Return the name under which a file may ask for this generator."""
    known = {module: name for name, module in GENERATORS.items()}
    assert kind.__module__ in known, f"{kind.__name__}: add its module to GENERATORS, or no file can name it"
    return f"{known[kind.__module__]}:{kind.__name__}"


def _class_of(told: object) -> type[Generator]:
    """Return a generator by its name; a file may name those of this house and nothing else."""
    module, _, name = told.partition(":") if isinstance(told, str) else ("", "", "")
    if module not in GENERATORS:
        raise CorruptModel("model: it names a generator that this version does not know.")
    require_torch("load")
    found: Any = getattr(importlib.import_module(GENERATORS[module]), name, None)
    own = isinstance(found, type) and issubclass(found, Generator) and found.__module__ == GENERATORS[module]
    if not own:
        raise CorruptModel("model: it names a generator that this version does not know.")
    kind: type[Generator] = found
    return kind


def _kept(columns: Columns, conditions: Conditions, rows: int) -> Columns:
    good = accepted(columns, conditions, rows)
    return {name: values[good] for name, values in columns.items()}


def _count(columns: Columns) -> int:
    return len(next(iter(columns.values())))
