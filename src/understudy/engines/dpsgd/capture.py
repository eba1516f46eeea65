"""Whole steps as one CUDA graph: draw, gather, loss, clip, noise, optimizer, and no word to the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, final

import torch

from understudy.engines.dpsgd.batches import PoissonBatches
from understudy.engines.dpsgd.functional import Loss
from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.engines.training.undisturbed import undisturbed

__all__ = ["CapturedSteps", "Stepping", "capture"]

_WARM = 3  # steps that run uncaptured first, so that libraries have their workspaces and kernels are compiled


class Stepping(Protocol):
    """An optimizer, or what takes its place: it turns gradients that lie in a model into a step."""

    def step(self) -> Any:
        """Take a step."""


def capture(
    gradients: PrivateGradients,
    batches: PoissonBatches,
    loss: Loss,
    optimizer: Stepping,
    generators: Sequence[torch.Generator] = (),
) -> CapturedSteps:
    """Return the steps of a run, captured where there is a device; elsewhere the same steps, one by one.

    The optimizer must be one that can be captured: SGD as it is, Adam with `capturable=True`. `generators`
    are those that the loss draws from, so that each replay draws anew.
    """
    return CapturedSteps(gradients, batches, loss, optimizer, generators)


@final
class CapturedSteps:
    """Takes planned steps; every warm-up step and every replay is a step of the plan and is counted.

    The step's number lies in device memory and is moved on by the graph itself, so each replay samples and
    noises anew. A batch that outgrows its slots runs uncaptured (`batches` says why nothing is dropped).
    """

    def __init__(
        self,
        gradients: PrivateGradients,
        batches: PoissonBatches,
        loss: Loss,
        optimizer: Stepping,
        generators: Sequence[torch.Generator] = (),
    ) -> None:
        self._gradients, self._batches = gradients, batches
        self._loss, self._optimizer = loss, optimizer
        self._generators = tuple(generators)
        self._on_device = batches.device.type == "cuda"
        self._warmed = 0  # counted here: a run that is taken up again starts with a later step
        self._graph: torch.cuda.CUDAGraph | None = None

    @property
    def captured(self) -> bool:
        """Whether steps are replayed by now."""
        return self._graph is not None

    def step(self) -> None:
        """Take one step."""
        usual = self._batches.slots_of_next() == self._batches.slots
        if not (self._on_device and usual):
            self._take()
        elif self._warmed < _WARM:
            self._warm()
        elif self._graph is None:
            self._graph = self._recorded()
            self._graph.replay()  # recording counted this step and ran nothing
        else:
            self._gradients.count_one()
            self._batches.count_one()
            self._graph.replay()

    def _take(self) -> None:
        self._gradients.step(self._batches.draw(), self._loss)
        self._optimizer.step()

    def _warm(self) -> None:
        self._warmed += 1
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self._take()
        torch.cuda.current_stream().wait_stream(aside)

    def _recorded(self) -> torch.cuda.CUDAGraph:
        graph = torch.cuda.CUDAGraph()
        for generator in self._generators:
            graph.register_generator_state(generator)
        with undisturbed(), torch.cuda.graph(graph):
            self._take()
        return graph
