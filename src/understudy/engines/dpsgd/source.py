"""Where a step's noise and its batch come from: the run's secure stream, on the device of the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np
import torch

from understudy.engines.dpsgd import chacha
from understudy.engines.dpsgd.whole import WholeNormals
from understudy.privacy.noise import poisson_mask
from understudy.privacy.stream import Stream

__all__ = ["Source", "source_for"]

Tensor = torch.Tensor


class Source(ABC):
    """Noise and membership as functions of the step's number: a resumed run draws the same again.

    The number is a one-element int32 tensor on the device, so that a captured graph can move it on by itself.
    """

    @abstractmethod
    def noise(self, step: Tensor, scale: float, out: Tensor) -> None:
        """Fill a float32 vector with this step's normals of deviation `scale`, rounded to whole numbers."""

    @abstractmethod
    def members(self, steps: Tensor, rate: float, rows: int) -> Tensor:
        """Return which rows are in each of these steps: bool, (steps, rows)."""


def source_for(stream: Stream, device: torch.device) -> Source:
    """Return the source of a stream on a device; two runs must never be given the same stream."""
    return _Processor(stream) if device.type == "cpu" else ChaCha(stream, device)


@final
class _Processor(Source):
    """The stream's own cipher, on the processor."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._normals: dict[int, tuple[Stream, WholeNormals]] = {}

    def noise(self, step: Tensor, scale: float, out: Tensor) -> None:
        size = len(out)
        if size not in self._normals:
            # A stream for each size: step t takes the t-th run of blocks, and runs of two lengths would meet.
            self._normals[size] = self._stream.child("dpsgd noise", size), WholeNormals(size)
        stream, normals = self._normals[size]
        normals.fill(stream, int(step) * normals.cipher_blocks, scale, out)

    def members(self, steps: Tensor, rate: float, rows: int) -> Tensor:
        streams = [self._stream.child("dpsgd batch", step) for step in steps.tolist()]
        return torch.from_numpy(np.stack([poisson_mask(stream, rate, rows) for stream in streams]))


@final
class ChaCha(Source):
    """ChaCha20 on the device, under keys that no stream on the processor shares."""

    def __init__(self, stream: Stream, device: torch.device) -> None:
        self._noise = chacha.key_words(stream.device_key("dpsgd noise"), chacha.NOISE, device)
        self._batches = chacha.key_words(stream.device_key("dpsgd batch"), chacha.BATCHES, device)

    def noise(self, step: Tensor, scale: float, out: Tensor) -> None:
        chacha.whole_normals(self._noise, step, scale, out)

    def members(self, steps: Tensor, rate: float, rows: int) -> Tensor:
        return chacha.below(self._batches, steps, rate, rows)
