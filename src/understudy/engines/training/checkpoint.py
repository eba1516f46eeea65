"""Checkpoints: the state of a training in one file that is there whole or not at all.

A file is taken up only by the training that wrote it: same data, settings, seed and first weights. It holds
weights, averages and the optimizer's memory; what is drawn is a function of the step's number (`loop`).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import safetensors
import safetensors.torch
from torch import Tensor

from understudy.errors import ParameterError, WriteError

__all__ = ["Checkpoint", "Keeper"]

_EVERY = 30.0  # seconds
_FORMAT = 1


@final
@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Tensors after so many steps; a finished one holds the model as it is left."""

    step: int
    finished: bool
    tensors: dict[str, Tensor]
    facts: dict[str, Any] = field(default_factory=dict)


@final
class Keeper:
    """Keeps the checkpoint of one stage in a folder; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, stage: str, identity: str, tell: Callable[[str], None]) -> None:
        if folder is not None and not stage.replace("_", "").replace("-", "").isalnum():
            raise ParameterError(
                f"checkpoint: the name of a stage is letters, digits, - and _; got {stage!r}."
            )
        self._path = None if folder is None else Path(folder) / f"{stage}.safetensors"
        self._stage, self._identity, self._tell = stage, identity, tell
        self._saved = time.monotonic()
        self._every = _EVERY

    def found(self) -> Checkpoint | None:
        """Return what this same training left here; say so if there is something else."""
        if self._path is None or not self._path.exists():
            return None
        try:
            with safetensors.safe_open(self._path, framework="pt") as file:
                facts = json.loads((file.metadata() or {}).get("training", "{}"))
                if (facts.get("format"), facts.get("identity")) == (_FORMAT, self._identity):
                    tensors = {name: file.get_tensor(name) for name in file.offset_keys()}
                    return Checkpoint(facts["step"], facts["finished"], tensors, facts["facts"])
        except (OSError, ValueError, safetensors.SafetensorError):
            self._tell(f"training {self._stage}: the checkpoint cannot be read; starting over")
            return None
        self._tell(f"training {self._stage}: the checkpoint is of other data or settings; starting over")
        return None

    @property
    def keeps(self) -> bool:
        """Whether there is a folder: without one nothing has to be gathered."""
        return self._path is not None

    @property
    def due(self) -> bool:
        """Whether it is time to save again."""
        return self.keeps and time.monotonic() - self._saved >= self._every

    def save(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint in the place of the last one."""
        if self._path is None:
            return
        facts = {
            "format": _FORMAT,
            "identity": self._identity,
            "step": checkpoint.step,
            "finished": checkpoint.finished,
            "facts": checkpoint.facts,
        }
        content = safetensors.torch.save(checkpoint.tensors, {"training": json.dumps(facts)})
        try:
            _replace(self._path, content)
        except OSError as error:
            raise WriteError(f"cannot write {str(self._path)!r} ({error.strerror or error}).") from None
        self._saved = time.monotonic()


def _replace(path: Path, content: bytes) -> None:
    """Write a file for its owner alone, and rename it into place when the disk has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    if os.name != "nt":  # folders cannot be opened there
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
