"""A Gaussian mixture in one dimension, fitted to a summary of the values instead of the values.

Under a thousand cells hold the count, mean and variance of what lies in them; a round of
expectation-maximisation on them costs the same for a thousand values and for ten million. The fit
starts with as many components as allowed, then joins the two that are most alike (Runnalls 2007:
the bound on the divergence that a moment-preserving merge costs) and goes on, down to one, and
keeps the number with the best Bayesian information criterion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

__all__ = ["FEW", "Mixture", "fit_mixture"]

Floats = npt.NDArray[np.float64]

CELLS = 256  # of equal width, and as many with an equal share of the values
FIRST_ROUNDS, LATER_ROUNDS = 200, 60
SETTLED = 1e-5  # nats per value: a round that gains less is the last
CROWD = 10_000  # the criterion counts no more values than this: beyond it, it would pay for every dent
PRIOR = 0.01  # of the variance
FEW = 10  # values; a component of fewer remembers who they were
BULK = (0.1587, 0.8413)  # the ranks one deviation to either side of the middle
LEAST = 1e-24  # values lie in [0, 1]
BLOCK = 16_384  # values at a time: their log densities stay in the cache


@final
@dataclass(frozen=True, eq=False)
class Mixture:
    """Weights, means and standard deviations of the components, in the order of their means."""

    weights: Floats
    means: Floats
    deviations: Floats

    def log_densities(self, values: Floats) -> Floats:
        """Return the log of weight times density, shape (values, components), up to a constant."""
        z = (values[:, None] - self.means) * (np.sqrt(0.5) / self.deviations)  # (n, k)
        return np.asarray(np.log(self.weights / self.deviations) - z * z)

    def likeliest(self, values: Floats) -> npt.NDArray[np.int64]:
        """Return the component that each value most probably came from."""
        blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK)]
        return np.concatenate(
            [np.empty(0, np.int64)] + [self.log_densities(b).argmax(axis=1) for b in blocks]
        )

    def drawn(self, values: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return a component for each value, drawn with the probability that it came from there."""
        blocks = [values[i : i + BLOCK] for i in range(0, len(values), BLOCK)]
        return np.concatenate([np.empty(0, np.int64)] + [self._drawn(block, rng) for block in blocks])

    def _drawn(self, block: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        logs = self.log_densities(block)
        ends = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
        chosen = (ends < rng.random((len(block), 1)) * ends[:, -1:]).sum(axis=1)
        return np.asarray(chosen, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Counts, means and inner variances of groups of neighbouring values."""

    counts: Floats
    means: Floats
    variances: Floats

    @property
    def variance(self) -> float:
        """The variance of all values; a constant's is as good as none, yet above 0."""
        centre = np.average(self.means, weights=self.counts)
        spread = np.average((self.means - centre) ** 2 + self.variances, weights=self.counts)
        return max(float(spread), LEAST)

    @property
    def bulk(self) -> float:
        """The same of their bulk: one value far out has all of the variance, and says nothing of the others.

        It is half of what lies between the ranks of one deviation to either side, if that is not nothing.
        """
        ranks = np.cumsum(self.counts) / self.counts.sum()
        low, high = self.means[np.searchsorted(ranks, BULK)]
        inner = float((high - low) / 2) ** 2
        return min(self.variance, max(inner, LEAST)) if inner > 0 else self.variance


def fit_mixture(values: Floats, components: int, rng: np.random.Generator) -> Mixture:
    """Fit at most so many components to values in [0, 1]; those that explain too little are left out.

    >>> rng = np.random.default_rng(0)
    >>> two = np.concatenate([rng.normal(0.2, 0.01, 5_000), rng.normal(0.8, 0.02, 5_000)])
    >>> fit_mixture(two, 10, rng).means.round(2).tolist()
    [0.2, 0.8]
    """
    cells = _summarised(values)
    current, score = _settled(_seeded(cells, min(components, len(cells.counts)), rng), cells, FIRST_ROUNDS)
    best, lowest = current, _criterion(current, score, cells)
    while len(current.weights) > 1:
        current, score = _settled(_joined(current), cells, LATER_ROUNDS)
        criterion = _criterion(current, score, cells)
        if criterion <= lowest:
            best, lowest = current, criterion
    return _in_order(best)


def _summarised(values: Floats) -> _Cells:
    ordered = np.sort(values)
    even = np.linspace(ordered[0], ordered[-1], CELLS + 1)[1:]
    ranks = ordered[np.linspace(0, len(ordered) - 1, CELLS).astype(np.int64)]
    # A tie at a rank ends its cell and, by the float below it, begins it: heavy values stand alone.
    edges = np.unique(np.concatenate([even, ranks, np.nextafter(ranks, -np.inf)]))
    ends = np.unique(np.searchsorted(ordered, edges, side="right"))
    ends = ends[ends > 0]
    starts = np.concatenate([[0], ends[:-1]])
    counts = np.diff(np.concatenate([[0], ends])).astype(np.float64)
    means = np.add.reduceat(ordered, starts) / counts
    inner = ordered - np.repeat(means, counts.astype(np.int64))
    return _Cells(counts, means, np.add.reduceat(inner * inner, starts) / counts)


def _seeded(cells: _Cells, components: int, rng: np.random.Generator) -> Mixture:
    """Draw centres far from each other (k-means++), one cell each, and give every cell to the nearest."""
    chosen = [rng.choice(len(cells.counts), p=cells.counts / cells.counts.sum())]
    for _ in range(components - 1):
        distance = np.abs(cells.means[:, None] - cells.means[chosen]).min(axis=1)
        pull = cells.counts * distance**2
        if pull.sum() == 0:
            break
        chosen.append(rng.choice(len(pull), p=pull / pull.sum()))
    nearest = np.abs(cells.means[:, None] - cells.means[chosen]).argmin(axis=1)
    return _maximised(np.eye(len(chosen))[nearest], cells)


def _settled(mixture: Mixture, cells: _Cells, rounds: int) -> tuple[Mixture, float]:
    """Repeat expectation and maximisation until the likelihood stands still."""
    total, last = cells.counts.sum(), -np.inf
    for _ in range(rounds):
        chances, logs = _responsibilities(mixture.log_densities(cells.means))
        score = float(cells.counts @ logs / total)
        if score - last < SETTLED:
            break
        mixture, last = _maximised(chances, cells), score
    return mixture, float(cells.counts @ _responsibilities(mixture.log_densities(cells.means))[1] / total)


def _responsibilities(logs: Floats) -> tuple[Floats, Floats]:
    """Return each component's share (n, k) of each value, and the log-likelihood (n,)."""
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (np.log(total) + top)[:, 0]


def _maximised(chances: Floats, cells: _Cells) -> Mixture:
    """Return the mixture that these shares make likeliest.

    Each variance is drawn towards a tenth of the deviation of the bulk, with the force of one value: nothing
    in a large component. In one of a few values it is that of all values, so that a lone value cannot become
    a spike that remembers it.
    """
    mass = chances * cells.counts[:, None]  # (cells, k)
    sizes = mass.sum(axis=0)
    mass, sizes = mass[:, sizes > 0.5], sizes[sizes > 0.5]  # half a value is none
    means = cells.means @ mass / sizes
    squares = ((cells.means[:, None] - means) ** 2 + cells.variances[:, None]) * mass
    drawn_to = PRIOR * np.where(sizes < FEW, cells.variance, cells.bulk)
    variances = (squares.sum(axis=0) + drawn_to) / (sizes + 1)
    return Mixture(sizes / sizes.sum(), means, np.sqrt(variances))


def _joined(mixture: Mixture) -> Mixture:
    """Replace the two components that are most alike by one with their joint mean and variance."""
    w, m, v = mixture.weights, mixture.means, mixture.deviations**2
    pair = w[:, None] + w  # (k, k)
    joint = (w[:, None] * v[:, None] + w * v) / pair + (w[:, None] * w / pair**2) * (m[:, None] - m) ** 2
    cost = 0.5 * (pair * np.log(joint) - w[:, None] * np.log(v)[:, None] - w * np.log(v))
    np.fill_diagonal(cost, np.inf)
    i, j = (int(place) for place in np.unravel_index(cost.argmin(), cost.shape))
    mean = (w[i] * m[i] + w[j] * m[j]) / pair[i, j]
    kept = np.delete(np.arange(len(w)), [i, j])
    return Mixture(
        np.append(w[kept], pair[i, j]),
        np.append(m[kept], mean),
        np.sqrt(np.append(v[kept], joint[i, j])),
    )


def _criterion(mixture: Mixture, score: float, cells: _Cells) -> float:
    """Return the Bayesian information criterion, lower is better: a component must earn its parameters."""
    crowd = min(float(cells.counts.sum()), CROWD)
    parameters = 3 * len(mixture.weights) - 1
    return float(parameters * np.log(max(crowd, 2.0)) - 2 * crowd * score)


def _in_order(mixture: Mixture) -> Mixture:
    order = np.argsort(mixture.means, kind="stable")
    return Mixture(mixture.weights[order], mixture.means[order], mixture.deviations[order])
