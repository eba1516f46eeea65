"""Cuts of a quantity through the vault: parts of about equal numbers of rows, and what each should hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from understudy.privacy import Vault
from understudy.privacy.events import Event, Selection
from understudy.privacy.mechanism import Mechanism
from understudy.privacy.mechanisms.medians import recursive_medians, told_parts
from understudy.privacy.mechanisms.selection import ChooseInEach
from understudy.table.raw import ends_of
from understudy.table.schema import Column

__all__ = ["DEPTH", "Cuts", "buy_cuts"]

DEPTH = 6  # rounds of medians: up to 64 parts
TAIL = 50  # halvings of the outermost parts, at most: bounds may lie far beyond the last row

Floats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Cuts:
    """Rising edges, the last just past the highest value, and how they were found, round by round."""

    edges: npt.NDArray[Any]
    rounds: tuple[npt.NDArray[Any], ...]
    epsilon: float

    def expected(self, rows: float) -> Floats:
        """Return the share that each part should hold: of parts that rows decided on, spread inside them.

        Evenly, but for the two outermost parts, whose ends may lie far beyond the last row. There the share
        beyond a distance t from the middle's side falls like s / (s + t), s being the width of the next part.
        """
        parts, shares = told_parts(self.rounds, rows, self.epsilon)
        home = np.searchsorted(parts, self.edges[:-1], side="right") - 1
        weight = np.diff(self.edges).astype(np.float64)
        if len(shares) > 2:
            last = home == len(shares) - 1
            weight[last] = _falling(
                self.edges[:-1][last], self.edges[1:][last], parts[-2], parts[-2] - parts[-3]
            )
            first = home == 0
            weight[first] = _falling(
                self.edges[1:][first], self.edges[:-1][first], parts[1], parts[2] - parts[1]
            )
        sums = np.bincount(home, weights=weight)
        return np.asarray(shares[home] * weight / sums[home])

    def settled(self, counts: npt.NDArray[Any], rows: float, sigma: float) -> Floats:
        """Return counts drawn towards what was expected, the more so the more they are noise.

        A part was cut to hold a certain number of rows and is off by about as much; its count is off by
        sigma. Each weighs one over its variance (the posterior mean of normal laws). The last count is of
        missing rows and stays. Without this, noise would fill the far tails with rows.
        """
        present = np.asarray(counts[:-1], dtype=np.float64)
        there = max(float(rows - counts[-1]), 1.0)
        wanted = self.expected(there) * there
        trust = wanted**2 / (wanted**2 + sigma**2)
        return np.append(trust * present + (1 - trust) * wanted, counts[-1])


def buy_cuts(vault: Vault, column: Column, events: dict[str, Event], name: str) -> Cuts:
    """Return cuts from the low end to just past the high end, so that the last value has a part too."""
    price = events[name]
    assert isinstance(price, Selection), "cuts are paid for as selections"
    low, high = ends_of(column)
    past = high + 1 if not isinstance(high, float) else np.nextafter(max(high, low), np.inf)
    rounds: list[npt.NDArray[Any]] = []

    def read(mechanism: Mechanism) -> Any:
        assert isinstance(mechanism, ChooseInEach), "medians are chosen"
        rounds.append(mechanism.scores.edges)  # type: ignore[attr-defined]
        return vault.read(name, mechanism)

    edges = recursive_medians(read, column.name, (low, past), depth=DEPTH, epsilon=price.epsilon)
    return Cuts(_with_tails(edges), (*rounds, edges), price.epsilon)


def _falling(near: npt.NDArray[Any], far: npt.NDArray[Any], start: Any, scale: Any) -> Floats:
    """Return the weight of cells between two distances from a start: s / (s + near) - s / (s + far)."""
    first, second = (np.abs((at - start).astype(np.float64)) for at in (near, far))
    width = max(float(scale), 1e-300)
    return np.asarray(width / (width + first) - width / (width + second) + 1e-15)


def _with_tails(edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the edges with the first and the last part halved towards the middle, again and again.

    The edges are public, and a table costs the same however many cells it has.
    """
    if len(edges) < 4:
        return edges
    left = edges[1] - _halved(edges[1] - edges[0], edges[2] - edges[1])
    right = edges[-2] + _halved(edges[-1] - edges[-2], edges[-2] - edges[-3])
    if edges.dtype.kind == "i":
        left, right = np.ceil(left).astype(np.int64), np.floor(right).astype(np.int64)
    finer = np.unique(np.concatenate([edges, left, right]))
    return np.asarray(finer[(finer >= edges[0]) & (finer <= edges[-1])])


def _halved(width: Any, enough: Any) -> Floats:
    """Return halves, quarters and so on of an outer part, down to about the width of the part beside it."""
    times = int(np.clip(np.ceil(np.log2(float(width) / float(enough))) + 1, 0, TAIL))
    return np.asarray(float(width) * 0.5 ** np.arange(1, times + 1))
