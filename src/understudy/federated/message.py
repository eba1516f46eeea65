"""All that travels between a server and its sites: a kind, JSON facts, and named arrays.

Bytes are safetensors, so nothing is pickled and nothing in a message is code. What is too long is refused
before it is parsed; what does not parse is refused in words that hold none of it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt
import safetensors
import safetensors.numpy

from understudy.errors import InputError

__all__ = ["MOST_BYTES", "Arrays", "Message", "refusal"]

Arrays = Mapping[str, npt.NDArray[Any]]

MOST_BYTES = 2**30
_MOST_FACTS = 2**26  # bytes of JSON: a schema with many levels is the largest there is
_KINDS = frozenset({"f", "i", "u", "b"})
_HEAD = "understudy"
_EMPTY = "empty"  # a place holder: a file without a tensor has no room for facts in some readers


@final
@dataclass(frozen=True, eq=False)
class Message:
    """One message. Two are the same if their bytes are (`digest`).

    >>> message = Message("train", {"round": 3}, {"weight": np.zeros(2, np.float32)})
    >>> Message.from_bytes(message.to_bytes()).facts
    {'round': 3}
    """

    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    arrays: Arrays = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """Return the message as bytes; equal messages have equal bytes."""
        head = json.dumps({"kind": self.kind, "facts": dict(self.facts)}, sort_keys=True, allow_nan=False)
        plain = {name: np.ascontiguousarray(self.arrays[name]) for name in sorted(self.arrays)}
        # One key of metadata only: the order in which several are written is not fixed.
        return safetensors.numpy.save(plain or {_EMPTY: np.zeros(0, np.uint8)}, {_HEAD: head})

    @classmethod
    def from_bytes(cls, content: bytes, most: int = MOST_BYTES) -> Message:
        """Read a message of at most so many bytes, or refuse it."""
        if len(content) > most:
            raise InputError(f"message: at most {most:,} bytes are taken; got {len(content):,}.")
        try:
            head = json.loads(_head_of(content), parse_constant=_refuse)  # no digest could be made of it
            arrays = safetensors.numpy.load(content)
        except (ValueError, KeyError, TypeError, RecursionError, safetensors.SafetensorError):
            raise InputError("message: these bytes are not a message of this version.") from None
        if not _is_head(head) or any(each.dtype.kind not in _KINDS for each in arrays.values()):
            raise InputError("message: it does not hold what a message must.")
        if set(arrays) == {_EMPTY} and arrays[_EMPTY].size == 0:
            arrays = {}
        return cls(head["kind"], head["facts"], arrays)

    def digest(self) -> str:
        """Return the SHA-256 of the bytes."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def fact(self, name: str, kind: type) -> Any:
        """Return one fact of a kind, or refuse a message without it; a bool is no number, nor is a NaN."""
        value = self.facts.get(name)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < 2**53 else math.nan
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)) or _is_nan(value):
            raise InputError(f"message {self.kind!r}: it must say {name!r} as a {kind.__name__}.")
        return value


def refusal(why: str) -> Message:
    """Return the answer of a site that will not do what it was asked.

    >>> refusal("Site: no.").facts["why"]
    'Site: no.'
    """
    return Message("refused", {"why": why})


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number that JSON has")


def _head_of(content: bytes) -> str:
    """Return the facts, as text, from where safetensors keeps them: a length, then a header in JSON."""
    size = int.from_bytes(content[:8], "little")
    if not 0 < size <= min(_MOST_FACTS, len(content) - 8):
        raise ValueError("no header")
    return str(json.loads(content[8 : 8 + size])["__metadata__"][_HEAD])


def _is_head(head: Any) -> bool:
    return (
        isinstance(head, dict)
        and set(head) == {"kind", "facts"}
        and isinstance(head["kind"], str)
        and isinstance(head["facts"], dict)
    )
