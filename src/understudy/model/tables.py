"""Where a method of marginals gets its tables from: exact ones of an open vault, or noisy ones paid for.

The methods are written once against `Tables`; what differs is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from understudy.engines.marginals.cliques import Clique, Floats, shape_of
from understudy.engines.marginals.counting import count
from understudy.engines.marginals.estimate import Measured
from understudy.engines.marginals.interactions import completed, pays
from understudy.model.cells import Cells
from understudy.model.outlook import Outlook
from understudy.privacy import Vault
from understudy.privacy.events import DiscreteGaussian, Event, Gaussian, Selection
from understudy.privacy.gdp import sigma_of_counts
from understudy.privacy.mechanisms.best import ChooseBest
from understudy.privacy.mechanisms.counts import CountTables, Margin
from understudy.privacy.mechanisms.dependences import Dependences
from understudy.privacy.mechanisms.interactions import CountInteractions
from understudy.privacy.mechanisms.selection import ChooseInEach
from understudy.privacy.mechanisms.spanning import ChooseTree, kruskal
from understudy.privacy.mechanisms.table_errors import TableErrors
from understudy.progress import Progress

__all__ = ["Candidate", "ExactTables", "NoisyTables", "Tables"]


@final
@dataclass(frozen=True)
class Candidate:
    """A clique that may be measured next: what a model expects there, and what its error counts for."""

    of: Clique
    expected: Floats
    weight: float = 1.0
    penalty: float = 0.0


class Tables(ABC):
    """Tables over merged cells, of about so many rows; `told` says whether that number may be told."""

    cells: dict[str, Cells]
    one_way: tuple[Measured, ...]
    rows: float
    told: ClassVar[bool]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of merged cells of every column."""
        return tuple(cells.size for cells in self.cells.values())

    def foresee(self, progress: Progress, steps: int) -> None:
        """Tell the watcher about how long this will take, and how much memory."""
        progress.tell(f"fitting: {Outlook(self.rows, self.sizes, steps)}")

    @abstractmethod
    def measure(self, read: str, cliques: Sequence[Clique], sigma: float | None = None) -> list[Measured]:
        """Return the tables of these cliques; `sigma` is for reads whose noise is chosen as they go."""

    @abstractmethod
    def relate(self, read: str, pairs: Sequence[Clique], noise: float) -> list[Measured]:
        """Return the tables of pairs, each at the price of Gaussian noise of `noise`; chosen as reads go."""

    @abstractmethod
    def choose(self, read: str, candidates: Sequence[Candidate], epsilon: float | None = None) -> int:
        """Return the place of the candidate whose table is farthest from what is expected of it."""

    @abstractmethod
    def best(self, read: str, candidates: Sequence[Candidate], many: int, epsilon: float) -> list[int]:
        """Return the places of the several worst expected candidates; noise is chosen as reads go."""

    @abstractmethod
    def span(self, read: str, candidates: Sequence[Candidate]) -> list[int]:
        """Return the places of pairs that tie all columns together, the worst expected first."""

    @abstractmethod
    def apart(self, read: str, candidates: Sequence[Candidate]) -> Floats:
        """Return how many rows each candidate's table is from what is expected of it, all at once."""


@final
@dataclass(frozen=True, eq=False)
class ExactTables(Tables):
    """Tables of rows that lie open."""

    told: ClassVar[bool] = False
    cells: dict[str, Cells]
    one_way: tuple[Measured, ...]
    rows: float
    codes: tuple[npt.NDArray[np.int32], ...]

    @classmethod
    def of(cls, cells: dict[str, Cells], columns: dict[str, npt.NDArray[Any]]) -> ExactTables:
        """Return the tables of open columns."""
        codes = tuple(cells[name].encode(values) for name, values in columns.items())
        sizes = tuple(each.size for each in cells.values())
        one_way = tuple(Measured((place,), count(codes, (place,), sizes), 1.0) for place in range(len(sizes)))
        return cls(cells, one_way, float(len(codes[0])) if codes else 1.0, codes)

    def measure(self, read: str, cliques: Sequence[Clique], sigma: float | None = None) -> list[Measured]:
        """Count; the deviation of 1 only weighs all tables alike."""
        return [Measured(of, count(self.codes, of, self.sizes), 1.0) for of in cliques]

    def relate(self, read: str, pairs: Sequence[Clique], noise: float) -> list[Measured]:
        """Count."""
        return self.measure(read, pairs)

    def choose(self, read: str, candidates: Sequence[Candidate], epsilon: float | None = None) -> int:
        """Take the worst."""
        return int(np.argmax(self._errors(candidates)))

    def best(self, read: str, candidates: Sequence[Candidate], many: int, epsilon: float) -> list[int]:
        """Take the worst."""
        order = np.argsort(-self._errors(candidates), kind="stable")
        return [int(place) for place in order[:many]]

    def span(self, read: str, candidates: Sequence[Candidate]) -> list[int]:
        """Tie the worst together."""
        errors = self._errors(candidates)
        return kruskal([_pair(each) for each in candidates], len(self.sizes), lambda at: errors[at])

    def apart(self, read: str, candidates: Sequence[Candidate]) -> Floats:
        """Count."""
        return self._errors(candidates)

    def _errors(self, candidates: Sequence[Candidate]) -> Floats:
        found = []
        for each in candidates:
            gap = np.abs(count(self.codes, each.of, self.sizes) - each.expected).sum()
            found.append(each.weight * (float(gap) - each.penalty))
        return np.array(found)


@final
@dataclass(frozen=True, eq=False)
class NoisyTables(Tables):
    """Tables read through a vault, at the prices of a plan."""

    told: ClassVar[bool] = True
    cells: dict[str, Cells]
    one_way: tuple[Measured, ...]
    rows: float
    vault: Vault
    events: dict[str, Event]

    @classmethod
    def of(
        cls,
        vault: Vault,
        cells: dict[str, Cells],
        one_way: Sequence[Measured],
        rows: float,
        events: dict[str, Event],
    ) -> NoisyTables:
        """Return the tables of a vault whose rows are put into merged cells, each by itself."""
        coded = vault.map(lambda each: {name: of.encode(each[name]) for name, of in cells.items()})
        return cls(cells, tuple(one_way), rows, coded, events)

    def measure(self, read: str, cliques: Sequence[Clique], sigma: float | None = None) -> list[Measured]:
        """Read all tables at once, with the noise that was planned for each."""
        price = self.events[read]
        noise = price.sigma if isinstance(price, DiscreteGaussian) else sigma
        assert noise is not None, "noise is planned, or chosen within a filter"
        wanted = tuple(self._margin(of) for of in cliques)
        found = self.vault.read(read, CountTables(wanted, DiscreteGaussian(noise, len(wanted))))
        return [
            Measured(of, table.astype(np.float64).reshape(shape_of(of, self.sizes)), noise)
            for of, table in zip(cliques, found, strict=True)
        ]

    def relate(self, read: str, pairs: Sequence[Clique], noise: float) -> list[Measured]:
        """Read interactions where they pay, completed by the columns' own tables, and whole tables."""
        small = [of for of in pairs if pays(*shape_of(of, self.sizes))]
        large = [of for of in pairs if of not in small]
        whole = self.measure(read, large, sigma_of_counts(1 / noise)) if large else []
        return [*(self._interactions(read, small, noise) if small else ()), *whole]

    def _interactions(self, read: str, pairs: Sequence[Clique], noise: float) -> list[Measured]:
        reader = CountInteractions(tuple(self._margin(of) for of in pairs), Gaussian(noise, len(pairs)))
        found = zip(pairs, self.vault.read(read, reader), reader.tables, strict=True)
        return [
            _completed(of, table, reader.scale(margin), self.one_way, self.rows)
            for of, table, margin in found
        ]

    def choose(self, read: str, candidates: Sequence[Candidate], epsilon: float | None = None) -> int:
        """Choose by the exponential mechanism."""
        price = self.events[read]
        noise = price.epsilon if isinstance(price, Selection) else epsilon
        assert noise is not None, "noise is planned, or chosen within a filter"
        choice = ChooseInEach(self._errors(candidates), Selection(noise))
        return int(self.vault.read(read, choice)[0])

    def best(self, read: str, candidates: Sequence[Candidate], many: int, epsilon: float) -> list[int]:
        """Choose by one exponential mechanism after the other, in one read."""
        choice = ChooseBest(self._errors(candidates), Selection(epsilon, many))
        found: list[int] = self.vault.read(read, choice)
        return found

    def span(self, read: str, candidates: Sequence[Candidate]) -> list[int]:
        """Choose pair by pair, in one read of as many choices as were planned."""
        price = self.events[read]
        assert isinstance(price, Selection), "a spanning tree is paid for as selections"
        pairs = tuple(_pair(each) for each in candidates)
        choice = ChooseTree(self._errors(candidates), pairs, len(self.sizes), price)
        found: list[int] = self.vault.read(read, choice)
        return found

    def apart(self, read: str, candidates: Sequence[Candidate]) -> Floats:
        """Read all scores with the noise that was planned for each."""
        price = self.events[read]
        assert isinstance(price, Gaussian), "scores are paid for with Gaussian noise"
        wanted = tuple(self._margin(each.of) for each in candidates)
        expected = tuple(each.expected for each in candidates)
        found = self.vault.read(read, Dependences(wanted, Gaussian(price.noise, len(wanted)), expected))
        return np.asarray(found)

    def _errors(self, candidates: Sequence[Candidate]) -> TableErrors:
        return TableErrors(
            tuple(self._margin(each.of) for each in candidates),
            tuple(each.expected for each in candidates),
            tuple(each.weight for each in candidates),
            tuple(each.penalty for each in candidates),
        )

    def _margin(self, of: Clique) -> Margin:
        """Return the table over merged cells; `Margin` counts one more cell than it is told, for missing."""
        names = list(self.cells)
        sizes = self.sizes
        return Margin(tuple(names[place] for place in of), tuple(sizes[place] - 1 for place in of))


def _completed(
    of: Clique, told: npt.NDArray[np.int64], scale: float, one_way: Sequence[Measured], rows: float
) -> Measured:
    """Return the table of what was told, times its number of cells, and of its columns' own tables."""
    margins = [one_way[place] for place in of]
    # Of a column of one cell nothing is told, without noise: the table is the other column's, with its noise.
    sigma = scale / told.size or max(each.sigma for each in margins)
    return Measured(of, completed(told / told.size, [each.table for each in margins], rows), sigma)


def _pair(candidate: Candidate) -> tuple[int, int]:
    first, second = candidate.of
    return first, second
