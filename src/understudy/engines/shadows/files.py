"""Arrays by name in a file that is whole or not there: safetensors, which cannot hold code."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load, save

__all__ = ["Arrays", "read", "write"]

Arrays = dict[str, npt.NDArray[Any]]
_NAMES = "names"


def write(arrays: Mapping[str, npt.NDArray[Any]], place: Path) -> None:
    """Write arrays of any names; whoever reads finds all of them or none."""
    names = np.frombuffer(json.dumps(list(arrays)).encode(), dtype=np.uint8)
    numbered = {f"{number}": np.ascontiguousarray(values) for number, values in enumerate(arrays.values())}
    part = place.with_suffix(f".{os.getpid()}.part")
    try:
        part.write_bytes(save({_NAMES: names, **numbered}))
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def read(place: Path) -> Arrays | None:
    """Return the arrays of a file; None if it is not there, or is none of ours.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write({"a b": np.arange(3)}, Path(folder) / "x")
    ...     read(Path(folder) / "x"), read(Path(folder) / "y")
    ({'a b': array([0, 1, 2])}, None)
    """
    try:
        found = load(place.read_bytes())
        names = json.loads(found[_NAMES].tobytes())
        return {name: found[f"{number}"] for number, name in enumerate(names)}
    except (OSError, ValueError, KeyError, SafetensorError):
        return None
