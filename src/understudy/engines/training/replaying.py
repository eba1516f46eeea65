"""A step that is captured as one CUDA graph and replayed, where there is a device and it can be captured."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import torch

from understudy.engines.training.undisturbed import undisturbed

__all__ = ["Replaying"]

_WARM = 3  # steps that run uncaptured first, so that libraries have their workspaces


@final
class Replaying:
    """Takes a step again and again. All that changes between steps must lie in tensors that stay in place.

    `generators` are what the step draws from beside the global one, so that each replay draws anew. A step
    that waits for the host cannot be captured; then the reason is told, and steps are taken one by one.
    """

    def __init__(self, step: Callable[[], None], device: torch.device, *generators: torch.Generator) -> None:
        self._step, self._generators = step, generators
        self._captures, self._taken = device.type == "cuda", 0
        self._graph: torch.cuda.CUDAGraph | None = None

    def take(self, tell: Callable[[str], None]) -> None:
        """Take one step."""
        if not self._captures:
            self._step()
        elif self._taken < _WARM:
            self._warm()
        else:
            self._replay(tell)
        self._taken += 1

    def _warm(self) -> None:
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self._step()
        torch.cuda.current_stream().wait_stream(aside)

    def _replay(self, tell: Callable[[str], None]) -> None:
        if self._graph is None:
            try:
                self._graph = self._recorded()
            except RuntimeError as error:
                self._captures = False
                tell(f"steps are taken one by one: they cannot be captured ({str(error).splitlines()[0]})")
                self._step()
                return
        self._graph.replay()

    def _recorded(self) -> torch.cuda.CUDAGraph:
        graph = torch.cuda.CUDAGraph()
        for generator in self._generators:
            graph.register_generator_state(generator)
        with undisturbed(), torch.cuda.graph(graph):
            self._step()
        return graph
