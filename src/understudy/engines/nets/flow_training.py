"""Training a flow on points by maximum likelihood, with an end when points kept aside get no likelier.

Points that repeat, as rows of categories do, have a density without bound: each step sees them with fresh
noise, a small part of a deviation (dequantising, Theis et al. 2016). A tenth of the points judges; a density
that is judged by anything else (public code of DOMIAS judges by draws of N(0, 1)) stops at a place that means
nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from understudy.engines.nets.flow import Flow, FlowSize
from understudy.engines.nets.one_thread import one_thread
from understudy.errors import ParameterError

__all__ = ["FlowDensity", "FlowTraining", "fit_flow"]

Floats = npt.NDArray[np.float64]

_AT_ONCE = 4_096  # points that are judged together
_FLOOR = 1e-6  # of the variance of the space that a direction has at least
_FAR = 1e100  # where coordinates end, so that their squares are numbers


@final
@dataclass(frozen=True)
class FlowTraining:
    """How a flow is trained: by Adam, at most so many steps, judged every so often."""

    size: FlowSize = field(default_factory=FlowSize)
    steps: int = 1_000
    batch: int = 256
    rate: float = 5e-3
    noise: float = 0.05  # deviations
    every: int = 20
    patience: int = 10  # judgements in a row that are no better
    aside: float = 0.1
    fewest: int = 20  # with fewer points none can be spared, and all of them judge


@final
@dataclass(frozen=True, eq=False)
class FlowDensity:
    """A trained flow of points that are standardised first; without coordinates there is none."""

    flow: Flow | None
    shift: Floats
    scale: Floats

    def log_density(self, queries: Floats) -> Floats:
        """Return the logarithm of the density at each query; it is finite however far away that is."""
        if queries.shape[1] != len(self.shift):
            raise ParameterError("flow: queries and points have different columns.")
        if self.flow is None or not len(queries):
            return np.zeros(len(queries))
        asked = torch.from_numpy((_bounded(queries) - self.shift) / self.scale)
        with one_thread(), torch.no_grad():
            parts = [self.flow.log_density(part) for part in torch.split(asked, _AT_ONCE)]
        return np.asarray(torch.cat(parts).numpy() - np.log(self.scale).sum())


def fit_flow(
    points: Floats, training: FlowTraining, rng: np.random.Generator, *, scale: float = 1.0
) -> FlowDensity:
    """Return the density that was learned from points: (rows, d).

    A direction in which the points do not vary gets a sliver of `scale`, the variance of the space.
    """
    if not len(points):
        raise ParameterError("flow: needs at least one point.")
    points = _bounded(points)
    shift, variance = points.mean(axis=0), points.var(axis=0)
    deviation = np.sqrt(np.maximum(variance, _FLOOR * max(scale, float(variance.max(initial=0.0)))))
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    if not points.shape[1]:
        return FlowDensity(None, shift, deviation)
    with one_thread():
        flow = Flow(points.shape[1], training.size, generator)
        _train(flow, torch.from_numpy((points - shift) / deviation), training, generator)
    return FlowDensity(flow, shift, deviation)


def _train(flow: Flow, points: Tensor, training: FlowTraining, generator: torch.Generator) -> None:
    """Train until the points kept aside get no likelier, and leave the best weights."""
    learned, judged = _apart(points, training, generator)
    optimizer = torch.optim.Adam(flow.parameters(), lr=training.rate, fused=True)
    best, worse, kept = _loss(flow, judged), 0, _weights(flow)
    for step in range(1, training.steps + 1):
        _step(flow, _drawn(learned, training, generator), optimizer)
        if step % training.every and step != training.steps:
            continue
        loss = _loss(flow, judged)
        # A loss that is no number is no better either.
        if loss < best:
            best, worse, kept = loss, 0, _weights(flow)
        else:
            worse += 1
        if worse == training.patience:
            break
    flow.load_state_dict(kept)


def _apart(points: Tensor, training: FlowTraining, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return the points to learn from, and those that judge, with noise that stays the same."""
    count = max(1, int(len(points) * training.aside)) if len(points) >= training.fewest else 0
    order = torch.randperm(len(points), generator=generator)
    judged = points[order[:count]] if count else points
    return points[order[count:]], _noisy(judged, training.noise, generator)


def _drawn(points: Tensor, training: FlowTraining, generator: torch.Generator) -> Tensor:
    places = torch.randint(len(points), (min(training.batch, len(points)),), generator=generator)
    return _noisy(points[places], training.noise, generator)


def _noisy(points: Tensor, noise: float, generator: torch.Generator) -> Tensor:
    return points + noise * torch.randn(points.shape, generator=generator, dtype=points.dtype)


def _step(flow: Flow, batch: Tensor, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    torch.autograd.backward(-flow.log_density(batch).mean())
    torch.nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
    optimizer.step()


def _loss(flow: Flow, points: Tensor) -> float:
    with torch.no_grad():
        parts = [flow.log_density(part).sum() for part in torch.split(points, _AT_ONCE)]
    loss = -float(torch.stack(parts).sum()) / len(points)
    return loss if math.isfinite(loss) else math.inf


def _weights(flow: Flow) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in flow.state_dict().items()}


def _bounded(points: Floats) -> Floats:
    return np.clip(points, -_FAR, _FAR)
