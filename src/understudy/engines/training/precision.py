"""How exactly a training computes: what is set for its time, and put back after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

__all__ = ["autocast", "computing", "layer_generators", "shortens"]


@contextmanager
def computing(precision: str, device: torch.device) -> Iterator[None]:
    """Let products of matrices take the short road (tf32), or not; leave global generators as they were.

    Layers that draw by themselves (dropout) draw from the global generator, which is seeded in here.
    """
    short = precision in ("tf32", "bf16") or (precision == "auto" and device.type == "cuda")
    before = torch.get_float32_matmul_precision()
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices):
        torch.set_float32_matmul_precision("high" if short else "highest")
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before)


def autocast(precision: str, device: torch.device) -> AbstractContextManager[None]:
    """Return the context of a forward pass: bf16 where that is asked for."""
    if precision != "bf16":
        return nullcontext()
    # The cache of cast weights must not outlive a step that is captured.
    return torch.autocast(device.type, torch.bfloat16, cache_enabled=False)


def shortens(precision: str, device: torch.device) -> bool:
    """Say whether products that a loss writes out by itself, on a processor, are of bf16."""
    return precision == "bf16" and device.type == "cpu"


def layer_generators(device: torch.device) -> list[torch.Generator]:
    """Return the generators that layers draw from by themselves; seed them inside `computing` only."""
    found = [torch.default_generator]
    if device.type == "cuda":
        index = torch.cuda.current_device() if device.index is None else device.index
        found.append(torch.cuda.default_generators[index])
    return found
