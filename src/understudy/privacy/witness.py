"""A witness: shows that a read taken up again is the same read, without telling what was seen.

Noise may be drawn twice only for the same statistic: the same noise on another table, or on the same
table with other settings, cancels out and leaves the difference bare. So before noise is drawn a keyed
hash of what it will hide is written down; a run that is taken up again must show the same one.
The key comes from the run's own stream: when that is destroyed the witness is a random number.
"""

from __future__ import annotations

import hmac
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.privacy.mechanism import Mechanism
from understudy.privacy.stream import Stream

__all__ = ["witness_of"]

KEY_BYTES = 32


def witness_of(stream: Stream, mechanism: Mechanism, statistic: npt.NDArray[Any]) -> str:
    """Return the keyed hash of a mechanism and of what it saw; `stream` is a child kept for this alone."""
    found = hmac.new(stream.take(KEY_BYTES), digestmod="sha256")
    for part in (_described(mechanism), _described(np.asarray(statistic))):
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()


def _described(value: Any) -> bytes:
    """Return bytes that differ when the value does; a function is known by its name only."""
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()).encode() if value.dtype == object else value.tobytes()
        return f"{value.dtype.str} {value.shape} ".encode() + content
    if is_dataclass(value) and not isinstance(value, type):
        parts = [_described(getattr(value, field.name)) for field in fields(value)]
        return type(value).__qualname__.encode() + _joined(parts)
    if isinstance(value, tuple | list):
        return _joined([_described(item) for item in value])
    if callable(value):
        return b"function " + getattr(value, "__qualname__", type(value).__qualname__).encode()
    return repr(value).encode()


def _joined(parts: list[bytes]) -> bytes:
    return b"(" + b"".join(len(part).to_bytes(8, "big") + part for part in parts) + b")"
